//! A counting sketch (count-min, one row): how often hashes occur, roughly; enough to leave out the many that occur once or twice.

/// For each hash, how often it was seen, or more often: a few are taken for others. Counted up to 255.
pub(super) struct HashTally {
    counts: Vec<u8>,
}

impl HashTally {
    pub(super) fn of(hashes: impl ExactSizeIterator<Item = u64>) -> Self {
        let mut tally = Self { counts: vec![0; (hashes.len() * 4).next_power_of_two()] };
        for hash in hashes {
            let slot = tally.slot(hash);
            if let Some(count) = tally.counts.get_mut(slot) {
                *count = count.saturating_add(1);
            }
        }
        tally
    }

    pub(super) fn at_most(&self, hash: u64) -> u8 {
        self.counts.get(self.slot(hash)).copied().unwrap_or(0)
    }

    fn slot(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.counts.len() - 1)
    }
}
