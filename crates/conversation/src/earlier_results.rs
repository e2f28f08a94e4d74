//! Earlier results: the tool results of a conversation, kept so that the model can search and fetch what its client has
//! cleared from the history since (`store.keep: all`).
//!
//! Clients cut the history to fit the context window: old results are cleared one by one, or everything is replaced with a
//! summary. What stood there is in no later request, so a reference into the request cannot bring it back. With this every
//! result is kept when it is first seen, without its secrets, and the tool that expands references also takes the id of the
//! call that made it, or searches everything that the conversation has seen.
//!
//! | in the store, as [`EntryKind::Kept`] | what |
//! |---|---|
//! | `shadow_…` | a result |
//! | `earlier-ID-N` | what one request added: call, tool, arguments, and under which reference the result is |
//! | `earlier-ID-next` | about how many of those there are |
//!
//! The index has an entry for each request and not one that grows: two replicas, or two subagents at once, would each write
//! over what the other added.

mod kept_conversation;
mod result_index;

pub use kept_conversation::KeptConversation;
pub(crate) use result_index::EarlierResult;

use quick_cache::sync::Cache;
use result_index::{IndexedResults, ResultIndex};
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_engine::expansion::{Grep, Selection, select};
use tokenforge_store::{EntryKind, Store, StoreError};

/// How many conversations a process remembers the index of.
const KNOWN_CONVERSATIONS: usize = 1_000;

/// A shorter result is not kept: its client gains nothing by clearing it.
pub(crate) const FEWEST_BYTES: usize = 200;

/// The most bytes that one search reads, the latest results first.
const MOST_SEARCHED: usize = 16 << 20;

/// About how many bytes a search or a list answers with, and how many of them one result may take.
const MOST_SHOWN: usize = 16 << 10;
const MOST_SHOWN_OF_ONE: usize = 4 << 10;

/// Results of conversations, in the store.
pub(crate) struct EarlierResults {
    store: Arc<dyn Store>,
    known: Cache<KeptConversation, Arc<Mutex<IndexedResults>>>,
}

impl EarlierResults {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        EarlierResults { store, known: Cache::new(KNOWN_CONVERSATIONS) }
    }

    /// Keeps results, each with its text, unless they are kept already. Blocks.
    pub(crate) fn keep(
        &self,
        conversation: &KeptConversation,
        results: &[(EarlierResult, String)],
    ) -> Result<(), StoreError> {
        let index = ResultIndex { store: &*self.store, conversation };
        let known = self.known.get(conversation).unwrap_or_default();
        let mut indexed = known.lock().unwrap_or_else(PoisonError::into_inner);
        if indexed.is_empty() {
            *indexed = index.read()?;
            self.known.insert(conversation.clone(), known.clone());
        }
        let fresh: Vec<_> = results.iter().filter(|(result, _)| !indexed.has(result)).collect();
        if fresh.is_empty() {
            return Ok(());
        }
        let named: Vec<(String, &str)> =
            fresh.iter().map(|(result, text)| (result.reference.to_string(), &**text)).collect();
        let texts: Vec<(&str, &[u8])> =
            named.iter().map(|(id, text)| (&**id, text.as_bytes())).collect();
        self.store.put_all(EntryKind::Kept, conversation.owner(), &texts)?;
        index.append(&mut indexed, fresh.iter().map(|(result, _)| result.clone()).collect())
    }

    /// The result under a reference, or of the call of this id. Blocks.
    pub(crate) fn find(&self, conversation: &KeptConversation, id: &str) -> Option<String> {
        let id = id.trim();
        let reference = match crate::reference_id::parse_reference(id) {
            Some(reference) => reference,
            None => {
                self.latest_first(conversation).ok()?.iter().find(|it| it.call == id)?.reference
            }
        };
        self.text(conversation, &reference.to_string())
    }

    /// The lines of all results that match, the latest result first. Blocks.
    pub(crate) fn search(
        &self,
        conversation: &KeptConversation,
        grep: &str,
    ) -> Result<String, String> {
        let grep: Grep = grep.into();
        let results = self.latest_first(conversation).map_err(|error| error.to_string())?;
        let (mut shown, mut read, mut searched) = (String::new(), 0, 0);
        for result in &results {
            if read > MOST_SEARCHED || shown.len() > MOST_SHOWN {
                break;
            }
            searched += 1;
            let Some(text) = self.text(conversation, &result.reference.to_string()) else {
                continue;
            };
            read += text.len();
            let selection = Selection {
                grep: Some(grep.clone()),
                max_bytes: MOST_SHOWN_OF_ONE,
                ..Selection::default()
            };
            let found = select(&text, &selection)
                .map_err(|error| format!("Call again with other arguments: {error}."))?;
            if !found.starts_with("[Forge no match") {
                shown += &format!("{}\n{}\n", result.heading(), found.trim_end_matches('\n'));
            }
        }
        if shown.is_empty() {
            shown = format!("[Forge no match in {searched} earlier results]");
        } else if searched < results.len() {
            shown += &format!(
                "[Forge searched the latest {searched} of {} results; a narrower grep reaches further back]",
                results.len()
            );
        }
        Ok(shown)
    }

    /// What there is, the latest first. Blocks.
    pub(crate) fn list(&self, conversation: &KeptConversation) -> Result<String, String> {
        let results = self.latest_first(conversation).map_err(|error| error.to_string())?;
        let mut shown = String::new();
        for (index, result) in results.iter().enumerate() {
            if shown.len() > MOST_SHOWN {
                shown += &format!(
                    "[Forge cut here; {} older results: grep finds them]",
                    results.len() - index
                );
                break;
            }
            shown += &format!("{}\n", result.heading());
        }
        if shown.is_empty() {
            return Err("No earlier result of this conversation is kept.".to_owned());
        }
        Ok(shown)
    }

    fn latest_first(
        &self,
        conversation: &KeptConversation,
    ) -> Result<Vec<EarlierResult>, StoreError> {
        let index = ResultIndex { store: &*self.store, conversation };
        Ok(index.read()?.into_latest_first())
    }

    fn text(&self, conversation: &KeptConversation, id: &str) -> Option<String> {
        let bytes = self.store.get(EntryKind::Kept, conversation.owner(), id).ok()??;
        String::from_utf8(bytes).ok()
    }
}
