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
use crate::report::FetchedBack;
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
pub struct DeferredCallStore {
    known: Cache<Sibling, KnownTurn, TurnWeight>,
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

impl Weighter<Sibling, KnownTurn> for TurnWeight {
    fn weight(&self, (_, name): &Sibling, turn: &KnownTurn) -> u64 {
        let turn = match turn {
            KnownTurn::Kept(turn) => turn.size(),
            KnownTurn::Nothing => 0,
        };
        (name.len() + turn + 128) as u64
    }
}

/// What is known of a name.
#[derive(Clone)]
enum KnownTurn {
    /// This is kept under it.
    Kept(Arc<StoredTurn>),
    /// Nothing is.
    Nothing,
}

impl KnownTurn {
    fn kept(self) -> Option<Arc<StoredTurn>> {
        match self {
            KnownTurn::Kept(turn) => Some(turn),
            KnownTurn::Nothing => None,
        }
    }
}

impl From<Option<Arc<StoredTurn>>> for KnownTurn {
    fn from(turn: Option<Arc<StoredTurn>>) -> Self {
        turn.map_or(KnownTurn::Nothing, KnownTurn::Kept)
    }
}

/// Where turns are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnSource {
    /// In what this process knows.
    Memory,
    /// In the store too, which blocks.
    Store,
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

    /// Answers the calls and keeps them for the next request. Tells what the model fetched back with them. Blocks.
    pub fn remember(
        &self,
        store: &OriginalStore,
        originals: &RequestOriginals,
        deferred: &DeferredCalls,
    ) -> Vec<FetchedBack> {
        let mut all_fetched = Vec::new();
        let stored = |call: &DeferredCall| {
            let asked = InternalCall { id: call.id.clone(), arguments: call.arguments.clone() };
            let (ExpandAnswer { text: answer, is_error }, fetched) =
                originals.answer(store, &asked);
            all_fetched.extend(fetched);
            let DeferredCall { id, call, siblings_before, .. } = call.clone();
            StoredCall { id, call, siblings_before, answer, is_error }
        };
        let has_ids = originals.dialect.keeps_call_ids()
            && deferred.calls.iter().all(|call| !call.id.is_empty());
        let past = if has_ids {
            None
        } else {
            ConversationHash::of_body(&originals.body, originals.dialect)
        };
        if !has_ids && past.is_none() {
            return Vec::new();
        }
        let calls = deferred.calls.iter().map(stored).collect();
        let turn = StoredTurn { siblings: deferred.siblings.clone(), calls, past, behind: 0 };
        let past = turn.past.as_deref();
        let names = turn.siblings.iter().map(|sibling| sibling_name(sibling, past)).collect();
        self.keep(&originals.tenant, names, turn);
        all_fetched
    }

