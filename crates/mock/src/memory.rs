//! What the mock must remember of its replies, since no id can carry it.

use crate::answer::Usage;
use crate::prompt_cache::PromptCache;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What was answered so far.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Calls with ids that the mock did not make are refused too.
    pub(crate) only_own_ids: std::sync::atomic::AtomicBool,
    /// The stored responses of the Responses API, with the calls that each left open.
    responses: Mutex<HashMap<String, Vec<String>>>,
    /// Its prompt cache, if it has one.
    pub(crate) prompt_cache: Mutex<Option<PromptCache>>,
}

impl Memory {
    /// Remembers a response that a later request may go on from.
    pub(crate) fn store(&self, response: &str, open_calls: Vec<String>) {
        self.lock().insert(response.to_owned(), open_calls);
    }

    /// The calls that a stored response left open; nothing if no such response was stored.
    pub(crate) fn open_calls(&self, response: &str) -> Option<Vec<String>> {
        self.lock().get(response).cloned()
    }

    /// What a request is charged for: by the prompt cache if there is one.
    pub(crate) fn charged(&self, request: &Value, usage: Usage) -> Usage {
        let mut cache = self.prompt_cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.as_mut().map_or(usage, |cache| cache.charge(request, usage))
    }

    /// Whether a call with an id of another maker is refused.
    pub(crate) fn refuses_foreign_ids(&self) -> bool {
        self.only_own_ids.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.responses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
