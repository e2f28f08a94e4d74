//! Calls of our tool that came together with the client's own.
//!
//! The client gets and answers its own calls; ours are answered at once and kept under the ids of their siblings. When
//! a request brings the siblings' answers, ours are put beside them, so that the model finds every call it made with an
//! answer, and finds the same in every later turn.
//!
//! Where the provider must see its own reply unaltered, calls that came alone are kept too: under the seal of what the model
//! thought before them, or, where the provider keeps the conversation, under the id of the reply that the client has.

use crate::expand::Originals;
use crate::gateway::Gateway;
use crate::note::Note;
use crate::rewrite::Order;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;
use tokenforge_providers::{
    DeferredCall, DeferredCalls, ExpandAnswer, HiddenTurn, InternalCall, NameRef,
    ReplyContinuation, Request, Splice, ToolExchange, ToolResult, put_back, quoted, rejoin,
    rejoin_answer,
};
use tokenforge_store::Kind;

/// About how many calls are known to have, or not to have, a sibling of ours, and how many bytes that may take: answers are
/// whole originals.
const KNOWN_CALLS: usize = 20_000;
const KNOWN_BYTES: u64 = 16 << 20;

/// What is known about the calls of conversations, so that the store is asked once for each: an LRU cache bounded in bytes.
pub(crate) struct Deferrals(Cache<Sibling, Option<Arc<Kept>>, Weight>);

#[derive(Clone)]
struct Weight;

impl Weighter<Sibling, Option<Arc<Kept>>> for Weight {
    fn weight(&self, (_, name): &Sibling, kept: &Option<Arc<Kept>>) -> u64 {
        let of_call = |call: &KeptCall| call.id.len() + call.call.len() + call.answer.len() + 128;
        let kept = kept.as_ref().map_or(0, |kept| kept.calls.iter().map(of_call).sum::<usize>());
        (name.len() + kept + 128) as u64
    }
}

/// A call of a tenant.
type Sibling = (Arc<str>, Box<str>);

impl Default for Deferrals {
    fn default() -> Self {
        Deferrals(Cache::with_weighter(KNOWN_CALLS, KNOWN_BYTES, Weight))
    }
}

impl Deferrals {
    fn find(&self, tenant: &str, sibling: &str) -> Option<Option<Arc<Kept>>> {
        self.0.get(&Named(tenant, sibling))
    }

    fn note(&self, tenant: &Arc<str>, sibling: &str, kept: Option<Arc<Kept>>) {
        self.0.insert((tenant.clone(), sibling.into()), kept);
    }
}

/// A [`Sibling`] that is looked for.
#[derive(Hash)]
struct Named<'n>(&'n str, &'n str);

impl Equivalent<Sibling> for Named<'_> {
    fn equivalent(&self, (tenant, sibling): &Sibling) -> bool {
        *self.0 == **tenant && *self.1 == **sibling
    }
}

/// Calls of ours with their answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    siblings: Vec<String>,
    calls: Vec<KeptCall>,
    /// The conversation before them, where the siblings have no ids.
    past: Option<String>,
    /// Of calls that came alone: how many elements of their reply the client has behind the thought they are kept under.
    #[serde(default)]
    behind: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptCall {
    id: String,
    call: String,
    siblings_before: usize,
    answer: String,
    is_error: bool,
}

/// Answers the calls and keeps them for the next request. Blocks.
pub(crate) fn remember(
    gateway: &Gateway,
    originals: &Originals,
    deferred: &DeferredCalls,
    note: &mut Note,
) {
    let kept = |call: &DeferredCall| {
        let asked = InternalCall { id: call.id.clone(), arguments: call.arguments.clone() };
        let (ExpandAnswer { text: answer, is_error }, expanded) = originals.answer(gateway, &asked);
        note.expanded(expanded);
        let DeferredCall { id, call, siblings_before, .. } = call.clone();
        KeptCall { id, call, siblings_before, answer, is_error }
    };
    let has_ids =
        originals.dialect.keeps_call_ids() && deferred.calls.iter().all(|call| !call.id.is_empty());
    let past = if has_ids { None } else { past_of(originals) };
    if !has_ids && past.is_none() {
        return;
    }
    let calls = deferred.calls.iter().map(kept).collect();
    let kept = Kept { siblings: deferred.siblings.clone(), calls, past, behind: 0 };
    let names = kept.siblings.iter().map(|sibling| name(sibling, kept.past.as_deref())).collect();
    keep(gateway, &originals.tenant, names, kept);
}

/// Keeps something under these names. Blocks.
fn keep(gateway: &Gateway, tenant: &str, names: Vec<String>, kept: Kept) {
    let Ok(json) = serde_json::to_vec(&kept) else { return };
    let kept = Arc::new(kept);
    for name in names {
        // Known before it is stored: the client's next request may be here any moment.
        gateway.deferrals.note(&Arc::from(tenant), &name, Some(kept.clone()));
        let _ = gateway.store.put(Kind::Result, tenant, &id(&name), &json);
    }
}

