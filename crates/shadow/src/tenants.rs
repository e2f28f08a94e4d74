//! The evidence by tenant, so that one tenant's samples decide for that tenant alone.
//!
//! A tenant chooses what it asks, and so what its samples show. Something is held for a tenant by its own samples. It is held
//! for all only if the samples of the others show the harm whichever tenant is left out: that is evidence of harm in at
//! least two tenants (a partial conjunction: Benjamini and Heller, "Screening for partial conjunction hypotheses", 2008).
//! It stays good at every moment: where at most one tenant is harmed, the least evidence over all that may be left out is at
//! most that of the samples without this one, which reaches 1/α with a probability of at most α. To cap the samples that
//! count for a tenant was considered: a tenant could still fill its cap with harm, and all caps together are the evidence.

use crate::alarm::{Alarm, AlarmWatch};
use crate::epoch::{Epoch, OTHERS, ShadowGroup};
use crate::evidence::PairedCounts;
use crate::hold::HoldKind;
use serde::{Deserialize, Serialize};

/// So many tenants are told apart in an epoch. All others count as one, for which nothing is held alone: it would be held
/// for tenants that showed nothing.
const MOST_TENANTS: usize = 64;

/// Evidence by mode and stage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct HoldEvidence {
    modes: Vec<ShadowGroup>,
    stages: Vec<ShadowGroup>,
}

/// The samples of one tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TenantEvidence {
    name: String,
    /// Since the epoch began, or the last hold for this tenant.
    own: HoldEvidence,
    /// From the beginning of the epoch to that hold. It counts for all tenants, and no more for this one.
    earlier: HoldEvidence,
}

/// The samples of an epoch by tenant, in the order in which they first occurred.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct TenantSamples(Vec<TenantEvidence>);

/// Which modes and stages a sample belongs to, as its epoch tells them apart.
pub(crate) struct SampleGroups<'s> {
    pub(crate) mode: &'s str,
    pub(crate) stages: &'s [String],
    /// Does A' act otherwise than A, and does B?
    pub(crate) pair: (bool, bool),
}

impl TenantSamples {
    pub(crate) fn add(&mut self, tenant: &str, epoch: &Epoch, sample: &SampleGroups<'_>) {
        let at = self.place_of(tenant);
        let Some(TenantEvidence { own, .. }) = self.0.get_mut(at) else { return };
        add(&mut own.modes, &epoch.modes, sample.mode, sample.pair);
        for stage in sample.stages {
            add(&mut own.stages, &epoch.stages, stage, sample.pair);
        }
    }

    /// The harm that one tenant's own samples show.
    pub(crate) fn alarms_of(
        &self,
        tenant: &str,
        bound: f64,
        can_hold: &dyn Fn(HoldKind, &str) -> bool,
    ) -> Vec<Alarm> {
        let evidence = self.0.iter().find(|evidence| evidence.name == tenant);
        let Some(TenantEvidence { own, .. }) = evidence.filter(|evidence| evidence.name != OTHERS)
        else {
            return Vec::new();
        };
        let samples = |_, group: &ShadowGroup| vec![group.counts];
        let HoldEvidence { modes, stages } = own;
        AlarmWatch { modes, stages, samples: &samples, bound, can_hold }.alarms()
    }

    /// The harm that the samples of an epoch show whichever tenant is left out.
    pub(crate) fn alarms_for_all(
        &self,
        epoch: &Epoch,
        bound: f64,
        can_hold: &dyn Fn(HoldKind, &str) -> bool,
    ) -> Vec<Alarm> {
        let samples = |kind, group: &ShadowGroup| {
            let of = |tenant: &TenantEvidence| tenant.counts(kind, &group.name);
            self.0.iter().map(|tenant| group.counts.without(&of(tenant))).collect()
        };
        let Epoch { modes, stages, .. } = epoch;
        AlarmWatch { modes, stages, samples: &samples, bound, can_hold }.alarms()
    }

    /// Something is held for this tenant from now on: what it showed before says nothing about what it sends now.
    pub(crate) fn begin_anew(&mut self, tenant: &str) {
        let evidence = self.0.iter_mut().find(|evidence| evidence.name == tenant);
        let Some(TenantEvidence { own, earlier, .. }) = evidence else { return };
        let HoldEvidence { modes, stages } = std::mem::take(own);
        merge(&mut earlier.modes, modes);
        merge(&mut earlier.stages, stages);
    }

    fn place_of(&mut self, tenant: &str) -> usize {
        let place = |name: &str| self.0.iter().position(|evidence| evidence.name == name);
        // The last place is that of all others.
        let is_room = self.0.len() < MOST_TENANTS - 1;
        let known = place(tenant).or_else(|| if is_room { None } else { place(OTHERS) });
        known.unwrap_or_else(|| {
            let name = if is_room { tenant } else { OTHERS };
            self.0.push(TenantEvidence { name: name.to_owned(), ..TenantEvidence::default() });
            self.0.len() - 1
        })
    }
}

impl TenantEvidence {
    /// Its samples in a group, in the whole epoch.
    fn counts(&self, kind: HoldKind, name: &str) -> PairedCounts {
        let of = |evidence: &HoldEvidence| {
            let groups = match kind {
                HoldKind::Mode => &evidence.modes,
                HoldKind::Stage => &evidence.stages,
            };
            let found = groups.iter().find(|group| group.name == name);
            found.map(|group| group.counts).unwrap_or_default()
        };
        of(&self.own).with(&of(&self.earlier))
    }
}

/// Counts a sample, if the epoch tells its group apart: what counts there and not here could not be left out.
fn add(groups: &mut Vec<ShadowGroup>, told_apart: &[ShadowGroup], name: &str, pair: (bool, bool)) {
    if !told_apart.iter().any(|group| group.name == name) {
        return;
    }
    let mut counts = PairedCounts::default();
    counts.add(pair.0, pair.1);
    merge(groups, vec![ShadowGroup { name: name.to_owned(), counts }]);
}

fn merge(groups: &mut Vec<ShadowGroup>, others: Vec<ShadowGroup>) {
    for other in others {
        match groups.iter_mut().find(|group| group.name == other.name) {
            Some(group) => group.counts = group.counts.with(&other.counts),
            None => groups.push(other),
        }
    }
}
