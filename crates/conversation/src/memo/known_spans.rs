//! EarlierReading spans: texts of results, and whole conversations, that were sent before, found by their first bytes while a body
//! is read.
//!
//! What is found is compared with the body and passed: it need not be scanned, nor hashed, nor compared again.

use super::read_cache::{self, ReadConversation};
use super::{Memo, MemoEntry};
use std::cell::{OnceCell, Ref, RefCell};
use std::ops::Range;
use std::sync::Arc;
use tokenforge_providers::{
    ConversationTurns, Dialect, EarlierReading, Request, ResultShape, ToolResult,
};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Shorter results are read faster than they are found.
const LONG: usize = 1024;

/// Long results are found by so many of their first bytes.
const HEAD: usize = 128;

/// Where in a body which text is.
pub(crate) type SpanHits = Vec<(usize, Arc<MemoEntry>)>;

/// Whose body it is, and in which words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConversationOwner<'s> {
    pub(crate) tenant: &'s str,
    pub(crate) dialect: Dialect,
    /// The client's own name for its session: of conversations that begin alike, most are of several sessions.
    pub(crate) session: Option<&'s str>,
}

/// Finds what an owner sent before while a body is read.
pub(crate) struct KnownSpans<'m> {
    memo: &'m Memo,
    tenant: u64,
    session: u64,
    found: RefCell<SpanHits>,
    /// MessageTexts that were learned since, in the order of the body. Apart from those that were found: putting each in its place
    /// among them would take time by the square of their number.
    learned: RefCell<SpanHits>,
    /// The conversation that the body goes on with.
    conversation: OnceCell<Arc<ReadConversation>>,
}

impl<'m> KnownSpans<'m> {
    pub(super) fn new(memo: &'m Memo, owner: ConversationOwner<'_>, found: SpanHits) -> Self {
        let tenant = xxh3_64_with_seed(owner.tenant.as_bytes(), memo.seed);
        let seed = tenant.wrapping_add(owner.dialect as u64);
        let session = xxh3_64_with_seed(owner.session.unwrap_or_default().as_bytes(), seed);
        let learned = RefCell::default();
        KnownSpans {
            memo,
            tenant,
            session,
            found: found.into(),
            learned,
            conversation: OnceCell::new(),
        }
    }

    pub(crate) fn into_hits(self) -> SpanHits {
        merge_hits(self.found.into_inner(), self.learned.into_inner())
    }

    /// A result that `rest` starts with, if there was such a one.
    fn started_by(&self, rest: &[u8]) -> Option<Arc<MemoEntry>> {
        let head = rest.get(..HEAD).filter(|_| rest.len() > LONG)?;
        let entry = self.memo.heads.get(&self.key(head))?.upgrade()?;
        entry.raw.begins(rest).then_some(entry)
    }

    /// The entry whose text stands in this place, and is all that does: another may go on where it ends.
    pub(crate) fn at(&self, place: &Range<usize>) -> Option<Ref<'_, MemoEntry>> {
        [&self.learned, &self.found].into_iter().find_map(|texts| {
            let entry = Ref::filter_map(texts.borrow(), |texts| {
                let index = texts.binary_search_by_key(&place.start, |(at, _)| *at).ok()?;
                let (_, entry) = texts.get(index)?;
                (entry.raw.len() == place.len()).then_some(&**entry)
            });
            entry.ok()
        })
    }

    /// From now on the text of this entry is known.
    pub(crate) fn learn(&self, entry: &Arc<MemoEntry>, result: &ToolResult, body: &[u8]) {
        let head = body.get(result.span.clone()).filter(|text| text.len() >= LONG);
        if let Some(head) = head.and_then(|text| text.get(..HEAD))
            && result.shape == ResultShape::Text
        {
            self.memo.heads.insert(self.key(head), Arc::downgrade(entry));
            let mut learned = self.learned.borrow_mut();
            let start = result.span.start;
            if learned.last().is_none_or(|(last, _)| *last < start) {
                learned.push((start, entry.clone()));
            }
        }
    }

    /// From now on the conversation is known, with all the texts that were found and learned.
    pub(crate) fn learn_turns(&self, request: &Request<'_>, body: &[u8]) {
        let known = merge_hits(self.found.take(), self.learned.take());
        self.found.replace(known);
        if !self.memo.read_cache.has_room_for(body, &self.found.borrow()) {
            return;
        }
        if let Some((list, conversation)) =
            ReadConversation::of(request, body, &self.found.borrow())
            && let Some(key) = self.conversation_key(list)
        {
            self.memo.read_cache.keep(key, conversation);
        }
    }

    fn key(&self, head: &[u8]) -> u64 {
        xxh3_64_with_seed(head, self.tenant)
    }

    fn conversation_key(&self, list: &[u8]) -> Option<u64> {
        Some(xxh3_64_with_seed(list.get(..read_cache::HEAD)?, self.session))
    }
}

/// The texts of two lists in the order of the body. Where both have one, the first was cut short, and goes on in the second.
fn merge_hits(found: SpanHits, learned: SpanHits) -> SpanHits {
    if learned.is_empty() {
        return found;
    }
    let mut merged = SpanHits::with_capacity(found.len() + learned.len());
    let mut found = found.into_iter().peekable();
    for text in learned {
        while let Some(before) = found.next_if(|(at, _)| *at < text.0) {
            merged.push(before);
        }
        found.next_if(|(at, _)| *at == text.0);
        merged.push(text);
    }
    merged.extend(found);
    merged
}

