//! The log of conversations: when each was last seen, and what was decided about it.

use super::decision::ColdDecision;
use super::left_out::LeftOutResults;
use super::lifetime::{RECORDS_PER_LIFETIME, is_cold};
use super::result_chain::{ResultChain, beginning};
use crate::clock::Clock;
use crate::memo::ConversationKey;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokenforge_engine::old_results::{MOST_CHOICES, OLD_TURNS};
use tokenforge_providers::Request;
use tokenforge_store::{EntryKind, Store, StoreError};

/// How many conversations a process knows without asking the store.
const KNOWN_CONVERSATIONS: usize = 10_000;

/// As in [`RememberedDecision`](crate::remembered_decision): no tenant has this name.
const ALL_TENANTS: &str = "\0all";

/// When conversations were last seen, and what was decided about them.
pub(crate) struct ConversationLog {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    known: Cache<ConversationKey, Arc<KnownConversation>>,
}

/// A request of a conversation.
pub(crate) struct ConversationTurn<'r> {
    pub(crate) request: &'r Request<'r>,
    pub(crate) body: &'r [u8],
    /// The conversation up to each result, as this process knows it.
    pub(crate) keys: &'r [ConversationKey],
    /// How long the provider's cache lives.
    pub(crate) lifetime: Duration,
    /// It goes to a model, and so uses its cache.
    pub(crate) is_model_request: bool,
    /// The model is told of the tool that fetches what is left out.
    pub(crate) is_offered: bool,
}

/// What this process knows of a conversation.
struct KnownConversation {
    /// When it was last asked for. What is older may have been decided about by others.
    seen: SystemTime,
    /// When that was last recorded. `None`: it has to be.
    recorded: Option<SystemTime>,
    /// Decisions, and the conversation up to the last result of each.
    decisions: Vec<(ConversationKey, ColdDecision)>,
}

impl ConversationLog {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        ConversationLog { store, clock, known: Cache::new(KNOWN_CONVERSATIONS) }
    }

    /// Is there a place in which decisions outlive this process?
    pub(crate) fn is_durable(&self) -> bool {
        self.store.is_durable()
    }

    /// Which results are left out of a request, if that is known without asking the store.
    pub(crate) fn known_left_out(&self, turn: &ConversationTurn<'_>) -> Option<LeftOutResults> {
        let Some(key) = beginning(turn.keys) else { return Some(LeftOutResults::default()) };
        let (known, now) = (self.known.get(&key)?, self.clock.time());
        if !known.is_current(now, turn.lifetime) {
            return None;
        }
        let left_out = known.left_out(turn.keys);
        if turn.is_model_request {
            let KnownConversation { recorded, ref decisions, .. } = *known;
            let decisions = decisions.clone();
            self.known.insert(key, KnownConversation { seen: now, recorded, decisions }.into());
        }
        Some(left_out)
    }

    /// Which results are left out of a request. Decides it where the cache is cold. While the store is away nothing is
    /// decided, and what this process knows of holds: decisions are never taken back.
    pub(crate) fn left_out(&self, turn: &ConversationTurn<'_>) -> LeftOutResults {
        let known = || {
            let known = self.known.get(&beginning(turn.keys)?)?;
            Some(known.left_out(turn.keys))
        };
        match self.known_left_out(turn) {
            Some(left_out) => left_out,
            None => self.ask_store(turn).unwrap_or_else(|_| known().unwrap_or_default()),
        }
    }

    fn ask_store(&self, turn: &ConversationTurn<'_>) -> Result<LeftOutResults, StoreError> {
        let chain = ResultChain::of(turn.request, turn.body);
        let Some(conversation) = chain.conversation() else { return Ok(LeftOutResults::default()) };
        let now = self.clock.time();
        let record = ConversationRecord { store: &*self.store, conversation };
        // The time is read before the decisions, and written after them: a replica that finds a fresh time finds what was
        // decided then too.
        let seen = record.seen()?;
        let all = record.decisions()?;
        let mut own: Vec<ColdDecision> =
            all.iter().filter(|decision| decision.is_about(&chain)).cloned().collect();
        if turn.is_model_request {
            let agree = || {
                if !self.is_cold(seen, turn, now)? {
                    return Ok(None);
                }
                let before = ColdDecision::sum_up(&own);
                let new =
                    ColdDecision::new(turn.request, turn.body, &chain, &before, turn.is_offered);
                new.map_or(Ok(None), |new| record.agree(new, all.len(), &chain))
            };
            // A store that fails from here on takes back nothing: what it has answered already is what the others see.
            let agreed = agree();
            let is_recorded = record.put_seen(now).is_ok() && agreed.is_ok();
            own.extend(agreed.unwrap_or_default());
            self.remember(turn, now, is_recorded.then_some(now), &own);
        }
        Ok(ColdDecision::sum_up(&own))
    }

    /// Must the provider's cache of a conversation be gone?
    fn is_cold(
        &self,
        seen: Option<SystemTime>,
        turn: &ConversationTurn<'_>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        let pause = match seen {
            Some(last) => Some(since(last, now)),
            None if turn.request.turn_count() > OLD_TURNS => self.store.complete_for()?,
            None => None,
        };
        Ok(pause.is_some_and(|pause| is_cold(pause, turn.lifetime)))
    }

    fn remember(
        &self,
        turn: &ConversationTurn<'_>,
        seen: SystemTime,
        recorded: Option<SystemTime>,
        decisions: &[ColdDecision],
    ) {
        let Some(conversation) = beginning(turn.keys) else { return };
        let key = |decision: &ColdDecision| turn.keys.get(decision.last()?).copied();
        let decisions = decisions.iter();
        let decisions = decisions.filter_map(|decision| Some((key(decision)?, decision.clone())));
        let decisions = decisions.collect();
        let known = KnownConversation { seen, recorded, decisions };
        self.known.insert(conversation, known.into());
    }
}

