//! The metric counters, each listed once with the name and the words under which it is seen.

use crate::counter::SharedCounter;

macro_rules! counters {
    ($($name:ident: $help:literal,)*) => {
        /// Everything that is counted.
        #[derive(Debug, Default)]
        pub(crate) struct MetricCounters {
            $(pub(crate) $name: SharedCounter,)*
        }

        impl MetricCounters {
            /// Name, meaning and value of each.
            pub(crate) fn all(&self) -> Vec<(&'static str, &'static str, u64)> {
                vec![$((stringify!($name), $help, self.$name.value()),)*]
            }
        }
    };
}

counters! {
    requests: "Requests whose body was read.",
    requests_not_taken: "Requests that no provider took: nothing is counted for their tool results.",
    problems: "Requests that were answered with an error of the gateway's own.",
    results: "Tool results in requests, sent again or new, and from tool servers.",
    compressed: "Tool results that went on in other words.",
    cache_hits: "Tool results that were sent before and found by their bytes.",
    cache_misses: "Tool results that were new.",
    cache_evictions: "Entries that left a cache of the gateway for want of room (limits.cache_bytes, limits.cached_sessions).",
    bytes_before: "Bytes of tool results as they came.",
    bytes_after: "Bytes of tool results as they went on.",
    fresh_tokens_before: "Tokens of new tool results as they came.",
    fresh_tokens_after: "Tokens of new tool results as they went on.",
    repeated_tokens_before: "Tokens of repeated tool results as they came.",
    repeated_tokens_after: "Tokens of repeated tool results as they went on.",
    redacted: "Secrets removed from tool results.",
    expansions: "Originals that the model asked for and got.",
    expansions_failed: "Originals that the model asked for and could not get.",
    expansion_tokens: "Tokens of originals that the model asked for.",
    follow_ups_failed: "Replies that broke off because the provider failed when it was asked again after an expansion.",
    deadlines_passed: "Tool results that took too long to compress.",
    given_up: "Requests whose tool results went on as they came, since the work failed or did not end.",
    store_failures: "Calls of the store that failed.",
    strategy_successes: "Answers of the strategy.",
    strategy_failures: "Calls of the strategy without an answer.",
    strategy_remembered: "Answers of the strategy that were used again.",
    prompts_converted: "JSON texts in prompts that were sent as TOON.",
    input_tokens: "Input tokens as providers reported them, expansions included.",
    output_tokens: "Output tokens as providers reported them, expansions included.",
    cache_read_tokens: "Input tokens read from providers' caches, as they reported them.",
    cache_write_tokens: "Input tokens written to providers' caches, as they reported them.",
    events_dropped: "Events that were not written because too many were waiting.",
    shadow_requests: "Requests sent beside the clients' own, to see what compression changes.",
    shadow_dropped: "Sampled requests that were not asked again because too many were waiting.",
    ledger_dropped: "Entries of the ledger that were not written because too many were waiting.",
}
