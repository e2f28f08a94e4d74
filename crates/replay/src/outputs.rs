//! Measures single outputs.

use crate::corpus::{Corpus, CorpusError, RecordedOutput};
use crate::report::KindReport;
use std::time::Instant;
use tokenforge_engine::{Engine, History, Output, has_line_numbers};
use tokenforge_tokens::Counter;

/// The outputs of a corpus by kind, and once more those that are file reads with a number before every line.
///
/// # Errors
/// If a recording cannot be read.
pub fn by_kind(corpus: &Corpus) -> Result<Vec<(String, Vec<RecordedOutput>)>, CorpusError> {
    let kinds = corpus.kinds()?.into_iter();
    let mut kinds: Vec<_> = kinds
        .map(|kind| Ok((kind.clone(), corpus.outputs(&kind)?)))
        .collect::<Result<_, CorpusError>>()?;
    let reads = kinds.iter().filter(|(kind, _)| kind == "file_read").flat_map(|(_, reads)| reads);
    let numbered: Vec<_> = reads.filter(|read| has_line_numbers(&read.content)).cloned().collect();
    if !numbered.is_empty() {
        kinds.push(("file_read, numbered".to_owned(), numbered));
    }
    Ok(kinds)
}

/// What the engine makes of the outputs of one kind.
#[must_use]
pub fn measure(outputs: &[RecordedOutput], engine: &Engine<'_>, counter: Counter) -> KindReport {
    let mut kind = KindReport::default();
    let (mut bytes, mut seconds) = (0, 0.0);
    for recording in outputs {
        let arguments = arguments(recording);
        let output = Output {
            text: &recording.content,
            tool: recording.tool.as_deref().unwrap_or_default(),
            arguments: &arguments,
            call: None,
            is_error: false,
        };
        let start = Instant::now();
        let compressed = engine.compress(&output, &History::default());
        seconds += start.elapsed().as_secs_f64();
        bytes += recording.content.len();
        let tokens =
            (counter.count(&recording.content), counter.count(compressed.text(&recording.content)));
        kind.outputs += 1;
        kind.tokens_in += tokens.0;
        kind.tokens_out += tokens.1;
        kind.larger += usize::from(tokens.1 > tokens.0);
        kind.roundtrip_failures += usize::from(!restores(&output, engine));
    }
    kind.mb_per_s = bytes as f64 / 1e6 / seconds.max(f64::MIN_POSITIVE);
    kind
}

/// Does the text of every lossless stage decode to what it was made from?
fn restores(output: &Output<'_>, engine: &Engine<'_>) -> bool {
    let traced = engine.with_trace().compress(output, &History::default());
    traced.steps.iter().all(|step| step.restores() != Some(false))
}

/// The arguments of the call: recorded as such, or as the command line of a shell.
#[must_use]
pub fn arguments(recording: &RecordedOutput) -> String {
    let command = recording.command.as_deref().unwrap_or_default();
    if command.starts_with('{') {
        return command.to_owned();
    }
    serde_json::json!({ "command": command }).to_string()
}
