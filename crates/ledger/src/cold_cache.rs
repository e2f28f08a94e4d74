//! Cold prompt caches: what it costs that a provider's cache was gone when a conversation went on.
//!
//! What a request wrote to the cache is read by the next one. After a pause it may be gone; then it is written again, at
//! more than ten times the price of reading. The provider's own count says so: a request that reads less than half of what
//! the one before had left there.
//!
//! The ledger does not tell conversations of one session apart, as an agent's and those of its subagents, so each request is
//! taken for the next of the one that it fits best. One that has not paused as long as the shortest lifetime of a cache is
//! not looked for: what it does not read is gone for another reason.

use crate::account::EntryAccount;
use crate::session::id;
use crate::share::round_to;
use crate::{BoundedName, LedgerEntry, TokenUsage};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The shortest time that a provider keeps a prompt, in seconds.
const SHORTEST_LIFETIME: u64 = 5 * 60;

/// Conversations of a session beyond this many are forgotten, the one longest ago first.
const CONVERSATIONS: usize = 16;

/// Beyond so many sessions those longest ago are forgotten.
const SESSIONS: usize = 1000;

/// The stage that leaves old results out.
const OLD_RESULT: &str = "old_result";

/// How many sessions a report names.
const NAMED: usize = 10;

/// A request after a pause in which the cache had gone cold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CacheRewrite {
    /// How long nothing had been asked, in seconds.
    pub pause: u64,
    /// Tokens that were written again, as the provider counts them.
    pub tokens: u64,
    /// What that cost beyond reading them, in dollars; none where no price is known.
    pub cost: Option<f64>,
}

/// Such requests, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheRewriteSums {
    /// How many.
    pub requests: u64,
    /// Tokens that were written again.
    pub tokens: u64,
    /// The longest pause before one, in seconds.
    pub longest_pause: u64,
    /// What they cost beyond reading, in dollars; none where no price is known.
    pub cost: Option<f64>,
}

/// What cold caches cost, and in which sessions most.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ColdCacheReport {
    /// In all of them.
    #[serde(flatten)]
    pub sums: CacheRewriteSums,
    /// Those with the most tokens, at most ten.
    pub sessions: Vec<ColdCacheSession>,
    /// How many more there are.
    pub left_out: usize,
}

/// A session with such requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColdCacheSession {
    /// What it is asked for by.
    pub id: String,
    /// The agent.
    pub client: Option<BoundedName>,
    /// The project.
    pub project: Option<BoundedName>,
    /// The time of the last such request, in seconds since 1970.
    pub latest: u64,
    /// What it comes to.
    #[serde(flatten)]
    pub sums: CacheRewriteSums,
}

/// What a provider has cached of the conversations of one session.
#[derive(Debug, Default)]
pub(crate) struct SessionCache {
    conversations: Vec<CachedConversation>,
}

/// A conversation, as its last request left it.
#[derive(Debug, Clone)]
struct CachedConversation {
    model: Option<BoundedName>,
    /// When that was.
    time: u64,
    /// How many tokens of it are in the cache.
    tokens: u64,
}

/// What cold caches cost, while the ledger is read.
#[derive(Debug, Default)]
pub(crate) struct ColdCacheSummary {
    caches: HashMap<String, (u64, SessionCache)>,
    sums: CacheRewriteSums,
    sessions: HashMap<String, ColdCacheSession>,
}

impl CacheRewriteSums {
    pub(crate) fn add(&mut self, rewrite: &CacheRewrite) {
        self.requests += 1;
        self.tokens = self.tokens.saturating_add(rewrite.tokens);
        self.longest_pause = self.longest_pause.max(rewrite.pause);
        if let Some(cost) = rewrite.cost {
            self.cost = Some(self.cost.unwrap_or(0.0) + cost);
        }
    }

    fn rounded(self) -> Self {
        CacheRewriteSums { cost: self.cost.map(|cost| round_to(cost, 1e6)), ..self }
    }
}

