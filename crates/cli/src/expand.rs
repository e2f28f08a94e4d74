//! `tokenforge expand`: what was left out of an output.

use crate::engine::TENANT;
use crate::{data, output};
use anyhow::Context;
use clap::Args;
use tokenforge_engine::expansion::{JsonPath, LineRange, Selection, select};
use tokenforge_engine::reference::Reference;
use tokenforge_store::{Kind, Store};

/// Print the original of an output that was shortened
#[derive(Args)]
#[command(
    after_help = "Examples:\n  tokenforge expand shadow_1a2b3c --lines 20-80\n  tokenforge expand shadow_1a2b3c --grep error\n  tokenforge expand shadow_1a2b3c --path 'items[*].id'"
)]
pub(crate) struct ExpandArgs {
    /// The reference in the output's first line: shadow_... or the whole <<<SHADOW:...>>>
    id: String,

    /// Only this part of JSON, such as `items[3].name`, `items[2-5]` or `items[*].id`
    #[arg(long, value_name = "PATH")]
    path: Option<JsonPath>,

    /// Only these lines, such as 20-80
    #[arg(long, value_name = "A-B")]
    lines: Option<LineRange>,

    /// Only the lines that match this regular expression, with their numbers
    #[arg(long, value_name = "REGEX")]
    grep: Option<String>,
}

pub(crate) fn run(arguments: &ExpandArgs) -> anyhow::Result<()> {
    let reference: Reference = arguments.id.parse()?;
    let store = data::store()?;
    let original =
        store.get(Kind::Original, TENANT, &reference.to_string())?.with_context(|| {
            format!(
                "{reference} is not in the store: it has expired, or was made on another machine"
            )
        })?;
    let original = String::from_utf8(original).context("the stored original is damaged")?;
    let selection = Selection {
        path: arguments.path.clone(),
        lines: arguments.lines,
        grep: arguments.grep.as_deref().map(Into::into),
        max_bytes: usize::MAX,
    };
    Ok(output::write(&select(&original, &selection)?)?)
}