impl KnownConversation {
    /// Whether no other process can have decided anything since, and there is nothing to record.
    fn is_current(&self, now: SystemTime, lifetime: Duration) -> bool {
        since(self.seen, now) <= lifetime
            && self
                .recorded
                .is_some_and(|recorded| since(recorded, now) < lifetime / RECORDS_PER_LIFETIME)
    }

    fn left_out(&self, keys: &[ConversationKey]) -> LeftOutResults {
        let is_about = |(key, decision): &&(ConversationKey, ColdDecision)| {
            decision.last().and_then(|last| keys.get(last)) == Some(key)
        };
        let own = self.decisions.iter().filter(is_about);
        ColdDecision::sum_up(own.map(|(_, decision)| decision))
    }
}

/// What the store has of one conversation.
struct ConversationRecord<'s> {
    store: &'s dyn Store,
    conversation: String,
}

impl ConversationRecord<'_> {
    fn id(&self, part: impl std::fmt::Display) -> String {
        format!("cold-{}-{part}", self.conversation)
    }

    fn get(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(EntryKind::Result, ALL_TENANTS, id)
    }

    /// When a request was last recorded.
    fn seen(&self) -> Result<Option<SystemTime>, StoreError> {
        let bytes = self.get(&self.id("seen"))?;
        let seconds = bytes.and_then(|bytes| str::from_utf8(&bytes).ok()?.parse().ok());
        Ok(seconds.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds))))
    }

    fn put_seen(&self, now: SystemTime) -> Result<(), StoreError> {
        let seconds = since(UNIX_EPOCH, now).as_secs().to_string();
        self.store.put(EntryKind::Result, ALL_TENANTS, &self.id("seen"), seconds.as_bytes())
    }

    /// All that was decided, in order. One that cannot be read is about nothing.
    fn decisions(&self) -> Result<Vec<ColdDecision>, StoreError> {
        let mut decisions = Vec::new();
        while decisions.len() < MOST_CHOICES {
            let Some(bytes) = self.get(&self.id(decisions.len()))? else { break };
            decisions.push(ColdDecision::from_bytes(&bytes).unwrap_or_default());
        }
        Ok(decisions)
    }

    /// The decision that all processes have from now on: this one, unless another process was faster. Those of other
    /// histories with the same beginning, as after the user went back, stand in the same list.
    fn agree(
        &self,
        decision: ColdDecision,
        from: usize,
        chain: &ResultChain,
    ) -> Result<Option<ColdDecision>, StoreError> {
        for number in from..MOST_CHOICES {
            let (id, bytes) = (self.id(number), decision.to_bytes());
            let first = self.store.put_if_absent(EntryKind::Result, ALL_TENANTS, &id, &bytes)?;
            let Some(first) = first else { return Ok(Some(decision)) };
            let first = ColdDecision::from_bytes(&first).unwrap_or_default();
            if first.is_about(chain) {
                return Ok(Some(first));
            }
        }
        Ok(None)
    }
}

/// How long ago it was; a time in the future, after a clock was set back, is now.
fn since(time: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(time).unwrap_or_default()
}
