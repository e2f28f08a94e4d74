//! Deferred calls: calls of our tool that came together with the client's own.
//!
//! The client gets and answers its own calls; ours are answered at once and kept under the ids of their siblings. When
//! a request brings the siblings' answers, ours are put beside them, so that the model finds every call it made with an
//! answer, and finds the same in every later turn.
//!
//! Where the provider must see its own reply unaltered, calls that came alone are kept too: under the seal of what the model
//! thought before them, or, where the provider keeps the conversation, under the id of the reply that the client has.

mod conversation_hash;

use crate::expand::RequestOriginals;
use crate::original_store::OriginalStore;
use crate::pending_account::PendingAccount;
use conversation_hash::ConversationHash;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;
use tokenforge_providers::{
    DeferredCall, DeferredCalls, Dialect, ExpandAnswer, HiddenTurn, InternalCall, NameRef,
    ReplyContinuation, Request, Splice, ToolExchange, put_back, quoted, rejoin, rejoin_answer,
};
use tokenforge_store::{EntryKind, Store};

/// About how many calls are known to have, or not to have, a sibling of ours, and how many bytes that may take: answers are
/// whole originals.
const KNOWN_CALLS: usize = 20_000;
const KNOWN_BYTES: u64 = 16 << 20;

/// Deferred calls of conversations, in the store; what is known about each, so that the store is asked once, is in an LRU
/// cache bounded in bytes.
pub(crate) struct DeferredCallStore {
    known: Cache<Sibling, Option<Arc<StoredTurn>>, TurnWeight>,
    store: Arc<dyn Store>,
}

/// A request whose conversation may have deferred calls.
pub(crate) struct RequestConversation<'c> {
    pub(crate) tenant: &'c Arc<str>,
    pub(crate) dialect: Dialect,
    pub(crate) body: &'c [u8],
    pub(crate) request: &'c Request<'c>,
}

#[derive(Clone)]
struct TurnWeight;

impl Weighter<Sibling, Option<Arc<StoredTurn>>> for TurnWeight {
    fn weight(&self, (_, name): &Sibling, turn: &Option<Arc<StoredTurn>>) -> u64 {
        (name.len() + turn.as_ref().map_or(0, |turn| turn.size()) + 128) as u64
    }
}

/// A call of a tenant.
type Sibling = (Arc<str>, Box<str>);

/// A [`Sibling`] that is looked for.
#[derive(Hash)]
struct SiblingRef<'n>(&'n str, &'n str);

impl Equivalent<Sibling> for SiblingRef<'_> {
    fn equivalent(&self, (tenant, sibling): &Sibling) -> bool {
        *self.0 == **tenant && *self.1 == **sibling
    }
}

/// Calls of ours with their answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredTurn {
    siblings: Vec<String>,
    calls: Vec<StoredCall>,
    /// The conversation before them, where the siblings have no ids.
    past: Option<String>,
    /// Of calls that came alone: how many elements of their reply the client has behind the thought they are kept under.
    #[serde(default)]
    behind: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredCall {
    id: String,
    call: String,
    siblings_before: usize,
    answer: String,
    is_error: bool,
}

