//! Simulated models: harm that is there is found, and none is found where there is none, however often one looks.
//!
//! Randomness is from a seed, so that a run is the same everywhere. Each simulated model acts otherwise when it is asked
//! again with a chance that is the request's own (requests differ in how clear the next step is), and under compression
//! with that chance and the planted harm.

use tokenforge_shadow::{
    Difference, HoldKind, PairedOutcome, SampleLabels, ShadowHold, ShadowState,
};

/// What a gateway is set to unless told otherwise.
const BOUND: f64 = 0.01;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn is(&mut self, chance: f64) -> bool {
        self.next() < chance
    }
}

/// A stage, how many of the requests go through it, and how much more often the model then acts otherwise.
type Stage = (&'static str, f64, f64);

/// What an agent's traffic is like: the mean noise, and the stages.
struct Traffic {
    noise: f64,
    stages: &'static [Stage],
}

const HARMLESS: &[Stage] = &[
    ("progress", 0.4, 0.0),
    ("family", 0.5, 0.0),
    ("json", 0.5, 0.0),
    ("csv_rows", 0.2, 0.0),
    ("path_headings", 0.2, 0.0),
    ("repeated_lines", 0.1, 0.0),
];

/// Samples until the first hold, and what that is of; nothing if there is none in so many samples.
fn first_hold(
    traffic: &Traffic,
    bound: f64,
    most: u64,
    seed: u64,
) -> Option<(u64, HoldKind, String)> {
    let one = |_: &mut Random| "alice".to_owned();
    let (samples, hold) = first(traffic, bound, most, seed, one, |_| true)?;
    Some((samples, hold.kind, hold.name))
}

/// The same for holds like this one, with samples of several tenants. Those of mallory are all harmed.
fn first(
    traffic: &Traffic,
    bound: f64,
    most: u64,
    seed: u64,
    tenant: impl Fn(&mut Random) -> String,
    is_meant: impl Fn(&ShadowHold) -> bool,
) -> Option<(u64, ShadowHold)> {
    let mut random = Random(seed);
    let mut state = ShadowState::new(0);
    for n in 1..=most {
        let drawn = traffic.stages.iter().filter(|(_, part, _)| random.is(*part));
        let stages: Vec<Stage> = drawn.copied().collect();
        let harm: f64 = stages.iter().map(|(_, _, harm)| harm).sum();
        // Most requests have a clear next step, and some are a coin's throw.
        let noise = if random.is(0.2) { traffic.noise * 3.0 } else { traffic.noise * 0.5 };
        let drawn = |is_other| Difference { arguments: is_other, ..Difference::default() };
        let tenant = tenant(&mut random);
        let outcome = match &*tenant {
            "mallory" => PairedOutcome { noise: drawn(false), changed: drawn(true) },
            _ => PairedOutcome {
                noise: drawn(random.is(noise)),
                changed: drawn(random.is((noise + harm).min(1.0))),
            },
        };
        let labels = SampleLabels {
            tenant,
            mode: "standard".to_owned(),
            client: "agent".to_owned(),
            tools: vec!["Bash".to_owned()],
            stages: stages.iter().map(|(name, ..)| (*name).to_owned()).collect(),
        };
        let held = state.record(&labels, &outcome, bound, n, |_, _| true);
        if let Some(hold) = held.into_iter().find(&is_meant) {
            return Some((n, hold));
        }
    }
    None
}

/// One of eight tenants.
fn any_of_eight(random: &mut Random) -> String {
    format!("tenant {}", (random.next() * 8.0) as u64)
}

fn is_for_all(hold: &ShadowHold) -> bool {
    hold.tenant.is_none()
}

/// In how many of 100 runs something is held for all, and after how many samples, in order.
fn runs_for_all(
    traffic: &Traffic,
    bound: f64,
    most: u64,
    tenant: impl Fn(&mut Random) -> String,
) -> Vec<u64> {
    let hold = |seed| first(traffic, bound, most, seed, &tenant, is_for_all);
    let mut found: Vec<u64> = (0..100).filter_map(hold).map(|(samples, _)| samples).collect();
    found.sort_unstable();
    found
}

/// In how many of 100 runs something is held, and after how many samples, in order.
fn runs(traffic: &Traffic, bound: f64, most: u64) -> Vec<u64> {
    let hold = |seed| first_hold(traffic, bound, most, seed).map(|(samples, ..)| samples);
    let mut found: Vec<u64> = (0..100).filter_map(hold).collect();
    found.sort_unstable();
    found
}

/// Five points, in every request.
const HARM: &[Stage] = &[("family", 1.0, 0.05), ("json", 0.5, 0.0)];

#[test]
fn v8_a_planted_harm_of_five_points_is_found() {
    for (noise, most) in [(0.0, 600), (0.05, 2_000), (0.1, 3_500), (0.2, 4_000)] {
        let found = runs(&Traffic { noise, stages: HARM }, BOUND, most);
        let (half, nearly_all) = (found.get(49), found.get(94));
        println!(
            "noise {noise}: found in {} of 100 runs; in 50 by {half:?}, in 95 by {nearly_all:?}",
            found.len()
        );
        assert!(found.len() >= 95, "noise {noise}: {} of 100 runs", found.len());
    }
}

#[test]
fn v8_without_harm_there_is_no_alarm_in_95_of_100_runs() {
    for noise in [0.02, 0.1, 0.3] {
        // Every sample is looked at, by mode and by stage, and the bound is as strict as it can be.
        let alarms = runs(&Traffic { noise, stages: HARMLESS }, 0.0, 5_000).len();
        println!("noise {noise}: {alarms} alarms in 100 runs of 5000 samples");
        assert!(alarms <= 5, "noise {noise}: {alarms} of 100 runs");
    }
}

#[test]
fn v8_harm_as_large_as_the_bound_allows_is_no_alarm() {
    let stages: &[Stage] = &[("family", 1.0, 0.03)];
    let alarms = runs(&Traffic { noise: 0.1, stages }, 0.03, 5_000).len();
    assert!(alarms <= 5, "{alarms} of 100 runs");
}

#[test]
fn v16_harm_in_every_tenant_is_held_for_all() {
    for (noise, most) in [(0.0, 700), (0.1, 4_500)] {
        let found = runs_for_all(&Traffic { noise, stages: HARM }, BOUND, most, any_of_eight);
        let (half, nearly_all) = (found.get(49), found.get(94));
        println!(
            "noise {noise}, 8 tenants: found in {} of 100 runs; in 50 by {half:?}, in 95 by {nearly_all:?}",
            found.len()
        );
        assert!(found.len() >= 95, "noise {noise}: {} of 100 runs", found.len());
    }
}

#[test]
fn v16_a_tenant_that_shows_harm_on_purpose_holds_nothing_for_all() {
    for noise in [0.02, 0.3] {
        let with_mallory = |random: &mut Random| {
            if random.is(0.5) { "mallory".to_owned() } else { any_of_eight(random) }
        };
        let traffic = Traffic { noise, stages: HARMLESS };
        let alarms = runs_for_all(&traffic, 0.0, 3_000, with_mallory).len();
        println!("noise {noise}: {alarms} holds for all in 100 runs of 3000 samples");
        assert!(alarms <= 5, "noise {noise}: {alarms} of 100 runs");
    }
}

/// A test that looks after each sample, as this does, and takes the usual 5 % each time, finds harm where there is none.
/// So the runs above could have failed.
#[test]
fn v8_a_test_for_one_look_alarms_far_more_often() {
    let is_alarm = |seed| {
        let (mut random, mut worse, mut better) = (Random(seed), 0.0_f64, 0.0_f64);
        (0..5_000).any(|_| {
            let (noise, changed) = (random.is(0.1), random.is(0.1));
            worse += f64::from(u8::from(changed && !noise));
            better += f64::from(u8::from(noise && !changed));
            // McNemar's statistic, one-sided, by the normal distribution.
            worse + better >= 10.0 && (worse - better) / (worse + better).sqrt() > 1.645
        })
    };
    let alarms = (0..100).filter(|seed| is_alarm(*seed)).count();
    println!("McNemar after every sample: {alarms} alarms in 100 runs without harm");
    assert!(alarms > 20, "{alarms} of 100 runs");
}

#[test]
fn v8_what_is_held_is_the_stage_that_does_it() {
    // Half of the requests go through the stage, which changes one in ten of them: five points of all.
    let stages: &[Stage] =
        &[("progress", 0.6, 0.0), ("family", 0.5, 0.1), ("json", 0.5, 0.0), ("paths", 0.3, 0.0)];
    let held =
        (0..100).filter_map(|seed| first_hold(&Traffic { noise: 0.1, stages }, BOUND, 9_000, seed));
    let held: Vec<_> = held.collect();
    let right = held.iter().filter(|(_, kind, name)| *kind == HoldKind::Stage && name == "family");
    let right = right.count();
    println!("{} held in 100 runs, {right} of them the stage that does it", held.len());
    assert!(held.len() >= 95 && right >= 90, "{right} of {}", held.len());
}
