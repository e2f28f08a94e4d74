//! The state of the comparison: evidence, holds, money. A pure value; a sample and a time go in, holds come out.

use crate::budget::DayBudget;
use crate::difference::Difference;
use crate::epoch::Epoch;
use crate::hold::{HoldKind, ShadowHold};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The shape of what is written down. Another is somebody else's.
pub(crate) const VERSION: u8 = 1;

/// So many epochs are kept for the report.
const PAST: usize = 8;

/// What a sample belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleLabels {
    /// The mode.
    pub mode: String,
    /// The agent, as it calls itself.
    pub client: String,
    /// The tools whose new results were made smaller, each once.
    pub tools: Vec<String>,
    /// The stages that did it, each once.
    pub stages: Vec<String>,
}

/// In what A' and B differ from A.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairedOutcome {
    /// A' from A.
    pub noise: Difference,
    /// B from A.
    pub changed: Difference,
}

/// Why a sampled request says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecided {
    /// The model fetched back what was left out, before it acted.
    FetchedBack,
    /// The provider did not answer one of the three, or not so that it can be read.
    NotAnswered,
    /// There was no budget left for it.
    Budget,
    /// Its model has no price, or a subscription pays for it: it cannot be kept within a budget in money.
    NoPrice,
    /// Redaction finds something in it, or cannot check it.
    Redaction,
    /// It lets the provider run tools, which a second request would run again.
    ProviderTools,
}

impl Undecided {
    /// The name in the state and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Undecided::FetchedBack => "fetched_back",
            Undecided::NotAnswered => "not_answered",
            Undecided::Budget => "budget",
            Undecided::NoPrice => "no_price",
            Undecided::Redaction => "redaction",
            Undecided::ProviderTools => "provider_tools",
        }
    }
}

/// All that is kept: counts and names, and no text of anybody's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShadowState {
    version: u8,
    /// What was spent.
    pub budget: DayBudget,
    /// What is held.
    pub holds: Vec<ShadowHold>,
    /// The evidence since the last hold or release.
    pub epoch: Epoch,
    /// The epochs before it, the latest last.
    pub past: Vec<Epoch>,
    /// Sampled requests that said nothing, by why.
    pub undecided: BTreeMap<String, u64>,
}

impl ShadowState {
    /// Nothing yet, at a time in seconds since 1970.
    #[must_use]
    pub fn new(now: u64) -> Self {
        ShadowState {
            version: VERSION,
            budget: DayBudget::default(),
            holds: Vec::new(),
            epoch: Epoch::begin(now),
            past: Vec::new(),
            undecided: BTreeMap::new(),
        }
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.version == VERSION
    }

    /// Adds a sample, and holds what is now shown to do more harm than the bound allows; returns what that is.
    ///
    /// A hold begins a new epoch: from then on requests go through something else, and what was counted before says
    /// nothing about that.
    pub fn record(
        &mut self,
        labels: &SampleLabels,
        outcome: &PairedOutcome,
        bound: f64,
        now: u64,
        can_hold: impl Fn(HoldKind, &str) -> bool,
    ) -> Vec<ShadowHold> {
        self.epoch.add(labels, outcome);
        let is_free = |kind, name: &str| can_hold(kind, name) && !self.is_held(kind, name);
        let alarms = self.epoch.alarms(bound, &is_free);
        let held: Vec<ShadowHold> = alarms
            .into_iter()
            .map(|(kind, group)| ShadowHold {
                kind,
                name: group.name.clone(),
                since: now,
                bound,
                counts: group.counts,
            })
            .collect();
        if !held.is_empty() {
            self.holds.extend(held.iter().cloned());
            self.begin_epoch(now);
        }
        held
    }

    /// A sampled request says nothing.
    pub fn skip(&mut self, why: Undecided) {
        let count = self.undecided.entry(why.name().to_owned()).or_default();
        *count = count.saturating_add(1);
    }

    /// Is this held?
    #[must_use]
    pub fn is_held(&self, kind: HoldKind, name: &str) -> bool {
        self.holds.iter().any(|hold| hold.kind == kind && hold.name == name)
    }

    /// Releases what has this name, or everything: what was released. Its evidence begins anew, or it would be held again
    /// with the next sample.
    pub fn release(&mut self, name: Option<&str>, now: u64) -> Vec<ShadowHold> {
        let is_meant = |hold: &mut ShadowHold| name.is_none_or(|name| hold.name == name);
        let released: Vec<ShadowHold> = self.holds.extract_if(.., is_meant).collect();
        if !released.is_empty() {
            self.begin_epoch(now);
        }
        released
    }

