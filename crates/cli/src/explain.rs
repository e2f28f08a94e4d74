//! `tokenforge explain`: what each stage does to an output, and the output before and after, side by side.

use crate::diff::{self, Row};
use crate::engine::EngineArguments;
use crate::input::Input;
use crate::output::{self, grouped};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tokenforge_compress::{Compressed, Settings, Step};

/// Show what each stage does to an output, and why.
#[derive(Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    engine: EngineArguments,

    /// Print the steps as JSON
    #[arg(long)]
    json: bool,

    /// How many rows of the side-by-side view to show; 0 for all
    #[arg(long, value_name = "N", default_value_t = 60)]
    rows: usize,

    /// How many characters wide a side is
    #[arg(long, value_name = "N", default_value_t = 70)]
    width: usize,

    /// The output, or - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

pub(crate) fn run(arguments: &Explain) -> anyhow::Result<()> {
    let input = Input::read(&arguments.file)?;
    let settings = arguments.engine.settings();
    let compressed = arguments.engine.compress(&input.text, &settings, true)?;
    if arguments.json {
        return Ok(output::print(&json(&input.text, &compressed, &settings).to_string())?);
    }
    let mut report = table(&input.text, &compressed, &settings);
    report.push('\n');
    report +=
        &side_by_side(&input.text, compressed.text(&input.text), arguments.rows, arguments.width);
    Ok(output::print(report.trim_end())?)
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
        "redacted": compressed.redacted,
        "steps": compressed.steps.iter().map(row).collect::<Vec<_>>(),
    })
}

fn table(text: &str, compressed: &Compressed, settings: &Settings) -> String {
    let mut table =
        format!("{:<20} {:<10} {:>10} {:>10}  outcome\n", "stage", "fidelity", "before", "after");
    for step in &compressed.steps {
        let (before, after) = match step.tokens {
            Some((before, after)) => (grouped(before), grouped(after)),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let fidelity = format!("{:?}", step.fidelity).to_lowercase();
        let outcome = step.outcome.describe();
        table +=
            &format!("{:<20} {fidelity:<10} {before:>10} {after:>10}  {outcome}\n", step.stage);
    }
    let (before, after) = compressed.tokens(text, settings.counter);
    let verdict = compressed.verdict;
    let (before, after) = (grouped(before), grouped(after));
    table += &format!("{:<20} {:<10} {before:>10} {after:>10}  {verdict}\n", "all", "");
    table
}

/// Lines that are the same stand beside each other; `<` marks what is only in the original, `>` what is new.
fn side_by_side(original: &str, compressed: &str, rows: usize, width: usize) -> String {
    let all = diff::rows(original, compressed);
    let limit = if rows == 0 { usize::MAX } else { rows };
    let mut out = String::new();
    for row in all.iter().take(limit) {
        let fit = |line: &str| fit(line.trim_end_matches(['\n', '\r']), width);
        out += &match row {
            Row::Both(line) => format!("{0:<width$}   {0}\n", fit(line)),
            Row::Old(line) => format!("{:<width$} <\n", fit(line)),
            Row::New(line) => format!("{:<width$} > {}\n", "", fit(line)),
        };
    }
    let left = all.len().saturating_sub(limit);
    if left > 0 {
        out += &format!("({left} more rows; --rows 0 shows all)\n");
    }
    out
}

/// A line of at most `width` characters, without control characters.
fn fit(line: &str, width: usize) -> String {
    let shown: String =
        line.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    match shown.char_indices().nth(width) {
        Some(_) => shown.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        None => shown,
    }
}
