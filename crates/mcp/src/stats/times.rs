//! A latency histogram: how long calls took, as parts of all of them.

use std::time::Duration;

/// How long calls took, each known to within a tenth.
pub(super) struct LatencyHistogram([u32; LatencyHistogram::BUCKETS]);

impl Default for LatencyHistogram {
    fn default() -> Self {
        LatencyHistogram([0; LatencyHistogram::BUCKETS])
    }
}

impl LatencyHistogram {
    const BUCKETS: usize = 200;
    /// From one bucket to the next. The last begins beyond an hour.
    const STEP: f64 = 1.1;
    const FIRST: f64 = 10e-6;

    pub(super) fn add(&mut self, time: Duration) {
        let bucket = (time.as_secs_f64() / Self::FIRST).max(1.0).log(Self::STEP) as usize;
        let count = &mut self.0[bucket.min(Self::BUCKETS - 1)];
        *count = count.saturating_add(1);
    }

    /// What this part of them took no longer than.
    pub(super) fn part(&self, part: f64) -> Duration {
        let all: u64 = self.0.iter().map(|count| u64::from(*count)).sum();
        let wanted = (all as f64 * part).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.0.iter().enumerate() {
            seen += u64::from(*count);
            if *count > 0 && seen >= wanted {
                return Duration::from_secs_f64(Self::FIRST * Self::STEP.powi(bucket as i32 + 1));
            }
        }
        Duration::ZERO
    }
}
