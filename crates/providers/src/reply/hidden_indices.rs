//! The indices of hidden calls, and those of the others without the gaps that these would leave.

/// The indices that the client does not get.
#[derive(Debug, Default)]
pub(crate) struct HiddenIndices {
    ascending: Vec<u64>,
}

impl HiddenIndices {
    pub(crate) fn add(&mut self, index: u64) {
        let at = self.ascending.partition_point(|known| *known < index);
        if self.ascending.get(at) != Some(&index) {
            self.ascending.insert(at, index);
        }
    }

    /// The index as if those before it were not there.
    pub(crate) fn client_index(&self, index: u64) -> u64 {
        let before = self.ascending.partition_point(|known| *known < index);
        index.saturating_sub(before as u64)
    }

    pub(crate) fn contains(&self, index: u64) -> bool {
        self.ascending.binary_search(&index).is_ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ascending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_gap_moves_up() {
        let mut hidden = HiddenIndices::default();
        [3, 1, 3].into_iter().for_each(|index| hidden.add(index));
        assert_eq!([0, 2, 4, 9].map(|index| hidden.client_index(index)), [0, 1, 2, 7]);
        assert!(hidden.contains(3) && !hidden.contains(2));
    }
}
