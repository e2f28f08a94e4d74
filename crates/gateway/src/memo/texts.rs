//! Texts of results that were sent before, found by their first bytes while a body is read.
//!
//! A text that is found is compared with the body and passed: it need not be scanned, nor hashed, nor compared again.

use super::{Entry, Memo};
use std::cell::{Ref, RefCell};
use std::ops::Range;
use std::sync::Arc;
use tokenforge_dialects::{Known, Shape, ToolResult};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Shorter results are read faster than they are found.
const LONG: usize = 1024;

/// Long results are found by so many of their first bytes.
const HEAD: usize = 128;

/// Where in a body which text is.
pub(crate) type Found = Vec<(usize, Arc<Entry>)>;

/// Finds the texts of a tenant's results while a body is read.
pub(crate) struct Texts<'m> {
    memo: &'m Memo,
    tenant: u64,
    found: RefCell<Found>,
}

impl<'m> Texts<'m> {
    pub(super) fn new(memo: &'m Memo, tenant: u64, found: Found) -> Self {
        Texts { memo, tenant, found: found.into() }
    }

    pub(crate) fn into_found(self) -> Found {
        self.found.into_inner()
    }

    /// A result that `rest` starts with, if there was such a one.
    fn started_by(&self, rest: &[u8]) -> Option<Arc<Entry>> {
        let head = rest.get(..HEAD).filter(|_| rest.len() > LONG)?;
        let entry = self.memo.heads.get(&self.key(head))?.upgrade()?;
        rest.starts_with(&entry.raw).then_some(entry)
    }

    /// The entry whose text stands in this place, and is all that does: another may go on where it ends.
    pub(crate) fn at(&self, place: &Range<usize>) -> Option<Ref<'_, Entry>> {
        let entry = Ref::filter_map(self.found.borrow(), |found| {
            let index = found.binary_search_by_key(&place.start, |(at, _)| *at).ok()?;
            let (_, entry) = found.get(index)?;
            (entry.raw.len() == place.len()).then_some(&**entry)
        });
        entry.ok()
    }

    /// From now on the text of this entry is known.
    pub(crate) fn learn(&self, entry: &Arc<Entry>, result: &ToolResult<'_>) {
        if let Some(head) = entry.raw.get(..HEAD).filter(|_| entry.raw.len() >= LONG)
            && result.shape == Shape::Text
        {
            self.memo.heads.insert(self.key(head), Arc::downgrade(entry));
        }
    }

    fn key(&self, head: &[u8]) -> u64 {
        xxh3_64_with_seed(head, self.tenant)
    }
}

impl Known for Texts<'_> {
    fn length(&self, at: usize, rest: &[u8]) -> Option<usize> {
        let entry = self.started_by(rest)?;
        let length = entry.raw.len();
        self.found.borrow_mut().push((at, entry));
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Figures;
    use tokenforge_dialects::{Dialect, Request, Texts as Speech};

    fn body(text: &str) -> String {
        format!(r#"{{"messages":[{{"role":"tool","tool_call_id":"a","content":"{text}"}}]}}"#)
    }

    #[test]
    fn l5_a_text_is_known_only_to_its_tenant_and_only_if_it_ends_where_it_ended() {
        let (memo, text) = (Memo::default(), "a line of a log\\n".repeat(100));
        let first = body(&text);
        let request = Request::read(first.as_bytes(), Dialect::OpenAiChat).unwrap();
        let figures = Arc::new(Figures::untouched("bash", None));
        let (result, chain) = (&request.results[0], memo.chain("us", 0));
        let entry = memo.keep(chain, result, first.as_bytes(), None, None, figures);
        memo.texts("us", Found::new()).learn(&entry, result);

        let is_known = |tenant: &str, body: &str| {
            let texts = memo.texts(tenant, Found::new());
            let read =
                Request::read_again(body.as_bytes(), Dialect::OpenAiChat, Speech::Unwanted, &texts);
            texts.at(&read.unwrap().results[0].span).is_some()
        };
        assert!(is_known("us", &first));
        assert!(!is_known("them", &first));
        assert!(!is_known("us", &body(&format!("{text}and more"))));
        assert!(!is_known("us", &body(&text[..text.len() - 2])));
    }
}
