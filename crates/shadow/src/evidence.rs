//! Anytime-valid evidence (an e-process by betting): how much more often B does something else than A' does.
//!
//! A sample is a pair: does A' act otherwise than A (noise), and does B? Only pairs in which one of them does and the other
//! does not tell the two apart, as in McNemar's test: d = (B differs) - (A' differs) is 1, 0 or -1, and the harm is the mean
//! of d. Where compression does nothing, A' and B are two draws from the same model, so d is as often 1 as -1, whatever
//! the noise is and however it depends on the request.
//!
//! Evidence that harm is above a bound b is the wealth of a player who bets on it: the product of 1 + λ (d - b) over all
//! samples. Where the harm is at most b no stake λ makes money on average, and by Ville's inequality the wealth *ever*
//! reaches 1/α with a probability of at most α: one may look after every sample and stop at the first alarm. This is the
//! betting of Waudby-Smith and Ramdas ("Estimating means of bounded random variables by betting", 2024). The right stake
//! depends on what is not known, so the wealth is the mean over several fixed stakes (Robbins' method of mixtures). With
//! fixed stakes the order of samples does not matter: four counts are all that has to be kept, and a bound can be set later.
//!
//! An exact McNemar test after every sample gives a false alarm in far more than 5 of 100 runs, and with a number of samples
//! that is fixed in advance it looks once, which is too late for a hold. Wald's sequential test needs the noise to be known.
//! What looking at any time costs is samples. A harm of five points under noise of 10 % and a bound of one point is found by
//! 3,400 samples in 95 of 100 runs, and by 1,260 in half of them (`tests/simulated.rs`); a test of the same power that may look
//! once, at the end, takes about 1,300 (normal approximation), and has to know before what it will find.

use serde::{Deserialize, Serialize};

/// How sure intervals are, each for itself, at all times together.
const INTERVAL_ALPHA: f64 = 0.05;

/// Parts of the largest stake that cannot lose everything. A harm of a few points under much noise is found by small
/// ones, one without noise by large ones.
const STAKES: [f64; 12] = [0.02, 0.03, 0.04, 0.06, 0.08, 0.11, 0.16, 0.22, 0.31, 0.43, 0.6, 0.85];

/// Halvings of an interval of length 2: finer than anybody reads.
const HALVINGS: usize = 40;

/// Paired samples, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairedCounts {
    /// All samples.
    pub samples: u64,
    /// Those in which A' acts otherwise than A.
    pub noise: u64,
    /// Those in which B acts otherwise than A.
    pub changed: u64,
    /// Those in which both do.
    pub both: u64,
}

/// Between which values the harm is, as a part of all samples: -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HarmInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl HarmInterval {
    /// Is this a value in it?
    #[must_use]
    pub fn contains(&self, harm: f64) -> bool {
        self.low <= harm && harm <= self.high
    }
}

impl PairedCounts {
    /// Adds a sample: does A' act otherwise than A, and does B?
    pub fn add(&mut self, is_noise: bool, is_changed: bool) {
        self.samples += 1;
        self.noise += u64::from(is_noise);
        self.changed += u64::from(is_changed);
        self.both += u64::from(is_noise && is_changed);
    }

    /// These samples without some of them.
    #[must_use]
    pub fn without(&self, some: &PairedCounts) -> PairedCounts {
        PairedCounts {
            samples: self.samples.saturating_sub(some.samples),
            noise: self.noise.saturating_sub(some.noise),
            changed: self.changed.saturating_sub(some.changed),
            both: self.both.saturating_sub(some.both),
        }
    }

    /// These samples and others.
    #[must_use]
    pub fn with(&self, others: &PairedCounts) -> PairedCounts {
        PairedCounts {
            samples: self.samples.saturating_add(others.samples),
            noise: self.noise.saturating_add(others.noise),
            changed: self.changed.saturating_add(others.changed),
            both: self.both.saturating_add(others.both),
        }
    }

    /// How much more often B acts otherwise than A' does, as a part of all samples; nothing without samples.
    #[must_use]
    pub fn harm(&self) -> Option<f64> {
        let difference = self.changed as f64 - self.noise as f64;
        (self.samples > 0).then(|| difference / self.samples as f64)
    }

