//! Token usage: what a provider charges for a request, in tokens and in money.

use serde::Serialize;
use serde_json::Value;
use std::ops::{AddAssign, Sub};
use tokenforge_config::Price;

/// What a provider charges for a request, by the price that applies. In tokens, or in dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct UsageCharge {
    /// Input that was in no cache.
    pub input: f64,
    /// Input that was read from the provider's prompt cache.
    pub cache_read: f64,
    /// Input that was written to it.
    pub cache_write: f64,
    /// Of `cache_write`, what is kept for an hour.
    pub cache_write_1h: f64,
    /// Output.
    pub output: f64,
}

impl UsageCharge {
    /// Reads what a log says, in the words of any provider or client; `None` if it says nothing.
    ///
    /// ```
    /// use tokenforge_replay::usage::UsageCharge;
    ///
    /// let anthropic = serde_json::json!({"input_tokens": 3, "cache_read_input_tokens": 900, "output_tokens": 40});
    /// assert_eq!(UsageCharge::read(&anthropic).unwrap().cache_read, 900.0);
    /// let openai = serde_json::json!({"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 900}});
    /// assert_eq!(UsageCharge::read(&openai).unwrap().input, 100.0);
    /// ```
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        // With compaction a reply takes several iterations, and its own figures leave some of them out. What an advisor
        // did is charged at another model's price, and is no part of this.
        let iterations = value["iterations"].as_array().into_iter().flatten();
        let own = iterations.filter(|iteration| iteration["type"] != "advisor_message");
        let sum = own.filter_map(Self::read_one).reduce(|mut sum, one| {
            sum += one;
            sum
        });
        sum.or_else(|| Self::read_one(value))
    }

    fn read_one(value: &Value) -> Option<Self> {
        let first = |names: &[&str]| names.iter().find_map(|name| value.pointer(name)?.as_f64());
        let sum = |names: &[&str]| -> f64 { names.iter().filter_map(|name| first(&[*name])).sum() };
        let output = first(&["/output_tokens", "/completion_tokens"])
            .unwrap_or_else(|| sum(&["/output", "/reasoning"]));
        // Those of OpenAI's kind count what was cached as a part of the input, all others beside it.
        let included = first(&[
            "/cached_input_tokens",
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
        ]);
        let beside = first(&["/cache_read_input_tokens", "/cacheRead", "/cache/read"]);
        let cache_write = first(&[
            "/cache_creation_input_tokens",
            "/cache_write_input_tokens",
            "/cacheWrite",
            "/cache/write",
        ]);
        let input = first(&["/input_tokens", "/prompt_tokens", "/input"]);
        let hour = first(&["/cache_creation/ephemeral_1h_input_tokens"]).unwrap_or(0.0);
        let (cache_write, total) = (cache_write.unwrap_or(0.0), input.unwrap_or(0.0));
        let cache_write_1h = hour.min(cache_write);
        let usage = match (included, beside) {
            (Some(cached), None) => UsageCharge {
                input: (total - cached - cache_write).max(0.0),
                cache_read: cached,
                cache_write,
                cache_write_1h,
                output,
            },
            _ => UsageCharge {
                input: total,
                cache_read: beside.unwrap_or(0.0),
                cache_write,
                cache_write_1h,
                output,
            },
        };
        let numbers = [usage.input, usage.cache_read, usage.cache_write, usage.output];
        let is_sane = numbers.iter().all(|number| (0.0..1e12).contains(number));
        (is_sane && usage.total_input() > 0.0).then_some(usage)
    }

    /// All that went to the model.
    #[must_use]
    pub fn total_input(&self) -> f64 {
        self.input + self.cache_read + self.cache_write
    }

    /// All.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total_input() + self.output
    }

    /// What so many tokens cost, in dollars.
    #[must_use]
    pub fn cost(&self, price: &Price) -> Self {
        let dollars = |tokens: f64, price: f64| tokens * price / 1e6;
        UsageCharge {
            input: dollars(self.input, price.input),
            cache_read: dollars(self.cache_read, price.cache_read),
            cache_write: dollars(self.cache_write - self.cache_write_1h, price.cache_write)
                + dollars(self.cache_write_1h, price.cache_write_1h),
            cache_write_1h: dollars(self.cache_write_1h, price.cache_write_1h),
            output: dollars(self.output, price.output),
        }
    }
}

impl AddAssign for UsageCharge {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.cache_write_1h += other.cache_write_1h;
        self.output += other.output;
    }
}

impl Sub for UsageCharge {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        UsageCharge {
            input: self.input - other.input,
            cache_read: self.cache_read - other.cache_read,
            cache_write: self.cache_write - other.cache_write,
            cache_write_1h: self.cache_write_1h - other.cache_write_1h,
            output: self.output - other.output,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_provider_s_words_are_understood() {
        let expected = UsageCharge {
            input: 10.0,
            cache_read: 90.0,
            cache_write: 5.0,
            cache_write_1h: 0.0,
            output: 7.0,
        };
        for usage in [
            json!({"input_tokens": 10, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 7}),
            json!({"input_tokens": 105, "cached_input_tokens": 90, "cache_write_input_tokens": 5, "output_tokens": 7}),
            json!({"input": 10, "cacheRead": 90, "cacheWrite": 5, "output": 7}),
            json!({"input": 10, "output": 4, "reasoning": 3, "cache": {"read": 90, "write": 5}}),
        ] {
            assert_eq!(UsageCharge::read(&usage), Some(expected), "{usage}");
        }
    }

    #[test]
    fn d30_an_hour_and_every_iteration_are_read() {
        let usage = json!({
            "input_tokens": 23, "output_tokens": 1,
            "iterations": [
                {"type": "compaction", "input_tokens": 180, "output_tokens": 3},
                {"type": "message", "input_tokens": 23, "output_tokens": 1, "cache_creation_input_tokens": 9,
                 "cache_creation": {"ephemeral_5m_input_tokens": 2, "ephemeral_1h_input_tokens": 7}},
                {"type": "advisor_message", "model": "other", "input_tokens": 50, "output_tokens": 5},
            ],
        });
        let read = UsageCharge {
            input: 203.0,
            cache_read: 0.0,
            cache_write: 9.0,
            cache_write_1h: 7.0,
            output: 4.0,
        };
        assert_eq!(UsageCharge::read(&usage), Some(read));
    }

    #[test]
    fn what_says_nothing_or_nonsense_is_no_usage() {
        for usage in [
            json!(null),
            json!({}),
            json!({"input_tokens": 0}),
            json!({"input_tokens": "many"}),
            json!({"input_tokens": -5}),
            json!({"input_tokens": 1e300}),
        ] {
            assert_eq!(UsageCharge::read(&usage), None, "{usage}");
        }
    }
}
