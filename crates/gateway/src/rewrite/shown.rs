//! What the model has seen of a conversation, read only when a new result may point to it.

use super::results::Recalled;
use crate::memo::{Chain, Entry, Histories, Seen};
use std::borrow::Cow;
use std::sync::Arc;
use tokenforge_compress::History;
use tokenforge_dialects::{Shape, ToolResult, unescape};

/// The results so far, as they are forwarded.
pub(super) struct Shown<'r> {
    /// What earlier turns left.
    kept: &'r Histories,
    history: History,
    /// What the history holds, once it was asked for.
    seen: Option<Seen>,
    /// Texts that nobody asked about yet, and all that was seen with them.
    waiting: Vec<Waiting<'r>>,
    latest: Seen,
}

struct Waiting<'r> {
    result: &'r ToolResult,
    chain: Chain,
    entry: Arc<Entry>,
    seen: Seen,
}

impl<'r> Shown<'r> {
    /// Of a conversation with so many results.
    pub(super) fn new(kept: &'r Histories, count: usize) -> Self {
        let (waiting, latest) = (Vec::with_capacity(count), Seen::default());
        Shown { kept, history: History::default(), seen: None, waiting, latest }
    }

    /// This became of the result at the end of a conversation.
    pub(super) fn add(&mut self, result: &'r ToolResult, chain: Chain, entry: Arc<Entry>) {
        self.latest = self.latest.and(chain, &entry);
        self.waiting.push(Waiting { result, chain, entry, seen: self.latest });
    }

    /// The results so far, of which nobody asked what was shown before them.
    pub(super) fn into_recalled(self) -> Vec<Recalled> {
        self.waiting.into_iter().map(|text| (text.chain, text.entry)).collect()
    }

    /// What was shown before a result. The texts of one result are one, and none of them is before the others.
    pub(super) fn before(&mut self, result: &ToolResult, body: &[u8]) -> &History {
        let ready = self.waiting.partition_point(|text| text.result.number < result.number);
        let rest = self.waiting.split_off(ready);
        if self.seen.is_none() {
            self.take_up();
        }
        for texts in self.waiting.chunk_by(|a, b| a.result.number == b.result.number) {
            let (Some(first), Some(last)) = (texts.first(), texts.last()) else { continue };
            let shown: Vec<Cow<'_, str>> = texts.iter().map(|text| text.forwarded(body)).collect();
            let (call, tool) = (first.result.id(body), first.result.tool(body));
            self.history.add(call.as_deref(), &tool, &shown.join("\n"));
            self.seen = Some(last.seen);
        }
        self.waiting = rest;
        &self.history
    }

    /// Goes on from the longest part of the conversation that an earlier turn left.
    fn take_up(&mut self) {
        self.seen = Some(Seen::default());
        let mut next = None;
        for at in (0..self.waiting.len()).rev() {
            let Waiting { seen, result, .. } = self.waiting[at];
            // Half of a result's texts are another result.
            let is_last = next.replace(result.number) != Some(result.number);
            if let Some(history) = is_last.then(|| self.kept.take(seen)).flatten() {
                self.history = history;
                self.seen = Some(seen);
                self.waiting.drain(..=at);
                return;
            }
        }
    }

    /// Leaves what was seen for the next turn.
    pub(super) fn leave(self) {
        if let Some(seen) = self.seen.filter(|seen| *seen != Seen::default()) {
            self.kept.keep(seen, self.history);
        }
    }
}

impl Waiting<'_> {
    /// What the model sees of the result.
    fn forwarded<'t>(&'t self, body: &'t [u8]) -> Cow<'t, str> {
        let text = match &self.entry.replacement {
            Some(replacement) => text_of(replacement, self.result.shape),
            None => self.result.text(body),
        };
        text.unwrap_or_default()
    }
}

/// The text of a replacement that is written as JSON already.
fn text_of(replacement: &str, shape: Shape) -> Option<Cow<'_, str>> {
    let escaped = match shape {
        Shape::Text => replacement,
        Shape::Value | Shape::JsonBlock { .. } => {
            let string = replacement.strip_prefix("\"text\":").unwrap_or(replacement);
            string.strip_prefix('"')?.strip_suffix('"')?
        }
    };
    unescape(escaped)
}