    /// The natural logarithm of the evidence that the harm is above this bound. It passes ln(1/α) at any time with a
    /// probability of at most α where the harm is not above it.
    #[must_use]
    pub fn log_evidence(&self, bound: f64) -> f64 {
        let bound = bound.clamp(-1.0 + f64::EPSILON, 1.0);
        let worse = self.changed.saturating_sub(self.both) as f64;
        let better = self.noise.saturating_sub(self.both) as f64;
        let same = (self.samples as f64 - worse - better).max(0.0);
        let logs = STAKES.map(|part| {
            // d - bound is at least -1 - bound: a larger stake could lose more than there is.
            let stake = part / (1.0 + bound);
            worse * (stake * (1.0 - bound)).ln_1p()
                + same * (-stake * bound).ln_1p()
                + better * (-part).ln_1p()
        });
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        largest + (sum / STAKES.len() as f64).ln()
    }

    /// Between which values the harm is: right at every moment at once with 95 % (a confidence sequence).
    #[must_use]
    pub fn interval(&self) -> HarmInterval {
        let mirrored = PairedCounts { noise: self.changed, changed: self.noise, ..*self };
        // Each end has half of what may be wrong.
        let threshold = (2.0 / INTERVAL_ALPHA).ln();
        HarmInterval { low: self.lowest(threshold), high: -mirrored.lowest(threshold) }
    }

    /// The largest bound above which the harm is, by so much evidence: less of it the larger the bound.
    fn lowest(&self, threshold: f64) -> f64 {
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if self.log_evidence(middle) >= threshold {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(noise: u64, changed: u64, both: u64, samples: u64) -> PairedCounts {
        PairedCounts { samples, noise, changed, both }
    }

    #[test]
    fn v3_without_samples_nothing_is_known() {
        let none = PairedCounts::default();
        assert_eq!(none.harm(), None);
        assert!(none.log_evidence(0.0).abs() < 1e-12);
        let HarmInterval { low, high } = none.interval();
        assert!(low < -0.999 && high > 0.999, "{low} {high}");
    }

    #[test]
    fn v3_the_interval_closes_around_the_harm() {
        for (samples, width) in [(1_000, 0.2), (10_000, 0.06), (100_000, 0.02)] {
            let sampled = counts(samples / 10, samples / 10 + samples / 20, samples / 50, samples);
            let interval = sampled.interval();
            assert!(interval.contains(0.05), "{interval:?}");
            assert!(interval.high - interval.low < width, "{samples}: {interval:?}");
        }
    }

    #[test]
    fn v3_evidence_grows_with_harm_alone() {
        assert!(counts(100, 100, 50, 1_000).log_evidence(0.0) < 0.0);
        assert!(counts(100, 60, 50, 1_000).log_evidence(0.0) < 0.0);
        assert!(counts(0, 60, 0, 1_000).log_evidence(0.0) > 20.0);
        // Both acted otherwise: that says nothing about B.
        assert!(counts(300, 300, 300, 1_000).log_evidence(0.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn v3_ends_are_in_order_and_around_the_mean(
            worse in 0..2_000_u64, better in 0..2_000_u64, both in 0..2_000_u64, same in 0..5_000_u64,
        ) {
            let sampled =
                counts(better + both, worse + both, both, worse + better + both + same);
            let HarmInterval { low, high } = sampled.interval();
            prop_assert!((-1.0..=1.0).contains(&low) && (-1.0..=1.0).contains(&high));
            if let Some(harm) = sampled.harm() {
                prop_assert!(low <= harm + 1e-9 && harm <= high + 1e-9, "{low} {harm} {high}");
            }
            // Larger bounds have less evidence: the search for an end relies on it.
            let evidence: Vec<f64> =
                (-9..=9).map(|tenth| sampled.log_evidence(f64::from(tenth) / 10.0)).collect();
            prop_assert!(evidence.is_sorted_by(|one, next| *next <= *one + 1e-9), "{evidence:?}");
        }

        /// A fair game: the evidence after one more sample is, on average over d = 1, 0, -1 at their chances under a harm
        /// of exactly the bound, no more than before. That is all that Ville's inequality asks for.
        #[test]
        fn v3_no_stake_gains_on_average_where_harm_is_at_the_bound(
            worse in 0..300_u64, better in 0..300_u64, same in 0..300_u64,
            bound in -0.3..0.3_f64, up in 0.0..0.5_f64,
        ) {
            let down = up - bound;
            prop_assume!((0.0..=1.0).contains(&down) && up + down <= 1.0);
            let now = counts(better, worse, 0, worse + better + same);
            let after = |is_noise, is_changed| {
                let mut next = now;
                next.add(is_noise, is_changed);
                (next.log_evidence(bound) - now.log_evidence(bound)).exp()
            };
            let mean = up * after(false, true) + down * after(true, false)
                + (1.0 - up - down) * after(false, false);
            prop_assert!(mean <= 1.0 + 1e-6, "{mean}");
        }
    }
}
