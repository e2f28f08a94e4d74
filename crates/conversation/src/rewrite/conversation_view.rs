//! The model's view of a conversation: what was forwarded so far, read only when a new result may point to it.

use crate::memo::{ConversationKey, ForwardedHistories, HistoryKey, MemoEntry};
use std::borrow::Cow;
use std::sync::Arc;
use tokenforge_engine::{History, ToolCall};
use tokenforge_providers::{ResultShape, ToolResult, unescape};

/// The results so far, as they are forwarded.
pub(super) struct ConversationView<'r> {
    /// What earlier turns left.
    histories: &'r ForwardedHistories,
    history: History,
    /// What the history holds, once it was asked for.
    key: Option<HistoryKey>,
    /// Texts that no lookup has needed yet, and all that was seen with them.
    waiting: Vec<UnreadText<'r>>,
    latest: HistoryKey,
}

struct UnreadText<'r> {
    result: &'r ToolResult,
    entry: Arc<MemoEntry>,
    key: HistoryKey,
}

impl<'r> ConversationView<'r> {
    /// Of a conversation with so many results.
    pub(super) fn new(histories: &'r ForwardedHistories, count: usize) -> Self {
        let (waiting, latest) = (Vec::with_capacity(count), HistoryKey::default());
        ConversationView { histories, history: History::default(), key: None, waiting, latest }
    }

    /// This became of the result at the end of a conversation.
    pub(super) fn add(
        &mut self,
        result: &'r ToolResult,
        conversation: ConversationKey,
        entry: Arc<MemoEntry>,
    ) {
        self.latest = self.latest.and(conversation, &entry);
        self.waiting.push(UnreadText { result, entry, key: self.latest });
    }

    /// What was shown before a result. The texts of one result are one, and none of them is before the others.
    pub(super) fn before(&mut self, result: &ToolResult, body: &[u8]) -> &History {
        let ready = self.waiting.partition_point(|text| text.result.number < result.number);
        // Asked for every text of a result, it is something to do for the first alone: what waits is not moved in vain.
        if ready > 0 || self.key.is_none() {
            let ready = self.take_up(ready);
            let before = self.waiting.drain(..ready);
            for texts in before.as_slice().chunk_by(|a, b| a.result.number == b.result.number) {
                let (Some(first), Some(last)) = (texts.first(), texts.last()) else { continue };
                let view: Vec<Cow<'_, str>> =
                    texts.iter().map(|text| text.forwarded_text(body)).collect();
                let (id, tool) = (first.result.id(body), first.result.tool(body));
                let arguments = first.result.arguments.as_ref();
                let arguments = arguments.and_then(|found| found.text(body)).unwrap_or_default();
                let call = ToolCall { id: id.as_deref(), tool: &tool, arguments: &arguments };
                self.history.add(&call, &view.join("\n"));
                self.key = Some(last.key);
            }
        }
        &self.history
    }

    /// Goes on from the longest part of the conversation that an earlier turn left, of these first texts that wait. How
    /// many of them still do.
    fn take_up(&mut self, ready: usize) -> usize {
        if self.key.is_some() {
            return ready;
        }
        self.key = Some(HistoryKey::default());
        let mut next = None;
        for at in (0..ready).rev() {
            let UnreadText { key, result, .. } = self.waiting[at];
            // Half of a result's texts are another result.
            let is_last = next.replace(result.number) != Some(result.number);
            if is_last && let Some(history) = self.histories.take(key) {
                self.history = history;
                self.key = Some(key);
                self.waiting.drain(..=at);
                return ready - at - 1;
            }
        }
        ready
    }

    /// Leaves what was seen for the next turn.
    pub(super) fn keep_for_next_turn(self) {
        if let Some(key) = self.key.filter(|key| *key != HistoryKey::default()) {
            self.histories.keep(key, self.history);
        }
    }
}

impl UnreadText<'_> {
    /// What the model sees of the result.
    fn forwarded_text<'t>(&'t self, body: &'t [u8]) -> Cow<'t, str> {
        let text = match &self.entry.replacement {
            Some(replacement) => text_of(replacement, self.result.shape),
            None => self.result.text(body),
        };
        text.unwrap_or_default()
    }
}

/// The text of a replacement that is written as JSON already.
fn text_of(replacement: &str, shape: ResultShape) -> Option<Cow<'_, str>> {
    let escaped = match shape {
        ResultShape::Text => replacement,
        ResultShape::Value | ResultShape::JsonBlock { .. } => {
            let string = replacement.strip_prefix("\"text\":").unwrap_or(replacement);
            string.strip_prefix('"')?.strip_suffix('"')?
        }
    };
    unescape(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memo::{ForwardedResult, Memo};
    use crate::report::ResultFigures;
    use tokenforge_providers::{Dialect, Request};

    #[test]
    fn d64_what_waits_is_not_moved_for_every_text_of_a_result() {
        const PARTS: usize = 900;
        let part = |n: usize| format!(r#"{{"type":"text","text":"part {n}"}}"#);
        let parts: Vec<String> = (0..PARTS).map(part).collect();
        let body = format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":[{}]}}]}}]}}"#,
            parts.join(",")
        );
        let request = Request::read(body.as_bytes(), Dialect::Anthropic).unwrap();
        assert_eq!(request.results.len(), PARTS);
        let memo = Memo::default();
        let mut view = ConversationView::new(&memo.histories, PARTS);
        let (place, mut conversation) = (view.waiting.as_ptr(), memo.begin("us", 0));
        for result in &request.results {
            view.before(result, body.as_bytes());
            assert_eq!((view.waiting.as_ptr(), view.waiting.capacity()), (place, PARTS));
            conversation = memo.next(conversation, result, body.as_bytes(), None);
            let figures = Arc::new(ResultFigures::untouched("Bash", None));
            let entry = memo.keep(
                conversation,
                result,
                body.as_bytes(),
                ForwardedResult::untouched(figures),
            );
            view.add(result, conversation, entry);
        }
        assert_eq!(view.waiting.len(), PARTS);
    }
}
