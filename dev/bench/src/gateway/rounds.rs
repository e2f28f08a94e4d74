//! Rounds that count. On a machine that is shared, others may have the processors for a while; a round in which they had
//! them is taken again, by all who take part in it.

use super::process;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// The part of the processors that others may have in a round.
const STOLEN: f64 = 0.03;

/// The rounds that are still to be taken.
pub(crate) struct Rounds {
    left: usize,
    /// How many may be taken again: others may have the processors all the time.
    patience: usize,
    start: Instant,
    stolen: Duration,
}

impl Rounds {
    pub(crate) fn new(count: usize) -> Self {
        Self { left: count, patience: 2 * count, start: Instant::now(), stolen: Duration::ZERO }
    }

    /// Begins the next round, if there is one.
    pub(crate) fn begin(&mut self) -> anyhow::Result<bool> {
        self.start = Instant::now();
        self.stolen = process::stolen()?;
        Ok(self.left > 0)
    }

    /// Ends the round: does it count?
    pub(crate) fn counts(&mut self) -> anyhow::Result<bool> {
        let all = self.start.elapsed().as_secs_f64() * available_parallelism()?.get() as f64;
        let stolen = (process::stolen()? - self.stolen).as_secs_f64();
        let is_again = stolen > STOLEN * all && self.patience > 0;
        let rest = if is_again { &mut self.patience } else { &mut self.left };
        *rest -= 1;
        Ok(!is_again)
    }
}
