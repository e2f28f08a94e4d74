//! `tokenforge compress`: a tool's output in, a smaller one out.

use crate::engine::EngineArguments;
use crate::input::{NotUtf8, ToolOutput};
use crate::output::{self, group_digits};
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use tokenforge_engine::{Compressed, Settings};
use tokenforge_secrets::Scanner;

const EXAMPLES: &str = "\
Examples:
  cargo test 2>&1 | tokenforge compress --command 'cargo test'
  tokenforge compress --tool Read --stats page.txt
  tokenforge compress --mode lossless build.log";

/// Make a tool's output smaller; `tokenforge expand` gives back what is left out
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompressArgs {
    #[command(flatten)]
    engine: EngineArguments,

    /// Print the tokens before and after to standard error
    #[arg(long)]
    stats: bool,

    /// Print {"text", "verdict", "before_tokens", "after_tokens", ...} to standard output; with --stats, only the
    /// statistics, to standard error
    #[arg(long)]
    json: bool,

    /// The output, or - for standard input
    #[arg(default_value = "-", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

#[derive(Serialize)]
struct Stats<'a> {
    verdict: &'static str,
    strategies: Vec<&'static str>,
    before_tokens: usize,
    after_tokens: usize,
    before_bytes: usize,
    after_bytes: usize,
    redacted: &'a [&'static str],
    reference: Option<String>,
}

pub(crate) fn run(arguments: &CompressArgs) -> anyhow::Result<()> {
    let text = match ToolOutput::read(&arguments.file)? {
        ToolOutput::Text(text) => text,
        ToolOutput::Bytes(output) => return pass_on(&output, arguments),
    };
    let settings = arguments.engine.settings();
    let compressed = arguments.engine.compress(&text, &settings, false)?;
    match (arguments.stats, arguments.json) {
        (false, false) => {}
        (true, as_json) => print(&stats(&text, &compressed, &settings), as_json),
        (false, true) => {
            let document = stats(&text, &compressed, &settings).document(compressed.text(&text));
            return Ok(output::print(&document.to_string())?);
        }
    }
    if let Some(original) = &compressed.original {
        output::tell(&format!(
            "note: something was left out; to see all of it: tokenforge expand {}",
            original.reference
        ));
    }
    Ok(output::write(compressed.text(&text))?)
}

/// Passes on what is not UTF-8 as it came, unless there is a secret in it: it could not be taken out of such bytes.
fn pass_on(NotUtf8 { name, bytes, at }: &NotUtf8, arguments: &CompressArgs) -> anyhow::Result<()> {
    let settings = arguments.engine.settings();
    let shown = String::from_utf8_lossy(bytes);
    if settings.redact_secrets && !Scanner::builtin().find(&shown).is_empty() {
        anyhow::bail!(
            "{name}: byte {at} is not UTF-8, so what looks like a secret in it cannot be removed; --keep-secrets passes \
             it on as it is"
        );
    }
    output::tell(&format!("note: {name}: byte {at} is not UTF-8; it is passed on unchanged"));
    if arguments.stats || arguments.json {
        let (tokens, length) = (settings.counter.count(&shown), bytes.len());
        let stats = Stats {
            verdict: "not_utf8",
            strategies: vec![],
            before_tokens: tokens,
            after_tokens: tokens,
            before_bytes: length,
            after_bytes: length,
            redacted: &[],
            reference: None,
        };
        if !arguments.stats {
            return Ok(output::print(&stats.document(&shown).to_string())?);
        }
        print(&stats, arguments.json);
    }
    Ok(output::write_bytes(bytes)?)
}

fn stats<'a>(text: &str, compressed: &'a Compressed, settings: &Settings) -> Stats<'a> {
    let applied = compressed.steps.iter().filter(|step| step.is_applied());
    let (before_tokens, after_tokens) = compressed.tokens(text, settings.counter);
    Stats {
        verdict: compressed.verdict.name(),
        strategies: applied.map(|step| step.stage).collect(),
        before_tokens,
        after_tokens,
        before_bytes: text.len(),
        after_bytes: compressed.text(text).len(),
        redacted: &compressed.redacted,
        reference: compressed.original.as_ref().map(|original| original.reference.to_string()),
    }
}

impl Stats<'_> {
    /// The figures, and what they are about.
    fn document(&self, text: &str) -> serde_json::Value {
        let mut document = serde_json::json!(self);
        document["text"] = text.into();
        document
    }
}

fn print(stats: &Stats<'_>, as_json: bool) {
    if as_json {
        output::tell(&serde_json::json!(stats).to_string());
        return;
    }
    let (before, after) = (stats.before_tokens, stats.after_tokens);
    let saved = 100.0 * (before as f64 - after as f64) / before.max(1) as f64;
    let (before, after) = (group_digits(before), group_digits(after));
    output::tell(&format!("{before} -> {after} tokens, {saved:.1} % saved ({})", stats.verdict));
    if !stats.strategies.is_empty() {
        output::tell(&format!("by {}", stats.strategies.join(", ")));
    }
    if !stats.redacted.is_empty() {
        output::tell(&format!("removed secrets: {}", stats.redacted.join(", ")));
    }
}
