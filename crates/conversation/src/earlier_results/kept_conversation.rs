//! The name of a conversation whose results are kept: what stays the same when its client clears results, and what no other
//! conversation has.

use std::sync::Arc;
use tokenforge_providers::Request;

/// Ids of calls that are shorter are numbered, not drawn: two conversations may have the same.
const SHORTEST_DRAWN_ID: usize = 12;

/// A conversation whose results are kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeptConversation {
    owner: Arc<str>,
    id: String,
}

impl KeptConversation {
    /// That of a request: by the session that its headers name, which outlives a summary of the history, else by its first
    /// call, which outlives that results are cleared. Session names in the body do not count: `prompt_cache_key` and
    /// `user_id` are often the same for many conversations, and one must not be shown what another has seen.
    pub(crate) fn of(
        owner: Arc<str>,
        session: Option<&str>,
        request: &Request<'_>,
        body: &[u8],
    ) -> Option<Self> {
        let parts = match session {
            Some(session) => ["session".to_owned(), session.to_owned(), String::new()],
            None => {
                let first = request.results.first()?;
                let call = first.id(body).filter(|id| id.len() >= SHORTEST_DRAWN_ID)?;
                let arguments = first.arguments.as_ref().and_then(|found| found.text(body));
                [
                    call.into_owned(),
                    first.tool(body).into_owned(),
                    arguments.unwrap_or_default().into_owned(),
                ]
            }
        };
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let hash = hasher.finalize().to_hex();
        Some(KeptConversation { owner, id: hash.chars().take(32).collect() })
    }

    /// Whose it is.
    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    /// What it is called in the store.
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}