impl EarlierReading for KnownSpans<'_> {
    fn text_length(&self, at: usize, rest: &[u8]) -> Option<usize> {
        let entry = self.started_by(rest)?;
        let length = entry.raw.len();
        self.found.borrow_mut().push((at, entry));
        Some(length)
    }

    fn turns(&self, at: usize, list: &[u8]) -> Option<(&ConversationTurns, usize)> {
        let conversation = self.memo.read_cache.find(self.conversation_key(list)?)?;
        let conversation = self.conversation.get_or_init(|| conversation);
        let (same, mut found) = conversation.common_prefix(list);
        let end = conversation.turns.end_within(same, list)?;
        found.truncate(found.partition_point(|(start, _)| *start < end));
        let found = found.into_iter();
        self.found.borrow_mut().extend(found.map(|(start, entry)| (at + start, entry)));
        Some((&conversation.turns, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memo::ForwardedResult;
    use crate::memo::raw_text::HASHED;
    use crate::report::ResultFigures;
    use tokenforge_providers::MessageTexts;

    fn body(text: &str) -> String {
        format!(r#"{{"messages":[{{"role":"tool","tool_call_id":"a","content":"{text}"}}]}}"#)
    }

    fn speaker(tenant: &str) -> ConversationOwner<'_> {
        ConversationOwner { tenant, dialect: Dialect::OpenAiChat, session: None }
    }

    /// Keeps the first result of a body, as if it was sent.
    fn keep(memo: &Memo, request: &Request<'_>, body: &str) -> Arc<MemoEntry> {
        let figures = Arc::new(ResultFigures::untouched("bash", None));
        let forwarded = ForwardedResult::untouched(figures);
        memo.keep(memo.begin("us", 0), &request.results[0], body.as_bytes(), forwarded)
    }

    #[test]
    fn l5_a_text_is_known_only_to_its_tenant_and_only_if_it_ends_where_it_ended() {
        let (memo, text) = (Memo::default(), "a line of a log\\n".repeat(100));
        let first = body(&text);
        let request = Request::read(first.as_bytes(), Dialect::OpenAiChat).unwrap();
        let entry = keep(&memo, &request, &first);
        memo.known_spans(speaker("us"), SpanHits::new()).learn(
            &entry,
            &request.results[0],
            first.as_bytes(),
        );

        let is_known = |tenant: &str, body: &str| {
            let texts = memo.known_spans(speaker(tenant), SpanHits::new());
            let read = Request::read_again(
                body.as_bytes(),
                Dialect::OpenAiChat,
                MessageTexts::Unwanted,
                &texts,
            );
            texts.at(&read.unwrap().results[0].span).is_some()
        };
        assert!(is_known("us", &first));
        assert!(!is_known("them", &first));
        assert!(!is_known("us", &body(&format!("{text}and more"))));
        assert!(!is_known("us", &body(&text[..text.len() - 2])));
    }

    #[test]
    fn a_text_that_goes_on_behind_a_known_one_takes_its_place() {
        let (memo, text) = (Memo::default(), "a line of a log\\n".repeat(100));
        let [short, long] = [body(&text), body(&format!("{text}and more"))];
        let request = Request::read(short.as_bytes(), Dialect::OpenAiChat).unwrap();
        let texts = memo.known_spans(speaker("us"), SpanHits::new());
        texts.learn(&keep(&memo, &request, &short), &request.results[0], short.as_bytes());

        let texts = memo.known_spans(speaker("us"), SpanHits::new());
        let long = long.as_str();
        let request = Request::read_again(
            long.as_bytes(),
            Dialect::OpenAiChat,
            MessageTexts::Unwanted,
            &texts,
        );
        let request = request.unwrap();
        let place = &request.results[0].span;
        assert!(texts.at(place).is_none());
        texts.learn(&keep(&memo, &request, long), &request.results[0], long.as_bytes());
        assert!(texts.at(place).is_some_and(|entry| entry.raw.is(&long.as_bytes()[place.clone()])));
        assert_eq!(texts.into_hits().len(), 1);
    }

    #[test]
    fn g92_texts_with_a_known_head_hash_no_byte_beyond_their_end() {
        let (memo, head) = (Memo::default(), "the same first line\\n".repeat(8));
        let long = format!("{head}{}", r#"a \"quoted\" line\n"#.repeat(20_000));
        let first = body(&long);
        let request = Request::read(first.as_bytes(), Dialect::OpenAiChat).unwrap();
        let entry = keep(&memo, &request, &first);
        let texts = memo.known_spans(speaker("us"), SpanHits::new());
        texts.learn(&entry, &request.results[0], first.as_bytes());

        let hashed_and_found = |body: &str| {
            let texts = memo.known_spans(speaker("us"), SpanHits::new());
            HASHED.set(0);
            let read = Request::read_again(
                body.as_bytes(),
                Dialect::OpenAiChat,
                MessageTexts::Unwanted,
                &texts,
            );
            assert!(read.is_ok());
            (HASHED.get(), texts.found.borrow().len())
        };
        assert_eq!(hashed_and_found(&first), (long.len(), 1));
        let short = |call: usize| {
            format!(r#"{{"role":"tool","tool_call_id":"c{call}","content":"{head}"}},"#)
        };
        let results: String = (0..1000).map(short).collect();
        let filler = "x".repeat(2 * long.len());
        let many = format!(r#"{{"messages":[{results}{{"role":"user","content":"{filler}"}}]}}"#);
        assert_eq!(hashed_and_found(&many), (0, 0));
        let other = format!("{}??", &long[..long.len() - 2]);
        assert_eq!(hashed_and_found(&body(&format!("{other}{filler}"))), (long.len(), 0));
    }
}
