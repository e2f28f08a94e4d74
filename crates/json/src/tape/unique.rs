//! Duplicate keys: does an object have one twice?

use super::Json;
use crate::escape::unescape;
use std::borrow::Cow;
use std::collections::HashSet;

impl<'a> Json<'a> {
    /// The first key of the object that an earlier member has already, by value rather than by spelling.
    pub fn first_duplicate(&self, object: usize) -> Option<usize> {
        match self.count(object) {
            0 | 1 => None,
            2..=16 => self.duplicate_by_pairs::<16>(object),
            17..=64 => self.duplicate_by_pairs::<64>(object),
            _ => self.duplicate_by_set(object),
        }
    }

    /// Compares every pair by fingerprint: for the few keys that objects have, faster than any set.
    fn duplicate_by_pairs<const N: usize>(&self, object: usize) -> Option<usize> {
        let mut seen = [0; N];
        let mut is_suspect = false;
        for (slot, key) in self.keys(object).enumerate().take(N) {
            let print = self.fingerprint(key);
            // All slots, without stopping at a match: that is a handful of vector instructions.
            let matches: u32 = seen.iter().map(|other| u32::from(*other == print)).sum();
            is_suspect |= matches > 0 || self.node(key).content.has_rare_escape();
            seen[slot] = print;
        }
        if is_suspect { self.duplicate_by_set(object) } else { None }
    }

    /// Equal keys have equal prints, different ones hardly ever. Never zero, which marks an empty slot.
    #[inline]
    fn fingerprint(&self, key: usize) -> u32 {
        let text = self.text.as_bytes();
        let node = self.node(key);
        let (start, end) = (node.start as usize + 1, node.end as usize - 1);
        let length = end - start;
        let eight = |at: usize| match text.get(at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => text[at..].iter().rev().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte)),
        };
        let bytes = match length {
            0..8 => eight(start) & ((1 << (8 * length)) - 1),
            _ => eight(start) ^ eight(end - 8).rotate_left(29),
        };
        let mixed = (bytes ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as u32 | 1
    }

    fn duplicate_by_set(&self, object: usize) -> Option<usize> {
        let mut seen = HashSet::with_capacity(self.count(object));
        self.keys(object).find(|key| !seen.insert(self.key_value(*key)))
    }

    /// The value of a key, for comparing. A key that has no value (half a surrogate pair) is compared as written.
    pub fn key_value(&self, key: usize) -> Cow<'a, str> {
        let text = self.unquoted(key);
        if self.node(key).content.has_escape()
            && let Some(value) = unescape(text)
        {
            return value;
        }
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::Json;

    #[test]
    fn k7_duplicates_are_found_by_value_among_few_and_many_keys() {
        for others in [0, 6, 60, 600] {
            let mut members: Vec<String> =
                (0..others).map(|n| format!("\"key_{n}\":{n}")).collect();
            let unique = format!(
                "{{\"a\":0,{}\"\\u0062\":1}}",
                members.join(",") + &",".repeat(others.min(1))
            );
            assert_eq!(Json::parse(&unique).unwrap().first_duplicate(0), None);
            for (one, other) in [
                ("a", "a"),
                ("a\\n", "a\\n"),
                ("a", "\\u0061"),
                ("", ""),
                ("long key, odd", "long key, odd"),
            ] {
                members.insert(0, format!("\"{one}\":0"));
                members.push(format!("\"{other}\":1"));
                let text = format!("{{{}}}", members.join(","));
                let json = Json::parse(&text).unwrap();
                let duplicate = json.first_duplicate(0).expect(&text);
                assert_eq!(json.raw(duplicate), format!("\"{other}\""));
                members.pop();
                members.remove(0);
            }
        }
    }
}
