//! A Bloom filter of keys: "was this key here before?", answered in a few instructions with surely not, or perhaps.

/// The marks of keys, two bits each in words of their own. Keys that share both may be equal; few others do.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KeyFilter {
    ends: u64,
    middles: u64,
}

impl KeyFilter {
    /// Adds a key. False if it surely was not there; true if it was, and now and then if it was not.
    #[inline]
    pub(crate) fn add(&mut self, key: &[u8]) -> bool {
        let byte = |byte: Option<&u8>| byte.map_or(0, |byte| u64::from(*byte));
        let length = key.len() as u64;
        let (first, last) = (byte(key.first()), byte(key.last()));
        let middle = byte(key.get(key.len() / 2));
        let end = 1 << ((first ^ last << 2 ^ length << 4) % 64);
        let middle = 1 << ((middle ^ first << 3 ^ length) % 64);
        let perhaps = self.ends & end != 0 && self.middles & middle != 0;
        self.ends |= end;
        self.middles |= middle;
        perhaps
    }
}

#[cfg(test)]
mod tests {
    use super::KeyFilter;

    #[test]
    fn a_key_that_was_added_is_never_surely_new() {
        let keys =
            ["", "a", "b", "id", "name", "created_at", "é", "a rather long key of an object"];
        let mut filter = KeyFilter::default();
        let doubts = keys.iter().filter(|key| filter.add(key.as_bytes())).count();
        assert!(doubts <= 1, "the keys of a small object are told apart");
        assert!(keys.iter().all(|key| filter.add(key.as_bytes())));
    }
}
