//! The state of the comparison: evidence, holds, money. A pure value; a sample and a time go in, holds come out.

use crate::alarm::Alarm;
use crate::budget::DayBudget;
use crate::difference::Difference;
use crate::epoch::Epoch;
use crate::hold::{HoldKind, ShadowHold};
use crate::tenants::{SampleGroups, TenantSamples};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the written state. A state with another one is from another version of Tokenforge.
pub(crate) const VERSION: u8 = 2;

/// So many epochs are kept for the report.
const PAST: usize = 8;

/// So many holds for single tenants are kept; beyond that the oldest ends.
const MOST_TENANT_HOLDS: usize = 256;

/// What a sample belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleLabels {
    /// Whose request it is.
    pub tenant: String,
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
    /// The evidence of the epoch by tenant.
    tenants: TenantSamples,
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
            tenants: TenantSamples::default(),
        }
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.version == VERSION
    }

    /// Adds a sample, and holds what is now shown to do more harm than the bound allows; returns what that is.
    ///
    /// A hold for all tenants needs samples that show the harm whichever tenant is left out. It begins a new epoch, because
    /// from then on requests go through something else and earlier counts say nothing about that. Harm that only this
    /// tenant's samples show is held for this tenant alone.
    pub fn record(
        &mut self,
        labels: &SampleLabels,
        outcome: &PairedOutcome,
        bound: f64,
        now: u64,
        can_hold: impl Fn(HoldKind, &str) -> bool,
    ) -> Vec<ShadowHold> {
        let pair = self.epoch.add(labels, outcome);
        let SampleLabels { tenant, mode, stages, .. } = labels;
        self.tenants.add(tenant, &self.epoch, &SampleGroups { mode, stages, pair });
        let hold = |tenant: Option<&str>| {
            let tenant = tenant.map(str::to_owned);
            move |alarm: Alarm| {
                let Alarm { kind, name, counts } = alarm;
                ShadowHold { kind, name, since: now, bound, tenant: tenant.clone(), counts }
            }
        };
        let is_free = |kind, name: &str| {
            let is_held =
                |hold: &ShadowHold| hold.tenant.is_none() && hold.kind == kind && hold.name == name;
            can_hold(kind, name) && !self.holds.iter().any(is_held)
        };
        let alarms = self.tenants.alarms_for_all(&self.epoch, bound, &is_free);
        if !alarms.is_empty() {
            let held: Vec<ShadowHold> = alarms.into_iter().map(hold(None)).collect();
            // Those of single tenants are part of these.
            self.holds.retain(|hold| {
                !held.iter().any(|other| (other.kind, &other.name) == (hold.kind, &hold.name))
            });
            self.holds.extend(held.iter().cloned());
            self.begin_epoch(now);
            return held;
        }
        let is_free = |kind, name: &str| can_hold(kind, name) && !self.is_held(kind, name, tenant);
        let alarms = self.tenants.alarms_of(tenant, bound, &is_free);
        let held: Vec<ShadowHold> = alarms.into_iter().map(hold(Some(tenant))).collect();
        if !held.is_empty() {
            self.holds.extend(held.iter().cloned());
            self.end_surplus_holds();
            self.tenants.begin_anew(tenant);
        }
        held
    }

    /// A sampled request says nothing.
    pub fn skip(&mut self, why: Undecided) {
        let count = self.undecided.entry(why.name().to_owned()).or_default();
        *count = count.saturating_add(1);
    }

    /// Is this held for a tenant?
    #[must_use]
    pub fn is_held(&self, kind: HoldKind, name: &str, tenant: &str) -> bool {
        let mut holds = self.holds.iter().filter(|hold| hold.is_for(tenant));
        holds.any(|hold| hold.kind == kind && hold.name == name)
    }

    /// Releases what has this name, for all tenants, or everything: what was released. Its evidence begins anew, or it would be held again
    /// with the next sample.
    pub fn release(&mut self, name: Option<&str>, now: u64) -> Vec<ShadowHold> {
        let is_meant = |hold: &mut ShadowHold| name.is_none_or(|name| hold.name == name);
        let released: Vec<ShadowHold> = self.holds.extract_if(.., is_meant).collect();
        if !released.is_empty() {
            self.begin_epoch(now);
        }
        released
    }

    /// Ends the oldest holds for single tenants where there are too many: tenants come and go.
    fn end_surplus_holds(&mut self) {
        let of_tenants = self.holds.iter().filter(|hold| hold.tenant.is_some()).count();
        let mut surplus = of_tenants.saturating_sub(MOST_TENANT_HOLDS);
        self.holds.retain(|hold| {
            let is_surplus = surplus > 0 && hold.tenant.is_some();
            surplus -= usize::from(is_surplus);
            !is_surplus
        });
    }

    fn begin_epoch(&mut self, now: u64) {
        self.tenants = TenantSamples::default();
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
            tenant: "alice".to_owned(),
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
            state.is_held(HoldKind::Stage, "family", "alice")
                && !state.is_held(HoldKind::Mode, "standard", "alice")
        );
        assert!(held[0].counts.changed > 5 && held[0].tenant.as_deref() == Some("alice"));
        assert!(state.epoch.all.samples > 10, "its evidence is kept");
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
        assert!(!state.is_held(HoldKind::Stage, "family", "alice"));
        assert_eq!(state.release(None, 303).len(), 1);
        assert_eq!(state.holds, []);
    }

    fn of_tenant(tenant: &str) -> SampleLabels {
        SampleLabels { tenant: tenant.to_owned(), ..labels("standard", &["family"]) }
    }

    #[test]
    fn v15_one_tenants_samples_hold_nothing_for_others() {
        let mut state = ShadowState::new(0);
        for n in 0..2_000 {
            // All of mallory's samples are harmed, however many there are, and none of the others'.
            state.record(&of_tenant("mallory"), &harmed(true), 0.01, n, any);
            if n % 10 == 0 {
                state.record(
                    &of_tenant(&format!("tenant {}", n % 7)),
                    &harmed(false),
                    0.01,
                    n,
                    any,
                );
            }
        }
        assert!(state.is_held(HoldKind::Stage, "family", "mallory"));
        let others = state.holds.iter().filter(|hold| hold.tenant.as_deref() != Some("mallory"));
        assert_eq!(others.count(), 0, "{:?}", state.holds);
        assert!(!state.is_held(HoldKind::Stage, "family", "a tenant that is new"));
    }

    #[test]
    fn v16_harm_in_several_tenants_is_held_for_all_in_place_of_each() {
        let mut state = ShadowState::new(0);
        for n in 0..200 {
            let tenant = ["alice", "bob", "carol"][n as usize % 3];
            state.record(&of_tenant(tenant), &harmed(n % 2 == 0), 0.01, n, any);
            if state.is_held(HoldKind::Stage, "family", "dave") {
                assert_eq!(state.holds.len(), 1, "{:?}", state.holds);
                assert_eq!((state.epoch.all.samples, state.past.len()), (0, 1));
                return;
            }
        }
        panic!("nothing is held for all: {:?}", state.holds);
    }

    #[test]
    fn v16_two_tenants_with_harm_are_enough_and_one_with_more_is_not() {
        let samples = |tenants: &[(&str, u64)]| {
            let mut state = ShadowState::new(0);
            for (tenant, samples) in tenants {
                for n in 0..*samples {
                    state.record(&of_tenant(tenant), &harmed(true), 0.01, n, any);
                }
            }
            state.is_held(HoldKind::Stage, "family", "another")
        };
        assert!(samples(&[("alice", 30), ("bob", 30)]));
        assert!(!samples(&[("alice", 3_000), ("bob", 1)]));
    }

    #[test]
    fn v15_tenants_without_end_take_no_room_and_count_as_one() {
        let mut state = ShadowState::new(0);
        for n in 0..1_000 {
            state.record(&of_tenant(&format!("tenant {n}")), &harmed(n >= 100), 0.01, n, any);
        }
        assert_eq!(state.holds, [], "those that are not told apart are one tenant");
        let size = serde_json::to_vec(&state).unwrap().len();
        assert!(size < 64 << 10, "{size}");
        let hold = |n| ShadowHold {
            kind: HoldKind::Stage,
            name: "family".to_owned(),
            since: 0,
            bound: 0.01,
            tenant: Some(format!("tenant {n}")),
            counts: crate::PairedCounts::default(),
        };
        let mut state = ShadowState { holds: (0..1_000).map(hold).collect(), ..state };
        state.begin_epoch(0);
        for n in 0..30 {
            state.record(&of_tenant("alice"), &harmed(true), 0.01, n, any);
        }
        assert_eq!(state.holds.len(), MOST_TENANT_HOLDS);
        assert!(state.is_held(HoldKind::Stage, "family", "alice"), "the oldest ended");
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
