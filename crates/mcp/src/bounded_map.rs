//! A map with a bound: the oldest entries make room for new ones (FIFO eviction, by number and by bytes).

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// The longest id or address that is remembered.
pub(crate) const LONGEST_KEY: usize = 8 << 10;

/// How many bytes a text takes as a key: it is kept for the lookup and for the order.
pub(crate) fn key_bytes(key: &str) -> usize {
    2 * key.len()
}

/// A map that holds no more than so many entries and bytes.
#[derive(Debug)]
pub(crate) struct BoundedMap<K, V> {
    most: usize,
    most_bytes: usize,
    bytes: usize,
    next: u64,
    entries: HashMap<K, MapEntry<V>>,
    /// The keys in the order in which they came.
    order: BTreeMap<u64, K>,
}

#[derive(Debug)]
struct MapEntry<V> {
    number: u64,
    bytes: usize,
    value: V,
}

impl<K: Clone + Eq + Hash, V> BoundedMap<K, V> {
    pub(crate) fn new(most: usize, most_bytes: usize) -> Self {
        let (entries, order) = (HashMap::new(), BTreeMap::new());
        BoundedMap { most, most_bytes, bytes: 0, next: 0, entries, order }
    }

    /// Keeps a value of so many bytes in the place of what the key had; gives out what makes room for it.
    pub(crate) fn insert(&mut self, key: K, value: V, bytes: usize) -> Vec<V> {
        self.remove(&key);
        self.next += 1;
        self.bytes += bytes;
        self.order.insert(self.next, key.clone());
        self.entries.insert(key, MapEntry { number: self.next, bytes, value });
        let mut gone = Vec::new();
        while self.entries.len() > self.most || self.bytes > self.most_bytes {
            let Some(oldest) = self.order.values().next().cloned() else { break };
            gone.extend(self.remove(&oldest));
        }
        gone
    }

    pub(crate) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.entries.get(key).map(|entry| &entry.value)
    }

    pub(crate) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.entries.get_mut(key).map(|entry| &mut entry.value)
    }

    pub(crate) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let entry = self.entries.remove(key)?;
        self.bytes -= entry.bytes;
        self.order.remove(&entry.number);
        Some(entry.value)
    }

    /// The keys whose values are like this, the oldest first.
    pub(crate) fn keys_where(&self, is_it: impl Fn(&V) -> bool) -> Vec<K> {
        let fits = |key: &&K| self.entries.get(*key).is_some_and(|entry| is_it(&entry.value));
        self.order.values().filter(fits).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_make_room_by_number_and_by_bytes() {
        let mut map = BoundedMap::new(3, 10);
        for n in 1..=3 {
            assert!(map.insert(n, n * 10, 1).is_empty());
        }
        assert_eq!(map.insert(4, 40, 1), [10]);
        assert_eq!((map.get(&1), map.get(&4)), (None, Some(&40)));
        assert!(map.insert(2, 21, 1).is_empty(), "a key that is there needs no room");
        assert_eq!(map.insert(5, 50, 8), [30], "the second was put again, and is newer");
        assert_eq!(map.insert(6, 60, 9), [40, 21, 50]);
        assert_eq!(map.remove(&6), Some(60));
        assert_eq!(map.insert(7, 70, 11), [70], "what is too large alone is not kept");
        map.insert(8, 80, 10);
        map.insert(9, 90, 0);
        assert_eq!(map.keys_where(|value| *value > 50), [8, 9]);
    }
}
