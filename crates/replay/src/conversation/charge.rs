//! The prompt cache in the bill: what a request would have been charged for, given what it was charged for.

use super::MessageMark;
use crate::usage::UsageCharge;
use tokenforge_config::Price;

/// A request: the messages it is made of, and how its tokens are counted.
pub(super) struct ChargedRequest<'c> {
    pub(super) messages: &'c [MessageMark],
    /// Tokens that the provider bills for each one counted.
    pub(super) factor: f64,
    /// Tokens that it has beyond what was logged: of our own tool, and of what the model fetched in its shell.
    pub(super) added: usize,
    /// The message from which on it is not what was sent before, so that nothing of that is in the provider's cache. With
    /// the first, neither are the tools: ours is new among them.
    pub(super) rewritten_from: Option<usize>,
}

/// What a request would have been charged for.
pub(super) struct RequestCharge {
    pub(super) after: UsageCharge,
    /// How many whole messages were read from the cache.
    pub(super) cached: usize,
    /// Which part of the next one was.
    pub(super) part: f64,
    /// What was not is paid at the price of a write.
    pub(super) is_written: bool,
    /// Which part of what is written is kept for an hour.
    pub(super) hour: f64,
    /// Tokens that were billed for each one counted.
    pub(super) factor: f64,
}

impl ChargedRequest<'_> {
    /// A provider reads the beginning of a request from its cache, so what is saved in the messages that were in it
    /// comes off the reads, and the rest off what was new.
    pub(super) fn charge(&self, before: &UsageCharge) -> RequestCharge {
        let all = self.messages.last().copied().unwrap_or_default();
        // A request that was charged less than its messages have did not carry all of them: clients clear old results.
        let factor = self.factor.min(before.total_input() / all.tokens.max(1) as f64);
        let new = (before.cache_write + before.input) / factor.max(f64::MIN_POSITIVE);
        // What comes before the messages was not logged; what was new is at their end.
        let (cached, part) = self.place(all.tokens as f64 - new);
        let at = |count: usize| {
            let last = count.checked_sub(1).and_then(|last| self.messages.get(last));
            last.copied().unwrap_or_default().saved as f64
        };
        let saved_cached = factor * (at(cached) + part * (at(cached + 1) - at(cached)));
        let saved_new = factor * all.saved as f64 - saved_cached;
        let added = self.factor * self.added as f64;
        let is_written = before.cache_write > 0.0;
        let mut after = *before;
        after.cache_read -= saved_cached;
        let (first, second) = if is_written {
            (&mut after.cache_write, &mut after.input)
        } else {
            (&mut after.input, &mut after.cache_write)
        };
        let taken = saved_new.min(*first);
        *first -= taken;
        *second = (*second - (saved_new - taken)).max(0.0);
        if before.cache_read > 0.0 {
            after.cache_read += added;
        } else if is_written {
            after.cache_write += added;
        } else {
            after.input += added;
        }
        after.cache_read = after.cache_read.max(0.0);
        if let Some(message) = self.rewritten_from {
            let lost = (after.cache_read - self.unchanged(message, before, factor)).max(0.0);
            after.cache_read -= lost;
            *if is_written { &mut after.cache_write } else { &mut after.input } += lost;
        }
        let hour = before.cache_write_1h / before.cache_write.max(f64::MIN_POSITIVE);
        after.cache_write_1h = hour * after.cache_write;
        RequestCharge { after, cached, part, is_written, hour, factor }
    }

    /// Tokens before a message, as they are sent.
    fn unchanged(&self, message: usize, before: &UsageCharge, factor: f64) -> f64 {
        let Some(last) = message.checked_sub(1).and_then(|last| self.messages.get(last)) else {
            return 0.0;
        };
        let all = self.messages.last().copied().unwrap_or_default();
        let tools = (before.total_input() - factor * all.tokens as f64).max(0.0);
        let sent = last.tokens as f64 - last.saved as f64;
        tools + factor * sent + self.factor * self.added as f64
    }

    /// How many whole messages so many tokens are, and which part of the next one.
    fn place(&self, tokens: f64) -> (usize, f64) {
        let whole = self.messages.partition_point(|mark| mark.tokens as f64 <= tokens);
        let start = whole.checked_sub(1).and_then(|last| self.messages.get(last));
        let start = start.map_or(0.0, |mark| mark.tokens as f64);
        let Some(next) = self.messages.get(whole) else { return (whole, 0.0) };
        let part = (tokens - start) / (next.tokens as f64 - start).max(1.0);
        (whole, part.clamp(0.0, 1.0))
    }
}

