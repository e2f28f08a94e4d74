//! Rewritten tool results: what stands in the place of each, and what is told of it.

use super::RewriteInput;
use super::plan::RewritePlan;
use crate::memo::{ConversationKey, Memo, MemoEntry};
use crate::report::{RequestReport, ResultReport};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use tokenforge_engine::Engine;
use tokenforge_engine::reference::Reference;
use tokenforge_providers::ToolResult;

/// A conversation up to a result, and what became of that.
pub(super) type ResultHit = (ConversationKey, Arc<MemoEntry>);

/// What was made of the tool results of a body.
#[derive(Debug, Default)]
pub(super) struct RewrittenResults {
    /// What stands in which place, as JSON.
    pub(super) replaced: Vec<(Range<usize>, Arc<str>)>,
    /// Which results the references stand for.
    pub(super) originals: HashMap<Reference, usize>,
}

impl RewrittenResults {
    /// For so many results, here and in the report.
    pub(super) fn with_capacity(count: usize, report: &mut RequestReport) -> Self {
        report.results.reserve(count);
        RewrittenResults { replaced: Vec::with_capacity(count), originals: HashMap::new() }
    }

    /// Adds what became of the result with this index.
    pub(super) fn add(
        &mut self,
        index: usize,
        result: &ToolResult,
        done: &ResultOutcome,
        report: &mut RequestReport,
    ) {
        if let Some(reference) = done.entry.original {
            self.originals.insert(reference, index);
        }
        report.results.push(done.report());
        if let Some(replacement) = &done.entry.replacement {
            self.replaced.push((result.place(), replacement.clone()));
        }
    }
}

/// What became of one result.
pub(super) struct ResultOutcome {
    pub(super) entry: Arc<MemoEntry>,
    pub(super) is_repeated: bool,
    pub(super) memo_reused: bool,
    pub(super) memo_changed: bool,
    pub(super) deduped: bool,
}

impl ResultOutcome {
    pub(super) fn from_memo(entry: Arc<MemoEntry>) -> Self {
        ResultOutcome {
            entry,
            is_repeated: true,
            memo_reused: false,
            memo_changed: false,
            deduped: false,
        }
    }

    fn report(&self) -> ResultReport {
        ResultReport {
            is_repeated: self.is_repeated,
            memo_reused: self.memo_reused,
            memo_changed: self.memo_changed,
            deduped: self.deduped || self.entry.figures.is_pointer,
            figures: self.entry.figures.clone(),
        }
    }
}

/// A walk through the results of a conversation, which is another one after each.
pub(super) struct ResultWalk<'w> {
    memo: &'w Memo,
    plan: &'w RewritePlan<'w>,
    body: &'w [u8],
    conversation: ConversationKey,
}

impl<'w> ResultWalk<'w> {
    pub(super) fn begin(
        input: &'w RewriteInput,
        plan: &'w RewritePlan<'w>,
        engine: &Engine<'_>,
    ) -> Self {
        let (memo, body) = (&input.shared.memo, &*input.body);
        let settings = input.fingerprint(engine, plan.is_observed, plan.is_kept);
        // What a session makes of a result is for that session alone.
        let has_session = plan.options.compression.session_id.is_some();
        let settings = settings.wrapping_add(u64::from(has_session));
        let conversation = memo.begin(&input.sender.tenant, settings);
        ResultWalk { memo, plan, body, conversation }
    }

    /// The conversation with the result of this index, of which the text may be that of an entry.
    pub(super) fn next(
        &mut self,
        index: usize,
        result: &ToolResult,
        same: Option<&MemoEntry>,
    ) -> ConversationKey {
        let next = self.memo.next(self.conversation, result, self.body, same);
        let is_left_out = self.plan.left_out.contains(index);
        self.conversation = if is_left_out { next.without_last() } else { next };
        self.conversation
    }

    /// The conversation that was reached before.
    pub(super) fn go_on_from(&mut self, reached: ConversationKey) {
        self.conversation = reached;
    }

    pub(super) fn conversation(&self) -> ConversationKey {
        self.conversation
    }
}
