//! Cold prompt caches: what a recording tells of the provider's cache at each request.
//!
//! A gateway has a clock and the lifetime of the cache, so where a log has times the same is asked of them. Where it has
//! none, the usage that was logged says it afterwards: what was written to the cache by one request is read by the next,
//! or it was gone. A log with neither tells nothing, and nothing is assumed.

use crate::usage::UsageCharge;
use std::time::Duration;
use tokenforge_conversation::cold_cache::is_cold;
use tokenforge_providers::Dialect;

/// A cache is cold if less than this part of the messages before is read from it. What was not read was written anew either
/// way; tools and system prompt may be in the cache from another conversation.
const COLD_PART: f64 = 0.25;

/// What a recording tells of the provider's cache at a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheState {
    /// Nothing: it is the first request, or there is neither time nor usage.
    Unknown,
    /// What the request before had in it is still there.
    Warm,
    /// It is gone.
    Cold,
}

/// A request, as far as it tells of the cache.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CacheUse {
    /// When it was sent, in seconds since 1970.
    pub(super) sent: Option<u64>,
    /// What was charged for it, where that was logged.
    pub(super) usage: Option<UsageCharge>,
    /// Tokens of its messages, as they are billed.
    pub(super) messages: f64,
}

impl CacheUse {
    /// What the cache was like that the request before left.
    pub(super) fn state_after(&self, before: &CacheUse, lifetime: Option<Duration>) -> CacheState {
        // A provider with an unknown cache lifetime.
        let Some(lifetime) = lifetime else { return CacheState::Unknown };
        if let (Some(before), Some(sent)) = (before.sent, self.sent) {
            let pause = Duration::from_secs(sent.saturating_sub(before));
            return if is_cold(pause, lifetime) { CacheState::Cold } else { CacheState::Warm };
        }
        match (before.usage, self.usage) {
            (Some(had), Some(usage)) => read_state(&had, before.messages, &usage),
            _ => CacheState::Unknown,
        }
    }
}

/// What the usage of two requests, one after the other, says of the cache between them.
fn read_state(had: &UsageCharge, messages: f64, usage: &UsageCharge) -> CacheState {
    // Not every request is cached: that nothing is read after one that was not says nothing.
    let cached = had.cache_read + had.cache_write;
    if cached < had.total_input() / 2.0 {
        return CacheState::Unknown;
    }
    let tools = (cached - messages).max(0.0);
    if usage.cache_read < tools + COLD_PART * messages.min(cached) {
        CacheState::Cold
    } else {
        CacheState::Warm
    }
}

/// How long the provider of a model keeps a prompt in its cache, as the gateway knows it. None: it is not known to have one
/// that is gone at a certain time.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheLifetimes {
    usual: Option<Duration>,
    /// Where it was asked to keep it for an hour.
    hour: Option<Duration>,
}

impl CacheLifetimes {
    pub(super) fn new(model: Option<&str>) -> Self {
        CacheLifetimes { usual: lifetime(model, false), hour: lifetime(model, true) }
    }

    pub(super) fn of(&self, is_for_an_hour: bool) -> Option<Duration> {
        if is_for_an_hour { self.hour } else { self.usual }
    }
}

/// A model without a name may be a Claude model: theirs is the shortest, and their usage says most.
fn lifetime(model: Option<&str>, is_for_an_hour: bool) -> Option<Duration> {
    let model = model.unwrap_or("claude").to_ascii_lowercase();
    let words = model.split(|character: char| !character.is_ascii_alphanumeric());
    let dialect = words.into_iter().find_map(|word| match word {
        "claude" => Some(Dialect::Anthropic),
        "gpt" | "chatgpt" | "codex" | "o1" | "o3" | "o4" => Some(Dialect::OpenAiResponses),
        _ => None,
    })?;
    let body: &[u8] = if is_for_an_hour { br#"{"ttl":"1h"}"# } else { b"{}" };
    dialect.cache_lifetime(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTES: u64 = 60;

    fn at(minutes: u64) -> CacheUse {
        CacheUse { sent: Some(minutes * MINUTES), ..CacheUse::default() }
    }

    fn used(cache_read: f64, cache_write: f64, messages: f64) -> CacheUse {
        let usage = UsageCharge { input: 3.0, cache_read, cache_write, ..UsageCharge::default() };
        CacheUse { sent: None, usage: Some(usage), messages }
    }

    #[test]
    fn decision_33_a_cache_is_cold_after_its_lifetime_and_what_a_record_may_be_old() {
        let claude = lifetime(Some("claude-opus-4-5"), false);
        assert_eq!(claude, Some(Duration::from_secs(5 * MINUTES)));
        for (minutes, state) in
            [(0, CacheState::Warm), (6, CacheState::Warm), (7, CacheState::Cold)]
        {
            assert_eq!(at(100 + minutes).state_after(&at(100), claude), state, "{minutes}");
        }
        assert_eq!(at(90).state_after(&at(100), claude), CacheState::Warm, "a clock set back");
        let hour = lifetime(Some("us.anthropic.claude-opus-4-5-v1:0"), true);
        assert_eq!(at(170).state_after(&at(100), hour), CacheState::Warm);
        assert_eq!(at(173).state_after(&at(100), hour), CacheState::Cold);
        assert_eq!(
            at(173).state_after(&at(100), lifetime(Some("gpt-5-codex"), false)),
            CacheState::Cold
        );
        assert_eq!(
            at(9_999).state_after(&at(0), lifetime(Some("gemini-3-pro"), false)),
            CacheState::Unknown
        );
    }

    #[test]
    fn decision_33_without_times_it_is_what_the_usage_says() {
        let claude = lifetime(None, false);
        // 20,000 tokens of tools and prompts, 80,000 of messages.
        let before = used(95_000.0, 4_997.0, 80_000.0);
        for (read, state) in [
            (100_000.0, CacheState::Warm),
            (50_000.0, CacheState::Warm),
            (21_000.0, CacheState::Cold),
            (0.0, CacheState::Cold),
        ] {
            let usage = used(read, 101_000.0 - read, 81_000.0);
            assert_eq!(usage.state_after(&before, claude), state, "{read}");
        }
        let uncached = CacheUse {
            usage: Some(UsageCharge { input: 9_000.0, ..UsageCharge::default() }),
            ..before
        };
        assert_eq!(used(0.0, 9_000.0, 9_000.0).state_after(&uncached, claude), CacheState::Unknown);
        assert_eq!(CacheUse::default().state_after(&before, claude), CacheState::Unknown);
    }
}