/// Keeps calls that came alone, with their answers, where the model thought before them. Blocks.
pub(crate) fn remember_turn(gateway: &Gateway, turn: &HiddenTurn, answers: &[ExpandAnswer]) {
    let Some(anchor) = &turn.anchor else { return };
    let made = turn.calls.iter().zip(&anchor.calls).zip(answers);
    let calls = made.map(|((asked, call), ExpandAnswer { text, is_error })| KeptCall {
        id: asked.id.clone(),
        call: call.clone(),
        siblings_before: 0,
        answer: text.clone(),
        is_error: *is_error,
    });
    let kept =
        Kept { siblings: Vec::new(), calls: calls.collect(), past: None, behind: anchor.behind };
    keep(gateway, ANY_TENANT, vec![of_thought(&anchor.seal)], kept);
}

/// From which reply a conversation goes on that the provider keeps. Known when this returns, and stored soon.
pub(crate) fn remember_continuation(gateway: &Arc<Gateway>, goes_on: ReplyContinuation) {
    let ReplyContinuation { from, to } = goes_on;
    let kept = || Kept { siblings: vec![to.clone()], calls: Vec::new(), past: None, behind: 0 };
    let names: Vec<String> = from.iter().map(|id| of_response(id)).collect();
    for name in &names {
        gateway.deferrals.note(&Arc::from(ANY_TENANT), name, Some(Arc::new(kept())));
    }
    let Ok(json) = serde_json::to_vec(&kept()) else { return };
    let gateway = gateway.clone();
    drop(tokio::task::spawn_blocking(move || {
        for name in names {
            // Another reply may have come behind this one meanwhile, and goes before it.
            let known = gateway.deferrals.find(ANY_TENANT, &name).flatten();
            if known.is_none_or(|kept| kept.siblings.first() == Some(&to)) {
                let _ = gateway.store.put(Kind::Result, ANY_TENANT, &id(&name), &json);
            }
        }
    }));
}

/// What is kept under a seal or the id of a reply is no tenant's: only who has the conversation knows these, and a credential
/// that is renewed in the middle of it makes another tenant of the same user (decision 29).
const ANY_TENANT: &str = "conversations";

/// What a thought is known by. Seals may be long.
fn of_thought(seal: &str) -> String {
    format!("thought {}", blake3::hash(seal.as_bytes()).to_hex())
}

fn of_response(id: &str) -> String {
    format!("response {id}")
}

/// The store is asked about so many calls of a conversation: more than the longest has.
const MOST_CALLS: usize = 20_000;

/// Puts the calls that were kept beside their siblings. Blocks where the store must be asked; `None`: it must be, and
/// may not.
pub(crate) fn rejoined(
    order: &Order,
    request: &Request<'_>,
    may_block: bool,
) -> Option<Vec<Splice<'static>>> {
    let Order { gateway, tenant, dialect, body, .. } = order;
    let mut splices = Vec::new();
    let mut joined: Vec<Arc<Kept>> = Vec::new();
    let mut past = Past::of(request, body);
    for call in request.calls.iter().take(MOST_CALLS) {
        let place = call.element.as_ref().map_or(0, |element| element.start);
        let sibling = match &call.id {
            Some(id) if dialect.keeps_call_ids() => Some(id.text(body)),
            _ => past.as_mut().and_then(|past| past.until(place)).and_then(|past| {
                let key = call.key(body)?;
                Some(name(&key, Some(&past)).into())
            }),
        };
        let Some(sibling) = sibling else { continue };
        let Some(kept) = gateway.kept(tenant, &sibling, may_block)? else { continue };
        let is_kept =
            |other: &Arc<Kept>| other.siblings == kept.siblings && other.past == kept.past;
        if joined.iter().any(is_kept) {
            continue;
        }
        let from = past.as_ref().map_or(0, |past| past.end);
        for exchange in kept.exchanges(from) {
            splices.extend(rejoin(body, *dialect, request, &exchange).into_iter().flatten());
        }
        joined.push(kept);
    }
    splices.extend(put_back_turns(order, request, may_block)?);
    splices.extend(continued(order, request, may_block)?);
    Some(splices)
}

/// Puts calls that came alone back behind what the model thought before them: `None` as [`rejoined`].
fn put_back_turns(
    order: &Order,
    request: &Request<'_>,
    may_block: bool,
) -> Option<Vec<Splice<'static>>> {
    let Order { gateway, dialect, body, .. } = order;
    let tenant = Arc::from(ANY_TENANT);
    let mut splices = Vec::new();
    let mut seen = HashSet::new();
    for thought in request.thoughts.iter().take(MOST_CALLS) {
        let name = of_thought(&thought.seal.text(body));
        let Some(kept) = gateway.kept(&tenant, &name, may_block)? else { continue };
        if seen.insert(name) {
            let exchanges: Vec<_> = kept.exchanges(0).collect();
            splices.extend(put_back(body, *dialect, request, thought, kept.behind, &exchanges));
        }
    }
    Some(splices)
}