impl DeferredCallStore {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        DeferredCallStore {
            known: Cache::with_weighter(KNOWN_CALLS, KNOWN_BYTES, TurnWeight),
            store,
        }
    }

    /// Answers the calls and keeps them for the next request. Blocks.
    pub(crate) fn remember(
        &self,
        store: &OriginalStore,
        originals: &RequestOriginals,
        deferred: &DeferredCalls,
        account: &mut PendingAccount,
    ) {
        let stored = |call: &DeferredCall| {
            let asked = InternalCall { id: call.id.clone(), arguments: call.arguments.clone() };
            let (ExpandAnswer { text: answer, is_error }, fetched) =
                originals.answer(store, &asked);
            account.add_fetched(fetched);
            let DeferredCall { id, call, siblings_before, .. } = call.clone();
            StoredCall { id, call, siblings_before, answer, is_error }
        };
        let has_ids = originals.dialect.keeps_call_ids()
            && deferred.calls.iter().all(|call| !call.id.is_empty());
        let past = match has_ids {
            true => None,
            false => ConversationHash::of_body(&originals.body, originals.dialect),
        };
        if !has_ids && past.is_none() {
            return;
        }
        let calls = deferred.calls.iter().map(stored).collect();
        let turn = StoredTurn { siblings: deferred.siblings.clone(), calls, past, behind: 0 };
        let past = turn.past.as_deref();
        let names = turn.siblings.iter().map(|sibling| sibling_name(sibling, past)).collect();
        self.keep(&originals.tenant, names, turn);
    }

    /// Keeps calls that came alone, with their answers, where the model thought before them. Blocks.
    pub(crate) fn remember_turn(&self, turn: &HiddenTurn, answers: &[ExpandAnswer]) {
        let Some(anchor) = &turn.anchor else { return };
        let answered = turn.calls.iter().zip(&anchor.calls).zip(answers);
        let calls = answered.map(|((asked, call), ExpandAnswer { text, is_error })| StoredCall {
            id: asked.id.clone(),
            call: call.clone(),
            siblings_before: 0,
            answer: text.clone(),
            is_error: *is_error,
        });
        let (siblings, calls) = (Vec::new(), calls.collect());
        let turn = StoredTurn { siblings, calls, past: None, behind: anchor.behind };
        self.keep(ANY_TENANT, vec![thought_name(&anchor.seal)], turn);
    }

    /// From which reply a conversation goes on that the provider keeps. Known when this returns, and stored soon.
    pub(crate) fn remember_continuation(self: &Arc<Self>, goes_on: ReplyContinuation) {
        let ReplyContinuation { from, to } = goes_on;
        let turn =
            || StoredTurn { siblings: vec![to.clone()], calls: Vec::new(), past: None, behind: 0 };
        let names: Vec<String> = from.iter().map(|id| response_name(id)).collect();
        for name in &names {
            self.learn(&Arc::from(ANY_TENANT), name, Some(Arc::new(turn())));
        }
        let Ok(json) = serde_json::to_vec(&turn()) else { return };
        let me = self.clone();
        drop(tokio::task::spawn_blocking(move || {
            for name in names {
                // Another reply may have come behind this one meanwhile, and goes before it.
                let known = me.find_known(ANY_TENANT, &name).flatten();
                if known.is_none_or(|turn| turn.siblings.first() == Some(&to)) {
                    let _ = me.store.put(EntryKind::Result, ANY_TENANT, &store_id(&name), &json);
                }
            }
        }));
    }

    /// Keeps something under these names. Blocks.
    fn keep(&self, tenant: &str, names: Vec<String>, turn: StoredTurn) {
        let Ok(json) = serde_json::to_vec(&turn) else { return };
        let turn = Arc::new(turn);
        for name in names {
            // Known before it is stored: the client's next request may be here any moment.
            self.learn(&Arc::from(tenant), &name, Some(turn.clone()));
            let _ = self.store.put(EntryKind::Result, tenant, &store_id(&name), &json);
        }
    }

    /// What is kept under a name, if anything is: `None` if the store must be asked, and may not.
    fn find(
        &self,
        tenant: &Arc<str>,
        name: &str,
        may_block: bool,
    ) -> Option<Option<Arc<StoredTurn>>> {
        match self.find_known(tenant, name) {
            Some(known) => Some(known),
            None => may_block.then(|| self.ask_store(tenant, name)),
        }
    }

    fn ask_store(&self, tenant: &Arc<str>, name: &str) -> Option<Arc<StoredTurn>> {
        let stored = self.store.get(EntryKind::Result, tenant, &store_id(name)).ok()?;
        let turn = stored.and_then(|json| serde_json::from_slice(&json).ok()).map(Arc::new);
        self.learn(tenant, name, turn.clone());
        turn
    }

    fn find_known(&self, tenant: &str, name: &str) -> Option<Option<Arc<StoredTurn>>> {
        self.known.get(&SiblingRef(tenant, name))
    }

    fn learn(&self, tenant: &Arc<str>, name: &str, turn: Option<Arc<StoredTurn>>) {
        self.known.insert((tenant.clone(), name.into()), turn);
    }
}

/// What is kept under a seal or the id of a reply is no tenant's: only who has the conversation knows these, and a credential
/// that is renewed in the middle of it makes another tenant of the same user (decision 29).
const ANY_TENANT: &str = "conversations";

/// What a thought is known by. Seals may be long.
fn thought_name(seal: &str) -> String {
    format!("thought {}", blake3::hash(seal.as_bytes()).to_hex())
}

fn response_name(id: &str) -> String {
    format!("response {id}")
}

/// The store is asked about so many calls of a conversation: more than the longest has.
const MOST_CALLS: usize = 20_000;

