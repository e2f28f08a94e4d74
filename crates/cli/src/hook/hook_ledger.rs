//! The ledger as hooks write it: what became of results, numbers and names, never a text.

use super::hook_engine::HookResult;
use super::question::HookQuestion;
use crate::ledger;
use std::path::Path;
use tokenforge_config::LedgerSettings;
use tokenforge_engine::Output;
use tokenforge_engine::context::CallContext;
use tokenforge_ledger::{BoundedName, EntrySource, LedgerEntry, ResultOutcome};
use tokenforge_tokens::Counter;

/// How many bytes have about a token, where it is not worth it to count.
const BYTES_OF_A_TOKEN: usize = 4;

/// The ledger, as hooks write it.
pub(super) struct HookLedger {
    settings: LedgerSettings,
    counter: Counter,
    /// Is what stays as it is not counted?
    estimates: bool,
}

impl HookLedger {
    pub(super) fn new(settings: &LedgerSettings, counter: Counter) -> Self {
        HookLedger { settings: settings.clone(), counter, estimates: false }
    }

    /// For who counts only if something is made smaller by it.
    pub(super) fn estimating(self) -> Self {
        HookLedger { estimates: true, ..self }
    }

    /// The outcome of one text, of which an agent that cut it would show `shown` bytes. `None`: no ledger is kept.
    pub(super) fn outcome(
        &self,
        output: &Output<'_>,
        shown: Option<usize>,
        result: &HookResult,
    ) -> Option<ResultOutcome> {
        if !self.settings.enabled {
            return None;
        }
        let end = output.text.floor_char_boundary(shown.unwrap_or(usize::MAX));
        let text = &output.text[..end];
        let stages = result.stages.iter().copied();
        let context = CallContext::new(output.tool, output.arguments, output.is_error);
        if context.is_expansion() {
            let tokens = self.counter.count(text) as u64;
            return Some(ResultOutcome::of_expansion(output.tool, stages, tokens));
        }
        let (before, after) = match (&result.text, result.tokens) {
            (Some(_), Some(tokens)) if shown.is_none() => tokens,
            (Some(new), _) if !result.stages.is_empty() => {
                (self.counter.count(text), self.counter.count(new))
            }
            _ => {
                let tokens = self.tokens(text);
                (tokens, tokens)
            }
        };
        let program = context.command.as_ref().and_then(|command| command.main());
        let program = program.and_then(|main| BoundedName::of_program(&main.command.program));
        let fresh = ResultOutcome::fresh(output.tool, stages, before as u64, after as u64);
        Some(ResultOutcome { program, ..fresh })
    }

    /// Writes down what became of the texts of a result. A ledger that cannot be written is no reason to stop.
    pub(super) fn write(&self, question: &HookQuestion, outcomes: Vec<Option<ResultOutcome>>) {
        if outcomes.is_empty() {
            return;
        }
        let Some(mut ledger) = ledger::open(&self.settings) else { return };
        let mut entry = LedgerEntry::new(EntrySource::Hook, ledger::now());
        entry.client = (!question.client.is_empty()).then(|| question.client.as_str().into());
        // Only the name of the folder is recorded, because the path of a project is private.
        let project = question.project.as_deref().map(Path::new).and_then(Path::file_name);
        entry.project = project.and_then(|name| name.to_str()).map(Into::into);
        entry.session = question.session.as_deref().map(BoundedName::of_session);
        outcomes.into_iter().flatten().for_each(|outcome| entry.add(outcome));
        let _ = ledger.append(&entry);
    }

    fn tokens(&self, text: &str) -> usize {
        if self.estimates { text.len() / BYTES_OF_A_TOKEN } else { self.counter.count(text) }
    }
}