impl SessionCache {
    /// Takes the next entry of the session. What was written again, if its cache had gone cold.
    pub(crate) fn take(
        &mut self,
        entry: &LedgerEntry,
        account: &EntryAccount<'_>,
    ) -> Option<CacheRewrite> {
        let usage = entry.usage?;
        // An answer that took several replies: the first met the cache, the last left it.
        let (first, last) = match entry.extra {
            Some(extra) => (extra, usage.without(&extra)),
            None => (usage, usage),
        };
        let read = first.cache_read.unwrap_or(0);
        let is_warm = |cached: &CachedConversation| {
            cached.model == entry.model
                && read >= cached.tokens / 10 * 9
                && cached.tokens >= read / 2
        };
        let warm = self.conversations.iter().enumerate().filter(|(_, cached)| is_warm(cached));
        let warm = warm.max_by_key(|(_, cached)| cached.tokens).map(|(at, _)| at);
        let cold = self.cold(entry, &first);
        let warm = warm.filter(|at| !self.fits_better(cold, *at, &first));
        let found = warm.or(cold);
        let rewrite = found.filter(|_| warm.is_none()).and_then(|at| {
            let cached = self.conversations.get(at)?;
            let lost = cached.tokens.saturating_sub(read);
            let written = first.cache_write.filter(|written| *written > 0).unwrap_or(first.input);
            let tokens = lost.min(written);
            let pause = entry.time.saturating_sub(cached.time);
            Some(CacheRewrite { pause, tokens, cost: account.dollars_to_rewrite(tokens) })
        });
        let tokens = cached_tokens(&last);
        if let Some(at) = found {
            self.conversations.remove(at);
        } else if self.conversations.len() >= CONVERSATIONS {
            self.conversations.remove(0);
        }
        if tokens > 0 {
            let (model, time) = (entry.model.clone(), entry.time);
            self.conversations.push(CachedConversation { model, time, tokens });
        }
        rewrite.filter(|rewrite| rewrite.tokens > 0)
    }

    /// Is a request rather the next one of a conversation whose cache went cold than of one that it read nearly all of? What it
    /// read may be the tools that both have in front, and then its size tells.
    fn fits_better(&self, cold: Option<usize>, warm: usize, usage: &TokenUsage) -> bool {
        let tokens = |at: usize| self.conversations.get(at).map_or(0, |cached| cached.tokens);
        let distance = |at: usize| tokens(at).abs_diff(usage.all_input());
        usage.cache_read.unwrap_or(0) < tokens(warm)
            && cold.is_some_and(|cold| distance(cold) < distance(warm))
    }

    /// The conversation that a request goes on with after a pause, whose cache it did not find: that of about its size.
    /// Conversations only grow, unless old results were left out of them.
    fn cold(&self, entry: &LedgerEntry, usage: &TokenUsage) -> Option<usize> {
        let (all, read) = (usage.all_input(), usage.cache_read.unwrap_or(0));
        let has_left_out = entry
            .results
            .iter()
            .any(|outcome| outcome.stages.iter().any(|stage| stage.as_str() == OLD_RESULT));
        let least = |cached: u64| if has_left_out { cached / 2 } else { cached };
        let fits = |cached: &CachedConversation| {
            cached.model == entry.model
                && entry.time.saturating_sub(cached.time) >= SHORTEST_LIFETIME
                && read < cached.tokens / 2
                && least(cached.tokens) <= all
        };
        let fitting = self.conversations.iter().enumerate().filter(|(_, cached)| fits(cached));
        fitting.min_by_key(|(_, cached)| cached.tokens.abs_diff(all)).map(|(at, _)| at)
    }
}

/// How many tokens of a conversation are in the cache after a request. Who counts what is read from it but not what is
/// written keeps all of it.
fn cached_tokens(usage: &TokenUsage) -> u64 {
    match (usage.cache_read, usage.cache_write) {
        (Some(_), None) => usage.all_input(),
        (read, written) => read.unwrap_or(0).saturating_add(written.unwrap_or(0)),
    }
}

impl ColdCacheSummary {
    /// Takes the next entry of any session, of which this is the account.
    pub(crate) fn take(&mut self, entry: &LedgerEntry, account: &EntryAccount<'_>) {
        if entry.usage.is_none() {
            return;
        }
        let id = id(entry);
        if self.caches.len() >= SESSIONS && !self.caches.contains_key(&id) {
            self.forget();
        }
        let (latest, cache) = self.caches.entry(id.clone()).or_default();
        *latest = entry.time;
        let Some(rewrite) = cache.take(entry, account) else { return };
        self.sums.add(&rewrite);
        let session = self.sessions.entry(id.clone()).or_insert_with(|| ColdCacheSession {
            id,
            client: entry.client.clone(),
            project: entry.project.clone(),
            latest: entry.time,
            sums: CacheRewriteSums::default(),
        });
        session.latest = entry.time;
        session.sums.add(&rewrite);
    }

    /// Forgets the caches of the older half of the sessions.
    fn forget(&mut self) {
        let mut times: Vec<u64> = self.caches.values().map(|(latest, _)| *latest).collect();
        times.sort_unstable();
        let middle = times.get(times.len() / 2).copied().unwrap_or(0);
        self.caches.retain(|_, (latest, _)| *latest > middle);
    }

    /// What it comes to.
    pub(crate) fn report(&self) -> ColdCacheReport {
        let mut sessions: Vec<ColdCacheSession> = self.sessions.values().cloned().collect();
        sessions
            .sort_by_key(|session| (std::cmp::Reverse(session.sums.tokens), session.id.clone()));
        let left_out = sessions.len().saturating_sub(NAMED);
        sessions.truncate(NAMED);
        sessions.iter_mut().for_each(|session| session.sums = session.sums.rounded());
        ColdCacheReport { sums: self.sums.rounded(), sessions, left_out }
    }
}