impl DeferredCallStore {
    /// Puts the calls that were kept beside their siblings. Blocks where the store must be asked; `None`: it must be, and
    /// may not.
    pub(crate) fn rejoin(
        &self,
        conversation: &RequestConversation<'_>,
        may_block: bool,
    ) -> Option<Vec<Splice<'static>>> {
        let RequestConversation { tenant, dialect, body, request } = *conversation;
        let mut splices = Vec::new();
        let mut joined: Vec<Arc<StoredTurn>> = Vec::new();
        let mut past = ConversationHash::of(request, body);
        for call in request.calls.iter().take(MOST_CALLS) {
            let place = call.element.as_ref().map_or(0, |element| element.start);
            let sibling = match &call.id {
                Some(id) if dialect.keeps_call_ids() => Some(id.text(body)),
                _ => past.as_mut().and_then(|past| past.until(place)).and_then(|past| {
                    let key = call.key(body)?;
                    Some(sibling_name(&key, Some(&past)).into())
                }),
            };
            let Some(sibling) = sibling else { continue };
            let Some(turn) = self.find(tenant, &sibling, may_block)? else { continue };
            let is_same = |other: &Arc<StoredTurn>| {
                other.siblings == turn.siblings && other.past == turn.past
            };
            if joined.iter().any(is_same) {
                continue;
            }
            let from = past.as_ref().map_or(0, |past| past.end);
            for exchange in turn.exchanges(from) {
                splices.extend(rejoin(body, dialect, request, &exchange).into_iter().flatten());
            }
            joined.push(turn);
        }
        splices.extend(self.put_back_turns(conversation, may_block)?);
        splices.extend(self.continue_stored(conversation, may_block)?);
        Some(splices)
    }

    /// Puts calls that came alone back behind what the model thought before them: `None` as [`rejoin`](Self::rejoin).
    fn put_back_turns(
        &self,
        conversation: &RequestConversation<'_>,
        may_block: bool,
    ) -> Option<Vec<Splice<'static>>> {
        let RequestConversation { dialect, body, request, .. } = *conversation;
        let tenant = Arc::from(ANY_TENANT);
        let mut splices = Vec::new();
        let mut seen = HashSet::new();
        for thought in request.thoughts.iter().take(MOST_CALLS) {
            let name = thought_name(&thought.seal.text(body));
            let Some(turn) = self.find(&tenant, &name, may_block)? else { continue };
            if seen.insert(name) {
                let exchanges: Vec<_> = turn.exchanges(0).collect();
                splices.extend(put_back(body, dialect, request, thought, turn.behind, &exchanges));
            }
        }
        Some(splices)
    }

    /// A conversation that the provider keeps goes on from the reply that has the answers to our calls, and gets those
    /// that it has not: `None` as [`rejoin`](Self::rejoin).
    pub(crate) fn continue_stored(
        &self,
        conversation: &RequestConversation<'_>,
        may_block: bool,
    ) -> Option<Vec<Splice<'static>>> {
        let RequestConversation { tenant, dialect, body, request } = *conversation;
        let mut splices = Vec::new();
        if !request.head.has_previous_response {
            return Some(splices);
        }
        if let Some(NameRef::At(span)) = &request.head.previous_response {
            let id = NameRef::At(span.clone()).text(body).into_owned();
            let turn = self.find(&Arc::from(ANY_TENANT), &response_name(&id), may_block)?;
            if let Some(to) = turn.as_ref().and_then(|turn| turn.siblings.first()) {
                let quoted = quoted(to);
                let range = span.start - 1..span.end + 1;
                splices.push(Splice { range, with: quoted.into() });
            }
        }
        let mut seen: HashSet<Vec<String>> = HashSet::new();
        let alone = request.answers.iter().filter(|answer| answer.call.is_none());
        for answer in alone.take(MOST_CALLS) {
            let Some(call_id) = answer.call_id.as_ref().map(|id| id.text(body)) else { continue };
            let Some(turn) = self.find(tenant, &call_id, may_block)? else { continue };
            if seen.insert(turn.siblings.clone()) {
                let rejoined = |exchange| rejoin_answer(body, dialect, request, answer, &exchange);
                splices.extend(turn.exchanges(0).filter_map(rejoined));
            }
        }
        Some(splices)
    }
}

impl StoredTurn {
    /// About how many bytes it takes. Where calls have no ids, siblings are as long as their arguments.
    fn size(&self) -> usize {
        let of_call = |call: &StoredCall| call.id.len() + call.call.len() + call.answer.len() + 128;
        let calls: usize = self.calls.iter().map(of_call).sum();
        let siblings: usize = self.siblings.iter().map(|sibling| sibling.len() + 24).sum();
        calls + siblings + self.past.as_ref().map_or(0, String::len)
    }

    /// The calls with their answers, in a turn that may begin there.
    fn exchanges(&self, from: usize) -> impl Iterator<Item = ToolExchange<'_>> {
        self.calls.iter().map(move |stored| ToolExchange {
            siblings: &self.siblings,
            siblings_before: stored.siblings_before,
            from,
            call: &stored.call,
            id: &stored.id,
            answer: &stored.answer,
            is_error: stored.is_error,
        })
    }
}

fn store_id(name: &str) -> String {
    format!("beside_{}", blake3::hash(name.as_bytes()).to_hex())
}

/// What a sibling is known by: its id, or its key and what came before it.
fn sibling_name(sibling: &str, past: Option<&str>) -> String {
    past.map_or_else(|| sibling.to_owned(), |past| format!("{sibling} after {past}"))
}
