//! Events: what a conversation's rewrite tells the program that asked for it. None of them decides a byte.

use crate::report::ResultFigures;
use tokenforge_engine::CompressedOutput;
use tokenforge_engine::prompt::PromptOutcome;
use tokenforge_store::StoreError;

/// Is told what happens while requests are rewritten. A program overrides what it wants to know.
pub trait Events: Send + Sync {
    /// Are the tools that a request declares to be counted?
    fn wants_tools(&self) -> bool {
        false
    }

    /// Are the texts of a result of so many bytes to be shown?
    fn wants_texts(&self, _bytes: usize) -> bool {
        false
    }

    /// A result was made: its text, without the secrets that the settings take out, and what became of it.
    fn texts(&self, _original: &str, _compressed: &CompressedOutput, _figures: &ResultFigures) {}

    /// A text of a prompt was converted, or not.
    fn prompt_converted(&self, _outcome: &PromptOutcome, _is_logged: bool) {}

    /// The stages were out of time, and the original went on: what is forwarded depended on the clock.
    fn deadline_passed(&self) {}

    /// The store did not keep an original that a later request holds.
    fn original_not_kept(&self, _error: &StoreError) {}

    /// The store did not keep an original, so nothing was left out of it.
    fn nothing_left_out(&self, _error: &StoreError) {}

    /// The store did not keep a result that the client may clear.
    fn earlier_result_not_kept(&self, _error: &StoreError) {}

    /// The store did not give the key under which references are made.
    fn key_missing(&self, _error: &StoreError) {}

    /// The model asked for what was left out: it got so many tokens, or an explanation.
    fn expansion_answered(&self, _tokens: Option<usize>) {}

    /// An entry left a cache for want of room.
    fn cache_evicted(&self) {}
}

/// No event is of interest.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl Events for NoEvents {}
