//! Keys that occur more than once in an object or a field list.

use std::collections::{HashMap, HashSet};

/// Up to this many keys, comparing all pairs is faster than hashing.
const FEW: usize = 16;

/// The index of the first key that occurred before.
#[inline]
pub(super) fn first_repeat<'k>(
    keys: impl Iterator<Item = &'k [u8]> + Clone,
    count: usize,
) -> Option<usize> {
    if count > FEW {
        let mut seen = HashSet::with_capacity(count);
        return keys.into_iter().position(|key| !seen.insert(key));
    }
    let mut others = keys.clone().enumerate();
    others.position(|(index, key)| keys.clone().take(index).any(|earlier| earlier == key))
}

/// For every distinct key, in the order of first occurrence: the index of its last occurrence.
#[cold]
pub(super) fn last_occurrences<'k>(keys: impl Iterator<Item = &'k [u8]>) -> Vec<usize> {
    let mut position = HashMap::new();
    let mut winners = Vec::new();
    for (index, key) in keys.enumerate() {
        let place = *position.entry(key).or_insert(winners.len());
        match winners.get_mut(place) {
            Some(winner) => *winner = index,
            None => winners.push(index),
        }
    }
    winners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_repeat_among_few_and_many_keys() {
        for count in [2, FEW, FEW + 1, 1000] {
            let mut keys: Vec<String> = (0..count).map(|n| format!("key{n}")).collect();
            let repeat =
                |keys: &[String]| first_repeat(keys.iter().map(String::as_bytes), keys.len());
            assert_eq!(repeat(&keys), None, "{count} distinct keys");
            keys.push("key1".into());
            assert_eq!(repeat(&keys), Some(count), "{count} keys and one again");
        }
    }

    #[test]
    fn the_last_occurrence_takes_the_place_of_the_first() {
        assert_eq!(
            last_occurrences([b"a", b"b", b"a", b"c", b"b", b"a"].into_iter().map(|key| &key[..])),
            [5, 4, 3]
        );
    }
}
