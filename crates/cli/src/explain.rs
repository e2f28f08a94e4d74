//! `tokenforge explain`: what the model would see of an output, and what each stage did to it.

use crate::diff::{self, DiffRow};
use crate::engine::EngineArguments;
use crate::input::InputText;
use crate::output::{self, group_digits};
use crate::screen::{self, TextStyler};
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use tokenforge_engine::{Compressed, Settings, Step};
use tokenforge_replay::columns::{Column, Table, padded, shortened};

const EXAMPLES: &str = "\
Examples:
  tokenforge explain build.log
  cargo test 2>&1 | tokenforge explain --command 'cargo test' --diff
  tokenforge explain --mode lossless --json data.json";

/// Show what the model would see of an output, and what each stage did to it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    engine: EngineArguments,

    /// Print {"verdict", "tokens_before", "tokens_after", "text", "redacted", "steps"}
    #[arg(long)]
    json: bool,

    /// Show the output before and after side by side too
    #[arg(long)]
    diff: bool,

    /// How many lines of the text, and of --diff, to show; 0 for all
    #[arg(long, value_name = "N", default_value_t = 40)]
    rows: usize,

    /// How many columns each side of --diff has [default: half of the terminal]
    #[arg(long, value_name = "N")]
    width: Option<usize>,

    /// The output, or - for standard input
    #[arg(default_value = "-", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

pub(crate) fn run(arguments: &ExplainArgs) -> anyhow::Result<()> {
    let input = InputText::read(&arguments.file)?;
    let settings = arguments.engine.settings();
    let compressed = arguments.engine.compress(&input.text, &settings, true)?;
    if arguments.json {
        return Ok(output::print(&json(&input.text, &compressed, &settings).to_string())?);
    }
    let rows = if arguments.rows == 0 { usize::MAX } else { arguments.rows };
    let seen = compressed.text(&input.text);
    let mut parts = vec![
        headline(&input.text, &compressed, &settings),
        format!("{}\n{}", title("The model sees:"), beginning(seen, rows)),
        format!("{}\n{}", title("What each stage did:"), stages(&compressed)),
    ];
    if arguments.diff || arguments.width.is_some() {
        let width = arguments.width.unwrap_or((screen::width() - SIGN) / 2);
        let sides = side_by_side(&input.text, seen, rows, width);
        parts.push(format!("{}\n{sides}", title("Before and after:")));
    }
    Ok(output::print(parts.join("\n\n").trim_end())?)
}

/// What is between both sides.
const SIGN: usize = 3;

fn title(text: &str) -> String {
    TextStyler::stdout().bold(text).to_string()
}

/// The result in a line.
fn headline(text: &str, compressed: &Compressed, settings: &Settings) -> String {
    let (before, after) = compressed.tokens(text, settings.counter);
    let saved = 100.0 * (before as f64 - after as f64) / before.max(1) as f64;
    let (before, after) = (group_digits(before), group_digits(after));
    let verdict = compressed.verdict;
    title(&format!("{before} -> {after} tokens, {saved:.1} % saved ({verdict})"))
}

/// The first lines of a text.
fn beginning(text: &str, rows: usize) -> String {
    let width = screen::width();
    let mut lines: Vec<String> = text.lines().take(rows).map(|line| fit(line, width)).collect();
    let left = text.lines().count().saturating_sub(rows);
    if left > 0 {
        lines.push(format!("... and {left} more lines; --rows 0 shows all"));
    }
    lines.join("\n")
}

#[derive(Serialize)]
struct StepRow {
    stage: &'static str,
    fidelity: String,
    outcome: &'static str,
    tokens_before: Option<usize>,
    tokens_after: Option<usize>,
}

fn json(text: &str, compressed: &Compressed, settings: &Settings) -> serde_json::Value {
    let row = |step: &Step| StepRow {
        stage: step.stage,
        fidelity: format!("{:?}", step.fidelity).to_lowercase(),
        outcome: step.outcome.describe(),
        tokens_before: step.tokens.map(|(before, _)| before),
        tokens_after: step.tokens.map(|(_, after)| after),
    };
    let (before, after) = compressed.tokens(text, settings.counter);
    serde_json::json!({
        "verdict": compressed.verdict.name(),
        "tokens_before": before,
        "tokens_after": after,
        "text": compressed.text(text),
        "redacted": compressed.redacted,
        "steps": compressed.steps.iter().map(row).collect::<Vec<_>>(),
    })
}

fn stages(compressed: &Compressed) -> String {
    let mut table = Table::new([
        Column::text("stage"),
        Column::text("fidelity"),
        Column::number("before"),
        Column::number("after"),
        Column::text("outcome"),
    ]);
    for step in &compressed.steps {
        let (before, after) = match step.tokens {
            Some((before, after)) => (group_digits(before), group_digits(after)),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let fidelity = format!("{:?}", step.fidelity).to_lowercase();
        let outcome = step.outcome.describe().to_owned();
        table.row([step.stage.to_owned(), fidelity, before, after, outcome]);
    }
    screen::table(&table)
}

/// Lines that are the same stand beside each other; `<` marks what is only in the original, `>` what is new.
fn side_by_side(original: &str, compressed: &str, limit: usize, width: usize) -> String {
    let all = diff::rows(original, compressed);
    let mut out = String::new();
    for row in all.iter().take(limit) {
        let fit = |line: &str| fit(line.trim_end_matches(['\n', '\r']), width);
        out += &match row {
            DiffRow::Both(line) => format!("{}   {}\n", padded(&fit(line), width), fit(line)),
            DiffRow::Old(line) => format!("{} <\n", padded(&fit(line), width)),
            DiffRow::New(line) => format!("{:<width$} > {}\n", "", fit(line)),
        };
    }
    let left = all.len().saturating_sub(limit);
    if left > 0 {
        out += &format!("... and {left} more rows; --rows 0 shows all\n");
    }
    out
}

/// A line of at most `width` columns, without control characters.
fn fit(line: &str, width: usize) -> String {
    let shown: String =
        line.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    shortened(&shown, width)
}