    fn begin_epoch(&mut self, now: u64) {
        let ended = std::mem::replace(&mut self.epoch, Epoch::begin(now));
        self.past.push(ended);
        let surplus = self.past.len().saturating_sub(PAST);
        self.past.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(mode: &str, stages: &[&str]) -> SampleLabels {
        SampleLabels {
            mode: mode.to_owned(),
            client: "claude-cli".to_owned(),
            tools: vec!["Bash".to_owned()],
            stages: stages.iter().map(|stage| (*stage).to_owned()).collect(),
        }
    }

    /// What B does otherwise, and A' does not.
    fn harmed(is_harmed: bool) -> PairedOutcome {
        let changed = Difference { tool: is_harmed, ..Difference::default() };
        PairedOutcome { changed, ..PairedOutcome::default() }
    }

    fn any(_: HoldKind, _: &str) -> bool {
        true
    }

    #[test]
    fn v5_a_harmful_stage_is_held_and_not_its_mode_and_its_evidence_is_kept() {
        let mut state = ShadowState::new(0);
        let mut held = Vec::new();
        for n in 0..400 {
            // Every other sample goes through the stage, and every other of those is harmed.
            let stages: &[&str] = if n % 2 == 0 { &["family", "json"] } else { &["json"] };
            held = state.record(&labels("standard", stages), &harmed(n % 4 == 0), 0.01, n, any);
            if !held.is_empty() {
                break;
            }
        }
        let names: Vec<&str> = held.iter().map(|hold| &*hold.name).collect();
        assert_eq!(names, ["family"]);
        assert!(
            state.is_held(HoldKind::Stage, "family") && !state.is_held(HoldKind::Mode, "standard")
        );
        assert!(held[0].counts.changed > 5);
        assert_eq!((state.epoch.all.samples, state.past.len()), (0, 1));
    }

    #[test]
    fn v5_a_mode_is_held_where_no_stage_explains_it() {
        let mut state = ShadowState::new(0);
        let stages = ["a", "b", "c", "d", "e"];
        let held = (0..400_u64).find_map(|n| {
            let stage = stages[n as usize % stages.len()];
            let held =
                state.record(&labels("standard", &[stage]), &harmed(n % 4 == 0), 0.01, n, any);
            held.into_iter().next()
        });
        let held = held.unwrap();
        assert_eq!((held.kind, &*held.name), (HoldKind::Mode, "standard"));
    }

    #[test]
    fn v5_what_cannot_be_held_is_left_and_what_is_held_is_not_held_twice() {
        let mut state = ShadowState::new(0);
        for n in 0..300 {
            let can_hold = |_: HoldKind, _: &str| false;
            assert!(
                state.record(&labels("safe", &[]), &harmed(true), 0.01, n, can_hold).is_empty()
            );
        }
        let mut state = ShadowState::new(0);
        for n in 0..600 {
            state.record(&labels("standard", &["family"]), &harmed(true), 0.01, n, any);
        }
        assert_eq!(state.holds.len(), 2, "the stage, and then the mode, once each");
    }

    #[test]
    fn v5_a_release_begins_anew() {
        let mut state = ShadowState::new(0);
        for n in 0..300 {
            state.record(&labels("standard", &["family"]), &harmed(true), 0.01, n, any);
        }
        assert!(state.release(Some("nothing"), 301).is_empty());
        assert_eq!(state.release(Some("family"), 302).len(), 1);
        assert_eq!((state.epoch.since, state.epoch.all.samples), (302, 0));
        assert!(!state.is_held(HoldKind::Stage, "family"));
        assert_eq!(state.release(None, 303).len(), 1);
        assert_eq!(state.holds, []);
    }

    #[test]
    fn v5_names_without_end_take_no_room_without_end() {
        let mut state = ShadowState::new(0);
        for n in 0..1_000 {
            let mut labels = labels("standard", &[]);
            labels.client = format!("client {n}");
            labels.tools = vec![format!("tool {n}")];
            state.record(&labels, &harmed(false), 0.01, n, any);
        }
        assert!(state.epoch.clients.len() < 60 && state.epoch.tools.len() < 60);
        let all = |groups: &[crate::ShadowGroup]| -> u64 {
            groups.iter().map(|group| group.counts.samples).sum()
        };
        assert_eq!((all(&state.epoch.clients), all(&state.epoch.tools)), (1_000, 1_000));
    }
}
