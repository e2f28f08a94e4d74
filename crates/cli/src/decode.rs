//! `tokenforge decode`: any form in, minified JSON out; a compressed output in, the output out.

mod earlier;

use crate::arguments::usage_error;
use crate::input::InputText;
use crate::{output, progress};
use anyhow::Context;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;
use tokenforge_engine::{is_compressed, restore};
use tokenforge_formats::{MAX_OUTPUT, decode_any, stc2, table, toon};

const EXAMPLES: &str = "\
Examples:
  tokenforge decode data.toon
  tokenforge encode data.json | tokenforge decode      the same JSON, minified
  curl -s -H 'Accept-Encoding: stc' URL | tokenforge decode --from stc
  tokenforge compress --mode lossless log | tokenforge decode --from output
  tokenforge decode --history earlier.jsonl result.txt";

/// Turn TOON, STC, a table or JSON into minified JSON, or restore an output that mode lossless made smaller
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DecodeArgs {
    /// The form to read; `auto` restores what looks like a compressed output, and else tries JSON and STC, then a table,
    /// then TOON
    #[arg(long, value_enum, default_value_t = Source::Auto)]
    from: Source,

    /// TOON: spaces per level [default: 2]
    #[arg(long, value_name = "SPACES", value_parser = clap::value_parser!(u8).range(1..=16))]
    indent: Option<u8>,

    /// TOON: forgive wrong counts, duplicate keys, odd indentation and blank lines
    #[arg(long)]
    lenient: bool,

    /// The results before this one in its request, to which it may point: a JSON array, or one object a line, in their
    /// order, each {"tool": NAME, "arguments": OBJECT, "text": AS THE MODEL SAW IT}. Reads the file as an output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    history: Option<PathBuf>,

    /// The arguments of the call that made the output, as JSON: it may point to them
    #[arg(long, value_name = "JSON", requires = "history")]
    arguments: Option<String>,

    /// Stop with an error when the JSON would be larger
    #[arg(long, value_name = "BYTES", default_value_t = MAX_OUTPUT)]
    max_output: usize,

    /// The file, or - for standard input
    #[arg(default_value = "-", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Source {
    Auto,
    Toon,
    Stc,
    Table,
    /// What compress, the gateway or a hook wrote for a tool's output
    Output,
}

pub(crate) fn run(arguments: &DecodeArgs) -> anyhow::Result<()> {
    let source = arguments.source();
    let input = InputText::read(&arguments.file)?;
    // A document in STC 2 is a form, and its errors say where they are.
    let is_output = || is_compressed(&input.text) && !stc2::is_stc2(&input.text);
    if source == Source::Output || source == Source::Auto && is_output() {
        let restored = arguments.restore(&input.text).with_context(|| input.name)?;
        return Ok(output::write(&restored)?);
    }
    let spinner = progress::spinner(input.text.len(), "decoding");
    let (text, max_output) = (&input.text, arguments.max_output);
    let json = match source {
        Source::Auto | Source::Output => decode_any(text, max_output),
        // Without the header of version 2 it is read as version 1.
        Source::Stc => stc2::decode(text, max_output),
        Source::Table => table::decode(text, max_output),
        Source::Toon => {
            let (indent, strict) = (arguments.indent.unwrap_or(2).into(), !arguments.lenient);
            toon::decode(text, &toon::DecodeOptions { indent, strict, max_output })
        }
    };
    spinner.finish_and_clear();
    Ok(output::print(&json.with_context(|| input.name)?)?)
}

impl DecodeArgs {
    /// The form to read. An option that only TOON has says that it is TOON.
    fn source(&self) -> Source {
        let has_toon_option = self.lenient || self.indent.is_some();
        match self.from {
            Source::Auto if has_toon_option && self.history.is_none() => Source::Toon,
            _ if has_toon_option && self.history.is_some() => {
                usage_error("--indent and --lenient are for TOON, --history is for outputs")
            }
            Source::Stc | Source::Table | Source::Output if has_toon_option => {
                usage_error("--indent and --lenient are for TOON")
            }
            Source::Toon | Source::Stc | Source::Table if self.history.is_some() => {
                usage_error("--history is for outputs")
            }
            Source::Auto if self.history.is_some() => Source::Output,
            source => source,
        }
    }

    /// The output that became this text.
    fn restore(&self, text: &str) -> anyhow::Result<String> {
        let restored = match &self.history {
            None => restore(text)?,
            Some(file) => {
                let own = self.arguments.as_deref().unwrap_or("{}");
                let resolved = earlier::read(file)?.resolve(text, own);
                let nowhere = || format!("it points to a result that is not in {}", file.display());
                restore(&resolved.with_context(nowhere)?)?
            }
        };
        let (bytes, most) = (restored.len(), self.max_output);
        anyhow::ensure!(bytes <= most, "it has {bytes} bytes; --max-output allows {most}");
        Ok(restored)
    }
}
