//! Calls of our tool that came together with the client's own.
//!
//! The client gets and answers its own calls; ours are answered at once and kept under the ids of their siblings. When
//! a request brings the siblings' answers, ours are put beside them, so that the model finds every call it made with an
//! answer, and finds the same in every later turn.

use crate::expand::Originals;
use crate::gateway::Gateway;
use crate::rewrite::Order;
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokenforge_dialects::{
    Answer, Deferred, DeferredCall, Exchange, InternalCall, Request, Splice, rejoin,
};
use tokenforge_store::Kind;

/// How many calls are known to have, or not to have, a sibling of ours.
const KNOWN_CALLS: usize = 20_000;

/// What is known about the calls of conversations, so that the store is asked once for each.
pub(crate) struct Deferrals(Cache<(Arc<str>, String), Option<Arc<Kept>>>);

impl Default for Deferrals {
    fn default() -> Self {
        Deferrals(Cache::new(KNOWN_CALLS))
    }
}

/// Calls of ours with their answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    siblings: Vec<String>,
    calls: Vec<KeptCall>,
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
pub(crate) fn remember(gateway: &Gateway, originals: &Originals, deferred: &Deferred) {
    let kept = |call: &DeferredCall| {
        let asked = InternalCall { id: call.id.clone(), arguments: call.arguments.clone() };
        let Answer { text: answer, is_error } = originals.answer(gateway, &asked);
        let DeferredCall { id, call, siblings_before, .. } = call.clone();
        KeptCall { id, call, siblings_before, answer, is_error }
    };
    let kept = Kept {
        siblings: deferred.siblings.clone(),
        calls: deferred.calls.iter().map(kept).collect(),
    };
    let Ok(json) = serde_json::to_vec(&kept) else { return };
    let kept = Arc::new(kept);
    for sibling in &kept.siblings {
        let _ = gateway.store.put(Kind::Result, &originals.tenant, &id(sibling), &json);
        let known = (Arc::from(&*originals.tenant), sibling.clone());
        gateway.deferrals.0.insert(known, Some(kept.clone()));
    }
}

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
    for call in &request.calls {
        let sibling = call.id.as_deref().map(str::to_owned).or_else(|| call.key(body));
        let Some(sibling) = sibling else { continue };
        let kept = match gateway.deferrals.0.get(&(tenant.clone(), sibling.clone())) {
            Some(known) => known,
            None if may_block => gateway.ask_store(tenant, &sibling),
            None => return None,
        };
        let Some(kept) = kept else { continue };
        if joined.iter().any(|other| Arc::ptr_eq(other, &kept) || other.siblings == kept.siblings) {
            continue;
        }
        for kept_call in &kept.calls {
            let KeptCall { id, call, siblings_before, answer, is_error } = kept_call;
            let (siblings_before, is_error) = (*siblings_before, *is_error);
            let siblings = &kept.siblings;
            let exchange = Exchange { siblings, siblings_before, call, id, answer, is_error };
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
        self.deferrals.0.insert((tenant.clone(), sibling.to_owned()), kept.clone());
        kept
    }
}

fn id(sibling: &str) -> String {
    format!("beside_{}", blake3::hash(sibling.as_bytes()).to_hex())
}