    /// Keeps calls that came alone, with their answers, where the model thought before them. Blocks.
    pub fn remember_turn(&self, turn: &HiddenTurn, answers: &[ExpandAnswer]) {
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

    /// Learns from which reply a conversation goes on that the provider keeps. Known when this returns; what this gives back
    /// is to be [stored](Self::store_continuation) soon.
    #[must_use = "another process does not know it before it is stored"]
    pub fn learn_continuation(&self, goes_on: ReplyContinuation) -> KnownContinuation {
        let ReplyContinuation { from, to } = goes_on;
        let names: Vec<String> = from.iter().map(|id| response_name(id)).collect();
        let turn = Arc::new(StoredTurn::reply(&to));
        for name in &names {
            self.learn(&Arc::from(ANY_TENANT), name, KnownTurn::Kept(turn.clone()));
        }
        KnownContinuation { names, to }
    }

    /// Stores from which reply a conversation goes on. Blocks.
    pub fn store_continuation(&self, known: KnownContinuation) {
        let KnownContinuation { names, to } = known;
        let Ok(json) = serde_json::to_vec(&StoredTurn::reply(&to)) else { return };
        for name in names {
            // Another reply may have come behind this one meanwhile, and goes before it.
            let known = self.find_known(ANY_TENANT, &name).and_then(KnownTurn::kept);
            if known.is_none_or(|turn| turn.siblings.first() == Some(&to)) {
                let _ = self.store.put(EntryKind::Result, ANY_TENANT, &store_id(&name), &json);
            }
        }
    }

    /// Keeps something under these names. Blocks.
    fn keep(&self, tenant: &str, names: Vec<String>, turn: StoredTurn) {
        let Ok(json) = serde_json::to_vec(&turn) else { return };
        let turn = Arc::new(turn);
        for name in names {
            // Known before it is stored: the client's next request may be here any moment.
            self.learn(&Arc::from(tenant), &name, KnownTurn::Kept(turn.clone()));
            let _ = self.store.put(EntryKind::Result, tenant, &store_id(&name), &json);
        }
    }

    /// What is kept under a name. `None`: only the store knows, and it is not asked.
    fn find(&self, tenant: &Arc<str>, name: &str, source: TurnSource) -> Option<KnownTurn> {
        match (self.find_known(tenant, name), source) {
            (None, TurnSource::Store) => Some(self.ask_store(tenant, name)),
            (known, _) => known,
        }
    }

    fn ask_store(&self, tenant: &Arc<str>, name: &str) -> KnownTurn {
        let Ok(stored) = self.store.get(EntryKind::Result, tenant, &store_id(name)) else {
            return KnownTurn::Nothing;
        };
        let turn = stored.and_then(|json| serde_json::from_slice(&json).ok()).map(Arc::new);
        let turn = KnownTurn::from(turn);
        self.learn(tenant, name, turn.clone());
        turn
    }

    fn find_known(&self, tenant: &str, name: &str) -> Option<KnownTurn> {
        self.known.get(&SiblingRef(tenant, name))
    }

    fn learn(&self, tenant: &Arc<str>, name: &str, turn: KnownTurn) {
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
    /// Puts the calls that were kept beside their siblings. `None`: only the store knows which there are, and it is not
    /// asked.
    pub(crate) fn rejoin(
        &self,
        conversation: &RequestConversation<'_>,
        source: TurnSource,
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
            let KnownTurn::Kept(turn) = self.find(tenant, &sibling, source)? else { continue };
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
        splices.extend(self.put_back_turns(conversation, source)?);
        splices.extend(self.continue_stored(conversation, source)?);
        Some(splices)
    }

    /// Puts calls that came alone back behind what the model thought before them: `None` as [`rejoin`](Self::rejoin).
    fn put_back_turns(
        &self,
        conversation: &RequestConversation<'_>,
        source: TurnSource,
    ) -> Option<Vec<Splice<'static>>> {
        let RequestConversation { dialect, body, request, .. } = *conversation;
        let tenant = Arc::from(ANY_TENANT);
        let mut splices = Vec::new();
        let mut seen = HashSet::new();
        for thought in request.thoughts.iter().take(MOST_CALLS) {
            let name = thought_name(&thought.seal.text(body));
            let KnownTurn::Kept(turn) = self.find(&tenant, &name, source)? else { continue };
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
        source: TurnSource,
    ) -> Option<Vec<Splice<'static>>> {
        let RequestConversation { tenant, dialect, body, request } = *conversation;
        let mut splices = Vec::new();
        if !request.head.has_previous_response {
            return Some(splices);
        }
        if let Some(NameRef::At(span)) = &request.head.previous_response {
            let id = NameRef::At(span.clone()).text(body).into_owned();
            let turn = self.find(&Arc::from(ANY_TENANT), &response_name(&id), source)?;
            if let KnownTurn::Kept(turn) = turn
                && let Some(to) = turn.siblings.first()
            {
                let quoted = quoted(to);
                let range = span.start - 1..span.end + 1;
                splices.push(Splice { range, with: quoted.into() });
            }
        }
        let mut seen: HashSet<Vec<String>> = HashSet::new();
        let alone = request.answers.iter().filter(|answer| answer.call.is_none());
        for answer in alone.take(MOST_CALLS) {
            let Some(call_id) = answer.call_id.as_ref().map(|id| id.text(body)) else { continue };
            let KnownTurn::Kept(turn) = self.find(tenant, &call_id, source)? else { continue };
            if seen.insert(turn.siblings.clone()) {
                let rejoined = |exchange| rejoin_answer(body, dialect, request, answer, &exchange);
                splices.extend(turn.exchanges(0).filter_map(rejoined));
            }
        }
        Some(splices)
    }
}

/// From which reply a conversation goes on, as this process knows it.
#[derive(Debug)]
pub struct KnownContinuation {
    /// The replies before it.
    names: Vec<String>,
    to: String,
}

impl StoredTurn {
    /// A reply from which a conversation goes on.
    fn reply(id: &str) -> Self {
        StoredTurn { siblings: vec![id.to_owned()], calls: Vec::new(), past: None, behind: 0 }
    }

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
