//! The indices of a reply's calls as the client has them: without the hidden calls, and without the gaps these would leave.

use std::collections::{BTreeMap, BTreeSet};

/// Which indices are hidden, and which index each of the others has for the client.
#[derive(Debug, Default)]
pub(crate) struct HiddenIndices {
    hidden: Vec<u64>,
    /// What the client was told. That stays: parts of a call follow under the index under which it began.
    told: BTreeMap<u64, u64>,
    taken: BTreeSet<u64>,
}

impl HiddenIndices {
    pub(crate) fn add(&mut self, index: u64) {
        let at = self.hidden.partition_point(|known| *known < index);
        if self.hidden.get(at) != Some(&index) {
            self.hidden.insert(at, index);
        }
    }

    /// The index as if the hidden ones before it were not there. Where another call has that already, because a hidden one
    /// began later than those behind it, the next one that is free.
    pub(crate) fn client_index(&mut self, index: u64) -> u64 {
        if let Some(told) = self.told.get(&index) {
            return *told;
        }
        let before = self.hidden.partition_point(|known| *known < index);
        let mut client = index.saturating_sub(before as u64);
        while !self.taken.insert(client) && client < u64::MAX {
            client += 1;
        }
        self.told.insert(index, client);
        client
    }

    pub(crate) fn contains(&self, index: u64) -> bool {
        self.hidden.binary_search(&index).is_ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hidden.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g74_indexes_behind_a_hidden_one_move_up() {
        let mut hidden = HiddenIndices::default();
        [3, 1, 3].into_iter().for_each(|index| hidden.add(index));
        assert_eq!([0, 2, 4, 9].map(|index| hidden.client_index(index)), [0, 1, 2, 7]);
        assert!(hidden.contains(3) && !hidden.contains(2));
    }

    #[test]
    fn g74_an_index_that_was_told_stays() {
        let mut hidden = HiddenIndices::default();
        assert_eq!(hidden.client_index(1), 1);
        hidden.add(0);
        assert_eq!([2, 1, 3].map(|index| hidden.client_index(index)), [2, 1, 3]);
        assert_eq!(hidden.client_index(2), 2);
    }
}
