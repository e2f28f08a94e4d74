//! A tool result in a replay, and what became of it.

use crate::account::{ReplayAccount, ResultSums, UnchangedResult};
use crate::own_notation;
use crate::transcript::ToolResult;
use std::hash::{DefaultHasher, Hash, Hasher};
use tokenforge_engine::{CompressedOutput, Output, Verdict, old_results};
use tokenforge_tokens::Counter;

/// A result, and what became of it.
pub(super) struct HandledResult {
    /// The index of its message.
    pub(super) message: usize,
    /// Which turn of the model called for it.
    pub(super) turn: usize,
    pub(super) original: ToolResult,
    /// What is forwarded instead.
    replacement: Option<String>,
    /// Of what is forwarded.
    pub(super) fingerprint: u64,
    /// Those of the result, and those of what is forwarded.
    pub(super) tokens: (usize, usize),
    /// What each stage saved.
    pub(super) stages: Vec<(&'static str, i64)>,
    /// It goes on in other words.
    is_changed: bool,
    /// Why it was left as it is, if it was.
    kept: Option<&'static str>,
    /// Something was left out, and can be fetched back.
    pub(super) has_reference: bool,
}

impl HandledResult {
    /// A result of a message, called for in a turn.
    pub(super) fn new(
        (message, turn): (usize, usize),
        original: ToolResult,
        compressed: &CompressedOutput,
        counter: Counter,
    ) -> Self {
        let tokens = compressed.tokens(&original.text, counter);
        HandledResult {
            message,
            turn,
            replacement: compressed.replacement.clone(),
            fingerprint: fingerprint(compressed.text(&original.text)),
            tokens,
            stages: stages(compressed, tokens),
            is_changed: compressed.replacement.is_some(),
            kept: match compressed.verdict {
                Verdict::Kept(reason) => Some(reason.name()),
                _ => None,
            },
            has_reference: compressed.original.is_some(),
            original,
        }
    }

    /// What the model sees.
    pub(super) fn shown(&self) -> &str {
        self.replacement.as_ref().unwrap_or(&self.original.text)
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let ToolResult { tool, arguments, text, .. } = &self.original;
        let replacement = self.replacement.as_ref().map_or(0, String::len);
        tool.len() + arguments.len() + text.len() + replacement + size_of::<Self>()
    }

    /// The same result, of which something else was made.
    pub(super) fn again(self, compressed: &CompressedOutput, counter: Counter) -> Self {
        HandledResult::new((self.message, self.turn), self.original, compressed, counter)
    }

    /// Is it left out since it is old?
    pub(super) fn is_left_out(&self) -> bool {
        self.stages.iter().any(|(stage, _)| *stage == old_results::STAGE)
    }

    /// Adds it to an account.
    pub(super) fn tell(&self, account: &mut ReplayAccount) {
        let tool = &self.original.tool;
        account.already += usize::from(own_notation::is_in(&self.original.text));
        self.count(&mut account.results);
        self.count(account.tools.entry(tool.clone()).or_default());
        for (stage, saved) in &self.stages {
            let stage = account.stages.entry((*stage).to_owned()).or_default();
            stage.results += 1;
            stage.tokens_saved += saved;
        }
        if let Some(reason) = self.kept {
            account.keep(UnchangedResult { tokens: self.tokens.0, tool: tool.clone(), reason });
        }
    }

    fn count(&self, results: &mut ResultSums) {
        let (before, after) = self.tokens;
        results.count += 1;
        results.changed += usize::from(self.is_changed);
        results.larger += usize::from(after > before);
        results.tokens_in += before;
        results.tokens_out += after;
    }
}

#[cfg(test)]
impl HandledResult {
    /// A result for which a text is forwarded that has a reference.
    pub(super) fn example(original: ToolResult, shown: Option<&str>) -> Self {
        HandledResult {
            message: 0,
            turn: 0,
            fingerprint: 0,
            tokens: (0, 0),
            stages: Vec::new(),
            is_changed: shown.is_some(),
            kept: None,
            has_reference: shown.is_some(),
            replacement: shown.map(str::to_owned),
            original,
        }
    }
}

/// A result as the engine takes it.
pub(crate) fn output(result: &ToolResult) -> Output<'_> {
    Output {
        text: &result.text,
        tool: &result.tool,
        arguments: &result.arguments,
        call: result.call.as_deref(),
        is_error: result.is_error,
    }
}

/// Tells texts apart within one run: `DefaultHasher` may be another in the next release of Rust, so nothing is kept under it.
pub(super) fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// What each stage saved. What was not counted on the way is the doing of the stage that comes last; else it is the
/// price of the reference, or what escapes in a wrapper around the payload add to a saving.
fn stages(
    compressed: &CompressedOutput,
    (before, after): (usize, usize),
) -> Vec<(&'static str, i64)> {
    if compressed.replacement.is_none() {
        return Vec::new();
    }
    let applied = || compressed.steps.iter().filter(|step| step.is_applied());
    let mut saved: Vec<(&'static str, i64)> = Vec::new();
    for step in applied() {
        if let Some((before, after)) = step.tokens {
            saved.push((step.stage, before as i64 - after as i64));
        }
    }
    let counted: i64 = saved.iter().map(|(_, saved)| saved).sum();
    let rest = before as i64 - after as i64 - counted;
    let uncounted = applied().rfind(|step| step.tokens.is_none()).map(|step| step.stage);
    let redacted = (!compressed.redacted.is_empty()).then_some("redaction");
    match uncounted.or(redacted) {
        Some(stage) => saved.push((stage, rest)),
        None if rest < 0 => saved.push(("reference", rest)),
        None if rest > 0 => saved.push(("wrapper", rest)),
        None => {}
    }
    saved
}
