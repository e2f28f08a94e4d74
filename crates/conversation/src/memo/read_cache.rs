//! Read cache: conversations as they were read last, so that the next turn is read from where they ended. Bounded in
//! bytes; eviction is `quick_cache`'s, close to LRU.

use super::{EvictionCounter, MemoEntry, SpanHits};
use crate::cache_hasher::CacheHasher;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::{Arc, Weak};
use tokenforge_providers::{ConversationTurns, Request};

/// Conversations are found by so many of their first bytes, and shorter ones are not kept.
pub(super) const HEAD: usize = 128;

/// Conversations by a hash of how they begin: the latest of those that begin alike.
pub(crate) struct ReadCache {
    conversations:
        Cache<u64, Arc<ReadConversation>, ConversationWeight, CacheHasher, EvictionCounter>,
    /// How many bytes they take at most.
    bytes: u64,
}

/// A conversation that was read.
pub(super) struct ReadConversation {
    pub(super) turns: ConversationTurns,
    /// Its bytes, but for those of the texts.
    around: Vec<u8>,
    /// Long texts of results, and where in the conversation they stand.
    texts: Vec<(usize, Weak<MemoEntry>)>,
}

impl ReadCache {
    pub(super) fn new(bytes: u64, evictions: &EvictionCounter) -> Self {
        let hasher = CacheHasher::default();
        ReadCache {
            conversations: Cache::with(100, bytes, ConversationWeight, hasher, evictions.clone()),
            bytes,
        }
    }

    /// Is there room for a body, but for these texts in it?
    pub(super) fn has_room_for(&self, body: &[u8], found: &SpanHits) -> bool {
        let texts: usize = found.iter().map(|(_, entry)| entry.raw.len()).sum();
        body.len().saturating_sub(texts) as u64 <= self.bytes
    }

    pub(super) fn find(&self, key: u64) -> Option<Arc<ReadConversation>> {
        self.conversations.get(&key)
    }

    pub(super) fn keep(&self, key: u64, conversation: ReadConversation) {
        self.conversations.insert(key, Arc::new(conversation));
    }
}

impl ReadConversation {
    /// The turns of a body in which these texts are, and their bytes. Nothing if all of them were known.
    pub(super) fn of<'b>(
        request: &Request<'_>,
        body: &'b [u8],
        found: &SpanHits,
    ) -> Option<(&'b [u8], Self)> {
        let (place, turns) = request.turns()?;
        let list = body.get(place.clone())?;
        let bytes: usize = found.iter().map(|(_, entry)| entry.raw.len()).sum();
        let mut around = Vec::with_capacity(list.len().saturating_sub(bytes));
        let mut texts = Vec::with_capacity(found.len());
        let mut end = 0;
        for (at, entry) in found {
            let start = at.checked_sub(place.start)?;
            around.extend_from_slice(list.get(end..start)?);
            texts.push((start, Arc::downgrade(entry)));
            end = start + entry.raw.len();
        }
        around.extend_from_slice(list.get(end..)?);
        Some((list, ReadConversation { turns, around, texts }))
    }

    /// How many bytes of a list, from its start, are the same as they were, and the texts among them.
    pub(super) fn common_prefix(&self, list: &[u8]) -> (usize, SpanHits) {
        let (mut end, mut around) = (0, &*self.around);
        let mut found = SpanHits::with_capacity(self.texts.len());
        let rest = |from: usize| list.get(from..).unwrap_or_default();
        for (start, text) in &self.texts {
            let Some((before, behind)) = around.split_at_checked(start - end) else { break };
            let shared = shared_bytes(before, rest(end));
            let entry = text.upgrade().filter(|entry| entry.raw.begins(rest(*start)));
            let (Some(entry), true) = (entry, shared == before.len()) else {
                return (end + shared, found);
            };
            (end, around) = (start + entry.raw.len(), behind);
            found.push((*start, entry));
        }
        (end + shared_bytes(around, rest(end)), found)
    }
}

