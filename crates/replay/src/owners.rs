//! Requests in several logs, deduplicated: the log of a session that was resumed or forked begins with copies of another's lines.

use std::collections::BTreeMap;

/// So many requests are remembered, in some 30 MB. Copies of others are counted.
const REMEMBERED: usize = 1 << 20;

/// The log that each request belongs to: the first that has it, whichever was looked at first.
#[derive(Debug, Default)]
pub(crate) struct RequestOwners(BTreeMap<u64, usize>);

impl RequestOwners {
    /// The log with this index has this request.
    pub(crate) fn add(&mut self, request: u64, log: usize) {
        let owner = self.0.entry(request).or_insert(log);
        *owner = log.min(*owner);
        // Those with the lowest ids stay, so that which these are does not depend on the order either.
        if self.0.len() > REMEMBERED {
            self.0.pop_last();
        }
    }

    /// Is the request in the log with this index a copy of one in another log?
    pub(crate) fn is_copy(&self, request: u64, log: usize) -> bool {
        self.0.get(&request).is_some_and(|owner| *owner < log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_log_owns_a_request_in_whatever_order_they_are_looked_at() {
        for logs in [[1, 2], [2, 1]] {
            let mut owners = RequestOwners::default();
            logs.into_iter().for_each(|log| owners.add(7, log));
            assert_eq!([1, 2].map(|log| owners.is_copy(7, log)), [false, true]);
            assert!(!owners.is_copy(8, 2));
        }
    }
}