/// What a token in front of a request costs that was charged like this, in dollars: what our own tool costs, and every
/// other declaration.
pub(super) fn front_rate(before: &UsageCharge, price: &Price) -> f64 {
    let one = match (before.cache_read > 0.0, before.cache_write > 0.0) {
        (true, _) => UsageCharge { cache_read: 1.0, ..UsageCharge::default() },
        (false, true) => {
            let cache_write_1h = before.cache_write_1h / before.cache_write;
            UsageCharge { cache_write: 1.0, cache_write_1h, ..UsageCharge::default() }
        }
        (false, false) => UsageCharge { input: 1.0, ..UsageCharge::default() },
    };
    one.cost(price).total_input()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u2_a_declaration_is_written_once_and_read_afterwards() {
        let price = Price {
            input: 3.0,
            output: 15.0,
            cache_read: 0.3,
            cache_write: 3.75,
            cache_write_1h: 6.0,
        };
        let charged = |cache_read: f64, cache_write: f64, cache_write_1h: f64| {
            let usage =
                UsageCharge { input: 5.0, cache_read, cache_write, cache_write_1h, output: 5.0 };
            (front_rate(&usage, &price) * 1e9).round() / 1e3
        };
        assert_eq!(charged(9.0, 9.0, 0.0), 0.3);
        assert_eq!((charged(0.0, 9.0, 0.0), charged(0.0, 9.0, 9.0)), (3.75, 6.0));
        assert_eq!(charged(0.0, 0.0, 0.0), 3.0);
    }

    const MESSAGES: [MessageMark; 2] =
        [MessageMark { tokens: 1000, saved: 400 }, MessageMark { tokens: 1500, saved: 500 }];

    fn context(added: usize) -> ChargedRequest<'static> {
        ChargedRequest { messages: &MESSAGES, factor: 1.0, added, rewritten_from: None }
    }

    #[test]
    fn what_is_saved_in_cached_messages_comes_off_the_reads() {
        // 2,000 tokens of tools and prompts come before the messages.
        let before = UsageCharge {
            input: 0.0,
            cache_read: 3000.0,
            cache_write: 500.0,
            output: 9.0,
            ..UsageCharge::default()
        };
        let charge = context(0).charge(&before);
        let after = UsageCharge {
            input: 0.0,
            cache_read: 2600.0,
            cache_write: 400.0,
            output: 9.0,
            ..UsageCharge::default()
        };
        assert_eq!((charge.after, charge.cached), (after, 1));
    }

    #[test]
    fn where_the_cache_was_cold_all_is_saved_at_the_price_of_a_write() {
        let before = UsageCharge {
            input: 0.0,
            cache_read: 0.0,
            cache_write: 3500.0,
            output: 9.0,
            ..UsageCharge::default()
        };
        let after = UsageCharge { cache_write: 3000.0 + 100.0, ..before };
        assert_eq!(context(100).charge(&before).after, after);
    }

    #[test]
    fn what_the_client_cleared_before_it_asked_is_not_saved_twice() {
        let before = UsageCharge {
            input: 0.0,
            cache_read: 700.0,
            cache_write: 50.0,
            output: 9.0,
            ..UsageCharge::default()
        };
        let after = context(0).charge(&before).after;
        assert_eq!(before.total_input() - after.total_input(), 250.0);
    }

    #[test]
    fn a_provider_without_writes_is_paid_less_input() {
        let before = UsageCharge {
            input: 500.0,
            cache_read: 3000.0,
            cache_write: 0.0,
            output: 9.0,
            ..UsageCharge::default()
        };
        let after = UsageCharge { input: 400.0, cache_read: 2600.0, ..before };
        assert_eq!(context(0).charge(&before).after, after);
    }

    #[test]
    fn our_own_tool_in_mid_conversation_is_paid_with_the_whole_request() {
        let before = UsageCharge {
            input: 0.0,
            cache_read: 3000.0,
            cache_write: 500.0,
            output: 9.0,
            ..UsageCharge::default()
        };
        let context = ChargedRequest { rewritten_from: Some(0), ..context(100) };
        let after = UsageCharge {
            input: 0.0,
            cache_read: 0.0,
            cache_write: 3100.0,
            output: 9.0,
            ..UsageCharge::default()
        };
        assert_eq!(context.charge(&before).after, after);
    }

    #[test]
    fn l11_what_changes_in_a_warm_cache_is_written_again_from_there_on() {
        // 2,000 tokens of tools and prompts, a message of 600 after it was made smaller, and one of 400.
        let before =
            UsageCharge { cache_read: 3400.0, cache_write: 100.0, ..UsageCharge::default() };
        let whole = context(0).charge(&before).after;
        let context = ChargedRequest { rewritten_from: Some(1), ..context(0) };
        let after = context.charge(&before).after;
        assert_eq!(after.cache_read, 2600.0);
        assert_eq!(after.total_input(), whole.total_input());
        let cold = UsageCharge { cache_write: 3500.0, ..UsageCharge::default() };
        assert_eq!(context.charge(&cold).after.cache_write, 3000.0, "nothing was in the cache");
    }
}
