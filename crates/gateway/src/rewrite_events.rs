//! Events of the conversation core: told to the telemetry, and to the buffer of texts that the operator may look at.

use crate::contents::{RecentContents, ResultContent};
use crate::telemetry::Telemetry;
use std::sync::Arc;
use tokenforge_conversation::Events;
use tokenforge_conversation::report::ResultFigures;
use tokenforge_engine::CompressedOutput;
use tokenforge_engine::prompt::PromptOutcome;
use tokenforge_store::StoreError;

/// Tells the gateway what happens while requests are rewritten.
pub(crate) struct RewriteEvents {
    pub(crate) telemetry: Arc<Telemetry>,
    pub(crate) contents: Arc<RecentContents>,
}

impl Events for RewriteEvents {
    fn wants_tools(&self) -> bool {
        self.telemetry.has_ledger()
    }

    fn wants_texts(&self, bytes: usize) -> bool {
        self.contents.have_room_for(bytes)
    }

    fn texts(&self, original: &str, compressed: &CompressedOutput, figures: &ResultFigures) {
        self.contents.keep(ResultContent::new(original, compressed, figures));
    }

    fn prompt_converted(&self, outcome: &PromptOutcome, is_logged: bool) {
        self.telemetry.count_prompt(outcome, is_logged);
    }

    fn deadline_passed(&self) {
        self.telemetry.deadline_passed();
    }

    fn original_not_kept(&self, error: &StoreError) {
        self.telemetry.original_not_kept(error);
    }

    fn nothing_left_out(&self, error: &StoreError) {
        self.telemetry.nothing_left_out(error);
    }

    fn earlier_result_not_kept(&self, error: &StoreError) {
        self.telemetry.earlier_result_not_kept(error);
    }

    fn key_missing(&self, error: &StoreError) {
        self.telemetry.key_missing(error);
    }

    fn expansion_answered(&self, tokens: Option<usize>) {
        self.telemetry.count_expansion(tokens);
    }

    fn cache_evicted(&self) {
        self.telemetry.counters.cache_evictions.add(1);
    }
}
