//! What a token of each message costs over all requests that carry it.

use super::charge::RequestCharge;
use tokenforge_config::Price;

/// Dollars for a token of each message, as differences to the message before it: a request adds to many at once.
#[derive(Debug, Default)]
pub(super) struct MessageRates(Vec<f64>);

impl MessageRates {
    /// A request of so many messages was charged for.
    pub(super) fn add(&mut self, charge: &RequestCharge, messages: usize, price: &Price) {
        let dollars = |price: f64| charge.factor * price / 1e6;
        let read = dollars(price.cache_read);
        let hour = charge.hour * (price.cache_write_1h - price.cache_write);
        let new = dollars(if charge.is_written { price.cache_write + hour } else { price.input });
        let cached = charge.cached.min(messages);
        let next = (cached + 1).min(messages);
        self.between(0, cached, read);
        self.between(cached, next, charge.part * read + (1.0 - charge.part) * new);
        self.between(next, messages, new);
    }

    fn between(&mut self, start: usize, end: usize, rate: f64) {
        if self.0.len() <= end {
            self.0.resize(end + 1, 0.0);
        }
        self.0[start] += rate;
        self.0[end] -= rate;
    }

    /// The rate of each message.
    pub(super) fn by_message(self) -> Vec<f64> {
        let mut sum = 0.0;
        let rate = |step: f64| {
            sum += step;
            sum
        };
        self.0.into_iter().map(rate).collect()
    }
}
