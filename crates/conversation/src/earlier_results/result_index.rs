//! The index of a conversation: which calls it made, and under which reference the result of each is kept.

use super::KeptConversation;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Display;
use tokenforge_engine::reference::Reference;
use tokenforge_store::{EntryKind, Store, StoreError};

/// How many entries of an index are read, the latest: one for each request that brought a result.
const MOST_ENTRIES: usize = 2_000;

/// Behind the number that is recorded so many more are looked for: two processes may have added at once.
const LOOKAHEAD: usize = 16;

/// How much of the arguments is shown.
const SHOWN_ARGUMENTS: usize = 160;

/// A result that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EarlierResult {
    /// The id of its call.
    pub(crate) call: String,
    pub(crate) tool: String,
    /// The beginning of the arguments, without their secrets.
    pub(crate) arguments: String,
    pub(crate) lines: usize,
    #[serde(with = "reference_text")]
    pub(crate) reference: Reference,
}

impl EarlierResult {
    /// The beginning of arguments, on one line.
    pub(crate) fn shorten_arguments(arguments: &str) -> String {
        let end = arguments.floor_char_boundary(SHOWN_ARGUMENTS);
        let shown = arguments.get(..end).unwrap_or_default().replace(char::is_control, " ");
        if end < arguments.len() { shown + "…" } else { shown }
    }

    /// What tells the model which result it is.
    pub(super) fn heading(&self) -> String {
        let EarlierResult { tool, arguments, lines, reference, .. } = self;
        format!("[{reference}: {tool} {arguments}, {lines} lines]")
    }
}

/// The results of a conversation, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct IndexedResults {
    results: Vec<EarlierResult>,
    known: HashSet<(String, Reference)>,
    /// The number of the next entry.
    next: usize,
}

impl IndexedResults {
    pub(super) fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    pub(super) fn has(&self, result: &EarlierResult) -> bool {
        self.known.contains(&(result.call.clone(), result.reference))
    }

    fn add(&mut self, results: Vec<EarlierResult>) {
        for result in results {
            if self.known.insert((result.call.clone(), result.reference)) {
                self.results.push(result);
            }
        }
    }

    pub(super) fn into_latest_first(self) -> Vec<EarlierResult> {
        let mut results = self.results;
        results.reverse();
        results
    }
}

/// The index of one conversation, as the store has it.
pub(super) struct ResultIndex<'s> {
    pub(super) store: &'s dyn Store,
    pub(super) conversation: &'s KeptConversation,
}

impl ResultIndex<'_> {
    fn id(&self, part: impl Display) -> String {
        format!("earlier-{}-{part}", self.conversation.id())
    }

    /// All that is there. An entry that made room for others, or cannot be read, is missing.
    pub(super) fn read(&self) -> Result<IndexedResults, StoreError> {
        let owner = self.conversation.owner();
        let next = self.store.get(EntryKind::Kept, owner, &self.id("next"))?;
        let next = next.and_then(|bytes| str::from_utf8(&bytes).ok()?.parse().ok());
        let end = usize::saturating_add(next.unwrap_or(0), LOOKAHEAD);
        let first = end.saturating_sub(MOST_ENTRIES);
        let ids: Vec<String> = (first..end).map(|number| self.id(number)).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut indexed = IndexedResults { next: first, ..IndexedResults::default() };
        let entries = self.store.get_all(EntryKind::Kept, owner, &ids)?;
        for (number, entry) in (first..).zip(entries) {
            let Some(bytes) = entry else { continue };
            indexed.next = number + 1;
            indexed.add(serde_json::from_slice(&bytes).unwrap_or_default());
        }
        Ok(indexed)
    }

    /// Adds results under the first unused number.
    pub(super) fn append(
        &self,
        indexed: &mut IndexedResults,
        results: Vec<EarlierResult>,
    ) -> Result<(), StoreError> {
        let owner = self.conversation.owner();
        let bytes = serde_json::to_vec(&results).unwrap_or_default();
        loop {
            let id = self.id(indexed.next);
            let others = self.store.put_if_absent(EntryKind::Kept, owner, &id, &bytes)?;
            indexed.next += 1;
            let Some(others) = others else { break };
            indexed.add(serde_json::from_slice(&others).unwrap_or_default());
        }
        indexed.add(results);
        let next = indexed.next.to_string();
        self.store.put(EntryKind::Kept, owner, &self.id("next"), next.as_bytes())
    }
}

/// A reference as it is shown.
mod reference_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use tokenforge_engine::reference::Reference;

    pub(super) fn serialize<S: Serializer>(
        reference: &Reference,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(reference)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Reference, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
