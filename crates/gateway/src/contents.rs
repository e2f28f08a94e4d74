//! Recent contents: texts of the latest tool results, in a bounded buffer in memory that evicts the oldest, for the operator
//! to see what the model saw. Without secrets, and nowhere else.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_conversation::report::ResultFigures;
use tokenforge_engine::{CompressedOutput, StageStep, Verdict};
use tokenforge_redact::Scanner;

/// What a text takes up beside its bytes.
const OVERHEAD: usize = 1024;

/// A text takes a half of the room at most.
const LARGEST_PART: usize = 2;

/// The texts that are kept.
pub(crate) struct RecentContents {
    /// How many bytes may be kept; 0: nothing is.
    bound: AtomicUsize,
    kept: Mutex<ContentQueue>,
}

#[derive(Default)]
struct ContentQueue {
    latest_last: VecDeque<Arc<ResultContent>>,
    bytes: usize,
}

/// A tool result as it came, without its secrets, and as it went on.
#[derive(Debug)]
pub(crate) struct ResultContent {
    pub(crate) id: String,
    pub(crate) tool: Box<str>,
    pub(crate) verdict: Verdict,
    pub(crate) original: String,
    /// What went on; `None`: the original.
    pub(crate) forwarded: Option<String>,
    pub(crate) steps: Vec<StageStep>,
    pub(crate) redacted: Vec<&'static str>,
}

impl RecentContents {
    pub(crate) fn new(bound: usize) -> Self {
        RecentContents { bound: AtomicUsize::new(bound), kept: Mutex::default() }
    }

    /// From now on so many bytes may be kept.
    pub(crate) fn allow(&self, bound: usize) {
        self.bound.store(bound, Ordering::Relaxed);
        self.with_queue(|kept| kept.shrink(bound));
    }

    pub(crate) fn are_allowed(&self) -> bool {
        self.bound() > 0
    }

    pub(crate) fn bound(&self) -> usize {
        self.bound.load(Ordering::Relaxed)
    }

    /// May a text of so many bytes be kept? One that takes all the room would drive out all others.
    pub(crate) fn have_room_for(&self, bytes: usize) -> bool {
        bytes < self.bound() / LARGEST_PART
    }

    /// Keeps a text for as long as there is room.
    pub(crate) fn keep(&self, content: ResultContent) {
        if !self.have_room_for(content.original.len()) {
            return;
        }
        self.with_queue(|kept| {
            kept.bytes += content.size();
            kept.latest_last.push_back(Arc::new(content));
            kept.shrink(self.bound());
        });
    }

    /// The latest text with this id.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<ResultContent>> {
        self.with_queue(|kept| kept.latest_last.iter().rev().find(|kept| kept.id == id).cloned())
    }

    /// How many texts are kept, and how many bytes they take.
    pub(crate) fn size(&self) -> (usize, usize) {
        self.with_queue(|kept| (kept.latest_last.len(), kept.bytes))
    }

    fn with_queue<T>(&self, each: impl FnOnce(&mut ContentQueue) -> T) -> T {
        each(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ContentQueue {
    fn shrink(&mut self, bound: usize) {
        while self.bytes > bound {
            let Some(oldest) = self.latest_last.pop_front() else { return };
            self.bytes -= oldest.size();
        }
    }
}

impl ResultContent {
    pub(crate) fn new(
        original: &str,
        compressed: &CompressedOutput,
        figures: &ResultFigures,
    ) -> Self {
        ResultContent {
            id: content_id(figures),
            tool: figures.tool.clone(),
            verdict: figures.verdict,
            original: without_secrets(original),
            forwarded: compressed.replacement.as_deref().map(without_secrets),
            steps: compressed.steps.clone(),
            redacted: compressed.redacted.clone(),
        }
    }

    fn size(&self) -> usize {
        self.original.len() + self.forwarded.as_ref().map_or(0, String::len) + OVERHEAD
    }
}

/// Redacts secrets, also in a mode or with settings that forward them as they are, because no reader of the dashboard
/// needs to see them.
fn without_secrets(text: &str) -> String {
    Scanner::builtin().redact(text).map_or_else(|| text.to_owned(), |redacted| redacted.text)
}

/// What an event and the text that it tells of have in common.
pub(crate) fn content_id(figures: &ResultFigures) -> String {
    format!("{:016x}{:016x}", figures.original_fingerprint, figures.compressed_fingerprint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(id: &str, bytes: usize) -> ResultContent {
        ResultContent {
            id: id.to_owned(),
            tool: "Bash".into(),
            verdict: Verdict::Replaced,
            original: "x".repeat(bytes),
            forwarded: None,
            steps: Vec::new(),
            redacted: Vec::new(),
        }
    }

    #[test]
    fn the_oldest_go_when_there_is_no_room() {
        let contents = RecentContents::new(3 * (OVERHEAD + 100));
        for id in ["a", "b", "c", "d"] {
            contents.keep(content(id, 100));
        }
        assert_eq!(contents.size(), (3, 3 * (OVERHEAD + 100)));
        assert!(contents.find("a").is_none() && contents.find("b").is_some());
        contents.keep(content("large", 1 << 20));
        assert_eq!(contents.size().0, 3, "a content that is too large evicts no other");
    }

    #[test]
    fn what_is_no_longer_allowed_is_gone() {
        let contents = RecentContents::new(1 << 20);
        contents.keep(content("a", 100));
        assert!(contents.are_allowed() && contents.find("a").is_some());
        contents.allow(0);
        assert!(!contents.are_allowed() && contents.find("a").is_none());
        assert_eq!(contents.size(), (0, 0));
    }
}
