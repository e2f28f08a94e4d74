//! What a replacement saves, in figures.

use crate::report::{ResultFigures, TextSize};
use memchr::memchr_iter;
use tokenforge_engine::context::CallContext;
use tokenforge_engine::{CompressedOutput, Output, StageStep, recorded_stage};
use tokenforge_redact::Scanner;
use tokenforge_tokens::Counter;
use xxhash_rust::xxh3::xxh3_64;

/// The figures of an output and what became of it.
pub(crate) fn result_figures(
    output: &Output<'_>,
    compressed: &CompressedOutput,
    counter: Counter,
) -> ResultFigures {
    let forwarded = compressed.text(output.text);
    let has = |name: &str| {
        let is_it = |step: &StageStep| step.is_applied() && recorded_stage(step.stage) == name;
        compressed.steps.iter().any(is_it)
    };
    let arguments = Scanner::builtin().redact(output.arguments);
    let arguments = arguments.as_ref().map_or(output.arguments, |redacted| &redacted.text);
    let tokens = compressed.tokens(output.text, counter);
    let before = size(output.text, tokens.0);
    ResultFigures {
        tool: output.tool.into(),
        call: output.call.map(Into::into),
        verdict: compressed.verdict,
        stages: compressed.steps.iter().filter(|step| step.is_applied()).map(name).collect(),
        family: family(output),
        before,
        after: if compressed.replacement.is_some() { size(forwarded, tokens.1) } else { before },
        original_fingerprint: xxh3_64(output.text.as_bytes()),
        compressed_fingerprint: xxh3_64(forwarded.as_bytes()),
        arguments_fingerprint: xxh3_64(arguments.as_bytes()),
        redacted: compressed.redacted.clone(),
        is_capped: has("cap"),
        is_pointer: has("earlier_results"),
        dictionary: if has("dictionary") { dictionary(forwarded) } else { None },
        strategy: None,
        strategy_refusal: None,
        strategy_error: None,
    }
}

fn name(step: &StageStep) -> &'static str {
    step.stage
}

fn size(text: &str, tokens: usize) -> TextSize {
    TextSize { tokens, bytes: text.len(), characters: text.chars().count(), lines: lines(text) }
}

/// As `text.lines().count()`, at memory speed.
fn lines(text: &str) -> usize {
    let ends = memchr_iter(b'\n', text.as_bytes()).count();
    ends + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The program that a shell ran.
fn family(output: &Output<'_>) -> Option<String> {
    let context = CallContext::new(output.tool, output.arguments, output.is_error);
    let command = context.command.as_ref()?.main()?;
    Some(command.command.program.to_string())
}

fn dictionary(text: &str) -> Option<&'static str> {
    let headers = [("[Forge LZW Dictionary]", "lzw"), ("[Forge RePair Dictionary]", "repair")];
    headers.into_iter().find(|(header, _)| text.contains(header)).map(|(_, method)| method)
}
