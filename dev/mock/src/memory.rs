//! What the mock must remember of its replies, since no id can carry it.

use crate::answer::Usage;
use crate::prompt_cache::PromptCache;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was answered so far.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Calls with ids that the mock did not make are refused too.
    pub(crate) only_own_ids: std::sync::atomic::AtomicBool,
    /// The stored responses of the Responses API, with the calls that each left open.
    responses: Mutex<HashMap<String, Vec<String>>>,
    /// Its conversations.
    conversations: Mutex<HashMap<String, Conversation>>,
    /// Replies in which the model thought, as lists of what seals their blocks, by each seal.
    sealed: Mutex<HashMap<String, Vec<Vec<String>>>>,
    /// Its prompt cache, if it has one.
    pub(crate) prompt_cache: Mutex<Option<PromptCache>>,
}

/// A conversation that the provider keeps: whatever is said in it is added to it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Conversation {
    /// The calls that have no output yet.
    pub(crate) open_calls: Vec<String>,
    /// The ids of its items.
    pub(crate) items: HashSet<String>,
}

impl Memory {
    /// Remembers a response that a later request may go on from.
    pub(crate) fn store(&self, response: &str, open_calls: Vec<String>) {
        lock(&self.responses).insert(response.to_owned(), open_calls);
    }

    /// The calls that a stored response left open; nothing if no such response was stored.
    pub(crate) fn open_calls(&self, response: &str) -> Option<Vec<String>> {
        lock(&self.responses).get(response).cloned()
    }

    /// Adds to a conversation: the calls that are open now, and items by their ids.
    pub(crate) fn add(&self, conversation: &str, open: Vec<String>, items: Vec<String>) {
        let mut conversations = lock(&self.conversations);
        let kept = conversations.entry(conversation.to_owned()).or_default();
        kept.open_calls = open;
        kept.items.extend(items);
    }

    /// A conversation; an empty one if nothing was said in it.
    pub(crate) fn conversation(&self, id: &str) -> Conversation {
        lock(&self.conversations).get(id).cloned().unwrap_or_default()
    }

    /// Remembers a reply in which the model thought, by what seals its blocks.
    pub(crate) fn seal(&self, reply: Vec<String>) {
        let mut sealed = lock(&self.sealed);
        for seal in &reply {
            sealed.entry(seal.clone()).or_default().push(reply.clone());
        }
    }

    /// The replies with a block that has this seal.
    pub(crate) fn sealed(&self, seal: &str) -> Vec<Vec<String>> {
        lock(&self.sealed).get(seal).cloned().unwrap_or_default()
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
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
