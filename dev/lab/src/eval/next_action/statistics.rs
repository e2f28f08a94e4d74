//! Paired statistics, as dev/bench/readability has them: a bootstrap over sessions, since decisions of one session are not
//! independent, and the exact test of McNemar.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

const RESAMPLES: usize = 2000;

/// A mean, with a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Interval {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// How often something was chosen from the original and from the compressed context.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct PairedChoice {
    decisions: usize,
    original: f64,
    compressed: f64,
    /// Of the shares.
    pub(super) difference: Interval,
    /// McNemar, exact, two-sided.
    p: f64,
}

/// The mean of differences, each with the number of its session.
pub(super) fn difference(pairs: impl Iterator<Item = (usize, f64)>) -> Interval {
    let mut by_session: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (session, difference) in pairs {
        let (sum, count) = by_session.entry(session).or_default();
        *sum += difference;
        *count += 1.0;
    }
    let sessions: Vec<(f64, f64)> = by_session.into_values().collect();
    let mean = |sums: (f64, f64)| if sums.1 > 0.0 { sums.0 / sums.1 } else { 0.0 };
    let add = |one: (f64, f64), other: &(f64, f64)| (one.0 + other.0, one.1 + other.1);
    let value = mean(sessions.iter().fold((0.0, 0.0), add));
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut draw = || {
        let drawn = (0..sessions.len()).filter_map(|_| sessions.get(dice.below(sessions.len())));
        mean(drawn.fold((0.0, 0.0), add))
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| draw()).collect();
    means.sort_by(f64::total_cmp);
    let at = |share: usize| means.get(RESAMPLES * share / 1000).copied().unwrap_or(value);
    Interval { value, low: at(25), high: at(975) }
}

/// A stream of numbers that is the same in every run: a report can be made again.
struct Dice(u64);

impl Dice {
    /// A number below another. SplitMix64, whose bias for a few thousand sessions is nothing.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let scaled = (u128::from(mixed) * end as u128) >> 64;
        usize::try_from(scaled).unwrap_or_default()
    }
}

impl PairedChoice {
    /// Of pairs of what was chosen from the original and from the compressed context, each with the number of its session.
    pub(super) fn of(pairs: impl Iterator<Item = (usize, (bool, bool))>) -> Self {
        let pairs: Vec<_> = pairs.collect();
        let share = |chosen: &dyn Fn(&(bool, bool)) -> bool| {
            let count = pairs.iter().filter(|(_, pair)| chosen(pair)).count();
            count as f64 / pairs.len().max(1) as f64
        };
        let only = |which: (bool, bool)| pairs.iter().filter(|(_, pair)| *pair == which).count();
        let gain =
            |(one, other): (bool, bool)| f64::from(u8::from(other)) - f64::from(u8::from(one));
        PairedChoice {
            decisions: pairs.len(),
            original: share(&|pair| pair.0),
            compressed: share(&|pair| pair.1),
            difference: difference(pairs.iter().map(|(session, pair)| (*session, gain(*pair)))),
            p: mcnemar(only((true, false)), only((false, true))),
        }
    }
}

/// The exact two-sided p of so many pairs that differ one way, and so many the other way.
fn mcnemar(one: usize, other: usize) -> f64 {
    let pairs = one + other;
    // The chance of each count, from that of none: a product that never leaves the range of a float's logarithm.
    let mut chance = -(pairs as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for count in 0..=one.min(other) {
        tail += chance.exp();
        chance += ((pairs - count) as f64 / (count + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.3} ({:+.3} to {:+.3})", self.value, self.low, self.high)
    }
}

impl fmt::Display for PairedChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interval { value, low, high } = self.difference;
        write!(
            f,
            "{:.1} % with the original, {:.1} % with the compressed context: {:+.1} points ({:+.1} to {:+.1}), p = {:.3}",
            100.0 * self.original,
            100.0 * self.compressed,
            100.0 * value,
            100.0 * low,
            100.0 * high,
            self.p
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f17_an_interval_has_the_mean_in_it_and_is_the_same_again() {
        let pairs = || (0..200).map(|n| (n / 4, f64::from(u8::from(n % 5 == 0)) - 0.5));
        let found = difference(pairs());
        assert!(found.low < found.value && found.value < found.high, "{found}");
        assert!((found.value + 0.3).abs() < 1e-9, "{found}");
        assert!(found.high < 0.0 && found.high - found.low < 0.2, "{found}");
        assert_eq!(found, difference(pairs()));
    }

    #[test]
    fn f17_decisions_of_one_session_are_no_evidence_of_their_own() {
        let alone = difference((0..100).map(|n| (n, f64::from(u8::from(n % 2 == 0)))));
        let together = difference((0..100).map(|n| (n / 25, f64::from(u8::from(n / 25 % 2 == 0)))));
        assert!(
            together.high - together.low > 2.0 * (alone.high - alone.low),
            "{alone} {together}"
        );
    }

    #[test]
    fn f17_mcnemar_is_exact() {
        for (one, other, p) in
            [(0, 0, 1.0), (1, 9, 0.021_484_375), (5, 5, 1.0), (24, 5, 0.000_546_1)]
        {
            assert!(
                (mcnemar(one, other) - p).abs() < 1e-6,
                "{one} {other}: {}",
                mcnemar(one, other)
            );
        }
    }

    #[test]
    fn f17_choices_are_compared_in_pairs() {
        let pairs = (0..40).map(|n| (n, (true, n % 4 != 0)));
        let choice = PairedChoice::of(pairs);
        assert_eq!((choice.original, choice.compressed), (1.0, 0.75));
        assert!(choice.difference.high < 0.0 && choice.p < 0.01, "{choice}");
    }
}
