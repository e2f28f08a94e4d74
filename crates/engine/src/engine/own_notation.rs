//! Texts that contain our notation, no matter which program wrote it.
//!
//! It would be taken for content, so such a text is not compressed; and since a tool may print what we write, it is not
//! trusted either: a text that is longer than any of ours is capped as others are. What that makes is one of ours.

use super::{Engine, OutputVariant, has_left_out};
use crate::context::CallContext;
use crate::record::KeptReason;
use crate::reference::Reference;
use crate::runner::StageRun;
use crate::stages::json;
use crate::{SIGNATURE, history, stages, wrapper};
use memchr::memmem;

/// No payload of ours is longer than the cap by more: two markers, pointers, and what was not worth a marker.
const MARGIN: usize = 1024;

/// Does a text look as if we had written it?
pub(crate) fn is_marked(text: &str) -> bool {
    has_mark(text)
        || json::is_stc2(text)
        || Reference::leading(text).is_some()
        || history::is_duplicate(text)
}

/// Does a line of a text begin as ours do?
pub(crate) fn has_mark(text: &str) -> bool {
    text.starts_with(SIGNATURE) || memmem::find(text.as_bytes(), b"\n[Forge ").is_some()
}

impl Engine<'_> {
    /// A marked text that is longer than any of ours, no longer so.
    pub(super) fn cap_marked(
        &self,
        text: &str,
        context: &CallContext,
    ) -> Result<OutputVariant, KeptReason> {
        let parts = wrapper::unwrap(self.without_reference(text));
        let payloads: Vec<&str> = parts.payloads().collect();
        let runs: Vec<StageRun<'_>> =
            payloads.iter().map(|payload| self.cap_run(self.start_run(payload, context))).collect();
        if !runs.iter().any(has_left_out) {
            return Err(KeptReason::AlreadyCompressed);
        }
        let reference = self.reference(text);
        let body = parts.rewrap(&runs.iter().map(StageRun::text).collect::<Vec<_>>());
        let forwarded = self.with_reference(body.into(), reference.as_ref());
        let counter = self.settings.counter;
        let tokens = (counter.count(text), counter.count(&forwarded));
        let steps = runs.iter().flat_map(StageRun::steps).cloned().collect();
        Ok(OutputVariant { text: forwarded, tokens, weight: tokens.1, steps, reference })
    }

    /// What follows a reference that we made. Without it a client's wrapper is known again; and where the text is cut, a
    /// new reference takes its place.
    fn without_reference<'t>(&self, text: &'t str) -> &'t str {
        match (Reference::leading(text), self.vault) {
            (Some((reference, rest)), Some(vault)) if reference.verify(vault.key) => rest,
            _ => text,
        }
    }

    fn cap_run<'r>(&self, run: StageRun<'r>) -> StageRun<'r> {
        let is_over = |limit: usize| run.len() > limit.saturating_add(MARGIN);
        if self.limit(run.nature()).is_some_and(is_over) {
            self.suppress(run).through(stages::CAP)
        } else {
            run
        }
    }
}
