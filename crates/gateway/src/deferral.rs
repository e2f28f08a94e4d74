//! Calls of our tool that came together with the client's own.
//!
//! The client gets and answers its own calls; ours are answered at once and kept under the ids of their siblings. When
//! a request brings the siblings' answers, ours are put beside them, so that the model finds every call it made with an
//! answer, and finds the same in every later turn.

use crate::expand::Originals;
use crate::gateway::Gateway;
use crate::note::Note;
use crate::rewrite::Order;
use quick_cache::Equivalent;
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokenforge_dialects::{
    Answer, Deferred, DeferredCall, Exchange, InternalCall, Request, Splice, ToolResult, rejoin,
};
use tokenforge_store::Kind;

/// How many calls are known to have, or not to have, a sibling of ours.
const KNOWN_CALLS: usize = 20_000;

/// What is known about the calls of conversations, so that the store is asked once for each.
pub(crate) struct Deferrals(Cache<Sibling, Option<Arc<Kept>>>);

/// A call of a tenant.
type Sibling = (Arc<str>, Box<str>);

impl Default for Deferrals {
    fn default() -> Self {
        Deferrals(Cache::new(KNOWN_CALLS))
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
    deferred: &Deferred,
    note: &mut Note,
) {
    let kept = |call: &DeferredCall| {
        let asked = InternalCall { id: call.id.clone(), arguments: call.arguments.clone() };
        let (Answer { text: answer, is_error }, expanded) = originals.answer(gateway, &asked);
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
    let kept = Kept { siblings: deferred.siblings.clone(), calls, past };
    let Ok(json) = serde_json::to_vec(&kept) else { return };
    let kept = Arc::new(kept);
    for sibling in &kept.siblings {
        let name = name(sibling, kept.past.as_deref());
        let stored = id(&name);
        // Known before it is stored: the client's next request may be here any moment.
        gateway.deferrals.note(&Arc::from(&*originals.tenant), &name, Some(kept.clone()));
        let _ = gateway.store.put(Kind::Result, &originals.tenant, &stored, &json);
    }
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
        let kept = match gateway.deferrals.find(tenant, &sibling) {
            Some(known) => known,
            None if may_block => gateway.ask_store(tenant, &sibling),
            None => return None,
        };
        let Some(kept) = kept else { continue };
        let is_kept =
            |other: &Arc<Kept>| other.siblings == kept.siblings && other.past == kept.past;
        if joined.iter().any(is_kept) {
            continue;
        }
        let from = past.as_ref().map_or(0, |past| past.end);
        for kept_call in &kept.calls {
            let KeptCall { id, call, siblings_before, answer, is_error } = kept_call;
            let (siblings_before, is_error) = (*siblings_before, *is_error);
            let siblings = &kept.siblings;
            let exchange = Exchange { siblings, siblings_before, from, call, id, answer, is_error };
            splices.extend(rejoin(body, *dialect, request, &exchange).into_iter().flatten());
        }
        joined.push(kept);
    }
    Some(splices)
}

impl Gateway {
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