/// How many bytes two texts begin with alike.
fn shared_bytes(one: &[u8], other: &[u8]) -> usize {
    if other.starts_with(one) {
        return one.len();
    }
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[derive(Clone)]
struct ConversationWeight;

impl Weighter<u64, Arc<ReadConversation>> for ConversationWeight {
    fn weight(&self, _: &u64, conversation: &Arc<ReadConversation>) -> u64 {
        let texts = size_of_val(&*conversation.texts);
        (size_of::<ReadConversation>()
            + 128
            + conversation.turns.size()
            + conversation.around.len()
            + texts) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ConversationOwner, Memo};
    use super::*;
    use crate::memo::ForwardedResult;
    use crate::report::ResultFigures;
    use tokenforge_providers::{Dialect, MessageTexts as ReplyRewriter};

    const US: ConversationOwner<'_> =
        ConversationOwner { tenant: "us", dialect: Dialect::OpenAiChat, session: Some("s") };

    fn is_long(number: usize) -> bool {
        !number.is_multiple_of(3)
    }

    /// A conversation with long results and short ones, of which the last has this member, too.
    fn body(model: &str, results: usize, last: &str) -> String {
        let turn = |number: usize| {
            let line = format!("line of result {number}\\n");
            let text = line.repeat(if is_long(number) { 100 } else { 1 });
            let last = if number + 1 == results { last } else { "" };
            format!(
                r#",{{"role":"assistant","tool_calls":[{{"id":"c{number}","function":{{"name":"ls","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c{number}","content":"{text}"{last}}}"#
            )
        };
        let turns: String = (0..results).map(turn).collect();
        let ask = "Find out why the nightly import fails. ".repeat(4);
        format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":"{ask}"}}{turns}]}}"#)
    }

    /// Reads a body and learns what is in it; which of its results were known, and whether all of its turns were.
    fn read(memo: &Memo, owner: ConversationOwner<'_>, body: &str) -> (Vec<bool>, bool) {
        let body = body.as_bytes();
        let texts = memo.known_spans(owner, SpanHits::new());
        let request =
            Request::read_again(body, owner.dialect, ReplyRewriter::Unwanted, &texts).unwrap();
        let plainly = Request::read(body, owner.dialect).unwrap();
        assert_eq!(request.results, plainly.results);
        assert_eq!((&request.calls, &request.answers), (&plainly.calls, &plainly.answers));
        let mut chain = memo.begin(owner.tenant, 0);
        let mut known = Vec::new();
        for result in &request.results {
            known.push(texts.at(&result.span).is_some());
            chain = memo.next(chain, result, body, None);
            if !known[known.len() - 1] {
                let figures = Arc::new(ResultFigures::untouched("ls", None));
                let forwarded = ForwardedResult::untouched(figures);
                texts.learn(&memo.keep(chain, result, body, forwarded), result, body);
            }
        }
        let is_known = request.turns().is_none();
        texts.learn_turns(&request, body);
        (known, is_known)
    }

    #[test]
    fn l5_a_conversation_that_goes_on_is_read_from_where_it_ended() {
        let memo = Memo::default();
        let (first, longer) = (body("m", 5, ""), body("another model", 8, ""));
        assert_eq!(read(&memo, US, &first), (vec![false; 5], false));
        let are_long = |count| (0..count).map(is_long).collect::<Vec<bool>>();
        assert_eq!(read(&memo, US, &first), (are_long(5), true));
        let of_first = are_long(5).into_iter().chain([false; 3]).collect();
        assert_eq!(read(&memo, US, &longer), (of_first, false));
        assert_eq!(read(&memo, US, &longer), (are_long(8), true));
        assert_eq!(read(&memo, US, &first), (are_long(5), true), "someone went back");
    }

    #[test]
    fn l5_what_a_client_says_of_the_latest_turn_does_not_hide_those_before_it() {
        let memo = Memo::default();
        let marked = |results| body("m", results, r#","cache_control":{"type":"ephemeral"}"#);
        read(&memo, US, &marked(6));
        let (_, conversation) = memo.read_cache.conversations.iter().next().unwrap();
        let longer = marked(7);
        let list = &longer[longer.find('[').unwrap()..];
        let (same, found) = conversation.common_prefix(list.as_bytes());
        assert_eq!(found.len(), 4);
        assert!(list[..same].ends_with("line of result 5\\n\""), "all but the mark behind it");
        let end = conversation.turns.end_within(same, list.as_bytes()).unwrap();
        let next = r#",{"role":"assistant","tool_calls":[{"id":"c5""#;
        assert!(list[end..].starts_with(next), "the end of a short turn is not kept");
    }

    #[test]
    fn l5_a_conversation_is_known_to_its_owner_only() {
        let memo = Memo::default();
        let body = body("m", 5, "");
        read(&memo, US, &body);
        for other in [
            ConversationOwner { tenant: "them", ..US },
            ConversationOwner { dialect: Dialect::Ollama, ..US },
            ConversationOwner { session: None, ..US },
        ] {
            assert!(!read(&memo, other, &body).1, "{other:?}");
        }
        assert!(read(&memo, US, &body).1);
    }

    #[test]
    fn l5_texts_that_are_forgotten_are_read_again() {
        let memo = Memo::default();
        let body = body("m", 5, "");
        read(&memo, US, &body);
        memo.entries.clear();
        assert_eq!(read(&memo, US, &body), (vec![false; 5], false));
        assert!(read(&memo, US, &body).1);
    }
}
