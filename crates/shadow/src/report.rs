//! The report: rates and intervals, by mode, client, tool and stage.

use crate::epoch::{Epoch, ShadowGroup};
use crate::evidence::{HarmInterval, PairedCounts};
use crate::hold::ShadowHold;
use crate::state::ShadowState;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the comparison shows so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShadowReport {
    /// Since when, in seconds since 1970: the last hold or release, or the first sample.
    pub since: u64,
    /// All samples, by the action as a whole, and by tool, arguments and text.
    pub all: Vec<GroupRow>,
    /// The same by name: `mode`, `client`, `tool` and `stage`.
    pub by: BTreeMap<&'static str, Vec<GroupRow>>,
    /// What is held.
    pub holds: Vec<ShadowHold>,
    /// Sampled requests that say nothing, by why.
    pub undecided: BTreeMap<String, u64>,
    /// What was spent today, in dollars.
    pub spent_today: f64,
    /// What was spent on all days, in dollars.
    pub spent: f64,
    /// How many requests were paid for.
    pub requests: u64,
    /// Earlier evidence, about what was used before a hold or a release.
    pub past: Vec<Epoch>,
}

/// The evidence about one thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupRow {
    /// What it is about.
    pub name: String,
    /// Its samples.
    pub samples: u64,
    /// In which part of them A' acts otherwise than A.
    pub noise: f64,
    /// In which part B does.
    pub changed: f64,
    /// The difference: how much more often B acts otherwise.
    pub harm: f64,
    /// Between which values that is, with 95 %, at whatever moment one looks. Each row's is its own: of many rows, one in
    /// twenty may be wrong.
    pub interval: HarmInterval,
}

impl ShadowReport {
    /// What a state shows, at a time in seconds since 1970.
    #[must_use]
    pub fn of(state: &ShadowState, now: u64) -> Self {
        let epoch = &state.epoch;
        let all = [
            ("action", epoch.all),
            ("tool", epoch.tool),
            ("arguments", epoch.arguments),
            ("text", epoch.text),
        ];
        let rows = |groups: &[ShadowGroup]| {
            groups.iter().filter_map(|group| GroupRow::of(&group.name, group.counts)).collect()
        };
        ShadowReport {
            since: epoch.since,
            all: all.into_iter().filter_map(|(name, counts)| GroupRow::of(name, counts)).collect(),
            by: BTreeMap::from([
                ("mode", rows(&epoch.modes)),
                ("client", rows(&epoch.clients)),
                ("tool", rows(&epoch.tools)),
                ("stage", rows(&epoch.stages)),
            ]),
            holds: state.holds.clone(),
            undecided: state.undecided.clone(),
            spent_today: state.budget.spent_today(now),
            spent: state.budget.total,
            requests: state.budget.requests,
            past: state.past.clone(),
        }
    }
}

impl GroupRow {
    /// Nothing without samples.
    fn of(name: &str, counts: PairedCounts) -> Option<Self> {
        let PairedCounts { samples, noise, changed, .. } = counts;
        Some(GroupRow {
            name: name.to_owned(),
            samples,
            harm: counts.harm()?,
            noise: noise as f64 / samples as f64,
            changed: changed as f64 / samples as f64,
            interval: counts.interval(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Difference, PairedOutcome, SampleLabels};

    #[test]
    fn v7_every_group_has_its_rates_and_an_interval() {
        let mut state = ShadowState::new(5);
        assert_eq!(ShadowReport::of(&state, 5).all, []);
        for n in 0..100 {
            let labels = SampleLabels {
                tenant: "alice".to_owned(),
                mode: "standard".to_owned(),
                client: "codex".to_owned(),
                tools: vec!["shell".to_owned(), "read".to_owned()],
                stages: vec!["json".to_owned()],
            };
            let arguments = |arguments| Difference { arguments, ..Difference::default() };
            let outcome =
                PairedOutcome { noise: arguments(n % 10 == 0), changed: arguments(n % 5 == 0) };
            state.record(&labels, &outcome, 0.5, n, |_, _| true);
        }
        let report = ShadowReport::of(&state, 5);
        let names = |rows: &[GroupRow]| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&report.all), ["action", "tool", "arguments", "text"]);
        assert_eq!(names(&report.by["tool"]), ["shell", "read"]);
        for row in [&report.all[0], &report.all[2], &report.by["mode"][0], &report.by["stage"][0]] {
            assert_eq!((row.samples, row.noise, row.changed), (100, 0.1, 0.2), "{row:?}");
            assert!((row.harm - 0.1).abs() < 1e-9 && row.interval.contains(0.1), "{row:?}");
        }
        assert_eq!(report.all[1].harm, 0.0);
    }
}