/// A conversation that the provider keeps goes on from the reply that has the answers to our calls, and gets those that
/// it has not: `None` as [`rejoined`].
fn continued(
    order: &Order,
    request: &Request<'_>,
    may_block: bool,
) -> Option<Vec<Splice<'static>>> {
    let Order { gateway, tenant, dialect, body, .. } = order;
    let mut splices = Vec::new();
    if !request.head.has_previous_response {
        return Some(splices);
    }
    if let Some(NameRef::At(span)) = &request.head.previous_response {
        let id = NameRef::At(span.clone()).text(body).into_owned();
        let kept = gateway.kept(&Arc::from(ANY_TENANT), &of_response(&id), may_block)?;
        if let Some(to) = kept.as_ref().and_then(|kept| kept.siblings.first()) {
            let quoted = quoted(to);
            let range = span.start - 1..span.end + 1;
            splices.push(Splice { range, with: quoted.into() });
        }
    }
    let mut seen: HashSet<Vec<String>> = HashSet::new();
    let alone = request.answers.iter().filter(|answer| answer.call.is_none());
    for answer in alone.take(MOST_CALLS) {
        let Some(call_id) = answer.call_id.as_ref().map(|id| id.text(body)) else { continue };
        let Some(kept) = gateway.kept(tenant, &call_id, may_block)? else { continue };
        if seen.insert(kept.siblings.clone()) {
            let answered = kept.exchanges(0);
            splices.extend(
                answered.filter_map(|exchange| {
                    rejoin_answer(body, *dialect, request, answer, &exchange)
                }),
            );
        }
    }
    Some(splices)
}

impl Kept {
    /// The calls with their answers, in a turn that may begin there.
    fn exchanges(&self, from: usize) -> impl Iterator<Item = ToolExchange<'_>> {
        self.calls.iter().map(move |kept| ToolExchange {
            siblings: &self.siblings,
            siblings_before: kept.siblings_before,
            from,
            call: &kept.call,
            id: &kept.id,
            answer: &kept.answer,
            is_error: kept.is_error,
        })
    }
}

impl Gateway {
    /// What is kept under a name, if anything is: `None` if the store must be asked, and may not.
    fn kept(&self, tenant: &Arc<str>, name: &str, may_block: bool) -> Option<Option<Arc<Kept>>> {
        match self.deferrals.find(tenant, name) {
            Some(known) => Some(known),
            None => may_block.then(|| self.ask_store(tenant, name)),
        }
    }

    fn ask_store(&self, tenant: &Arc<str>, sibling: &str) -> Option<Arc<Kept>> {
        let stored = self.store.get(Kind::Result, tenant, &id(sibling)).ok()?;
        let kept = stored.and_then(|json| serde_json::from_slice(&json).ok()).map(Arc::new);
        self.deferrals.note(tenant, sibling, kept.clone());
        kept
    }
}

fn id(name: &str) -> String {
    format!("beside_{}", blake3::hash(name.as_bytes()).to_hex())
}

/// What a sibling is known by: its id, or its key and what came before it.
fn name(sibling: &str, past: Option<&str>) -> String {
    past.map_or_else(|| sibling.to_owned(), |past| format!("{sibling} after {past}"))
}

/// The conversation that a reply goes on from.
fn past_of(originals: &Originals) -> Option<String> {
    let request = Request::read(&originals.body, originals.dialect).ok()?;
    Past::of(&request, &originals.body)?.until(usize::MAX)
}

/// A conversation from its first call to a result, as a hash: without ids, many calls look alike, in other
/// conversations and later in the same.
struct Past<'r> {
    body: &'r [u8],
    /// Those behind the end.
    results: &'r [ToolResult],
    end: usize,
    hasher: blake3::Hasher,
}

impl<'r> Past<'r> {
    fn of(request: &'r Request<'r>, body: &'r [u8]) -> Option<Self> {
        let end = request.calls.first()?.element.as_ref()?.start;
        Some(Past { body, results: &request.results, end, hasher: blake3::Hasher::new() })
    }

    /// Goes on to the last result before a place. Nothing if there is none: then nothing was left out either, and no call
    /// of ours is worth keeping.
    fn until(&mut self, place: usize) -> Option<String> {
        while let Some((first, rest)) = self.results.split_first()
            && first.span.end <= place
        {
            let more = self.body.get(self.end..first.span.end).unwrap_or_default();
            self.hasher.update(more);
            (self.end, self.results) = (first.span.end, rest);
        }
        (self.hasher.count() > 0).then(|| self.hasher.finalize().to_hex().to_string())
    }
}
