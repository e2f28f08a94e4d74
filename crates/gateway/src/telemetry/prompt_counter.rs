//! The prompt counter: all text of every sixteenth request, counted by our vocabulary on a thread of its own, so that the
//! provider's count of it can be told from ours. A request that finds no room is not counted.

use super::background_queue::{BackgroundQueue, QueueWorker};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tokenforge_conversation::SplicedBody;
use tokenforge_providers::{Dialect, prompt_texts};
use tokenforge_tokens::{Counter, for_model};

/// One request of so many is counted: 400 KB of text take 20 ms.
const ONE_OF: u64 = 16;

/// How many may wait, each with its body.
const WAITING: usize = 8;

/// A longer request is not counted.
const LARGEST: usize = 2 << 20;

/// The count of a request, once it is made.
pub(crate) type PromptCount = Arc<OnceLock<u64>>;

/// Counts the text of some requests.
pub(super) struct PromptCounter {
    requests: AtomicU64,
    queue: BackgroundQueue<CountedPrompt>,
}

struct CountedPrompt {
    body: SplicedBody,
    dialect: Dialect,
    counter: Counter,
    count: PromptCount,
}

impl PromptCounter {
    pub(super) fn start() -> Self {
        let queue = BackgroundQueue::start(WAITING, CountingThread);
        PromptCounter { requests: AtomicU64::new(0), queue }
    }

    /// Has a request counted as it goes on, if it is its turn: the first, and every sixteenth after it.
    pub(super) fn offer(
        &self,
        body: &SplicedBody,
        dialect: Dialect,
        model: &str,
    ) -> Option<PromptCount> {
        let turn = self.requests.fetch_add(1, Ordering::Relaxed);
        if !turn.is_multiple_of(ONE_OF) || body.length() > LARGEST {
            return None;
        }
        let count = PromptCount::default();
        let counter = for_model(model).vocabulary.into();
        let prompt = CountedPrompt { body: body.clone(), dialect, counter, count: count.clone() };
        self.queue.leave(prompt).then_some(count)
    }
}

struct CountingThread;

impl QueueWorker<CountedPrompt> for CountingThread {
    fn take(&mut self, prompt: CountedPrompt) {
        let CountedPrompt { body, dialect, counter, count } = prompt;
        let body = body.to_bytes();
        let Some(texts) = prompt_texts(&body, dialect) else { return };
        let tokens: usize = texts.iter().map(|text| counter.count(text)).sum();
        // No other code sets it, so this cannot fail.
        let _ = count.set(tokens as u64);
    }
}
