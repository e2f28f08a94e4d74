//! Alarms: which modes and stages are shown to do more harm than the bound allows.

use crate::epoch::{OTHERS, ShadowGroup};
use crate::evidence::PairedCounts;
use crate::hold::HoldKind;

/// The chance of a false alarm in an epoch, over all looks at all modes and stages together.
const ALARM_ALPHA: f64 = 0.05;

/// The modes and stages that are watched, in the order in which they first occurred.
pub(crate) struct AlarmWatch<'w> {
    pub(crate) modes: &'w [ShadowGroup],
    pub(crate) stages: &'w [ShadowGroup],
    /// Sets of samples of one of these, each of which must show that its harm is above the bound.
    pub(crate) samples: &'w dyn Fn(HoldKind, &ShadowGroup) -> Vec<PairedCounts>,
    pub(crate) bound: f64,
    pub(crate) can_hold: &'w dyn Fn(HoldKind, &str) -> bool,
}

/// Something that is shown to do harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alarm {
    pub(crate) kind: HoldKind,
    pub(crate) name: String,
    pub(crate) counts: PairedCounts,
}

impl AlarmWatch<'_> {
    /// The modes and stages that are shown to do more harm than the bound allows, of those that can be held.
    ///
    /// Many groups are watched, and each look at each could be wrong. Modes and stages have one half of the chance
    /// each, and of that the one that occurred first has a half, the next a sixth, the next a twelfth (1/k(k+1)): the parts
    /// of any number of groups are one whole, and what most requests go through, which occurs first, has most. With equal
    /// parts for the 30 stages that there are, an alarm about the first would take evidence of e^7.1 in place of e^4.4.
    ///
    /// Where a mode is shown to do harm, and one of its stages by itself is shown at least as well, it is the stage.
    pub(crate) fn alarms(&self) -> Vec<Alarm> {
        let stages: Vec<Alarm> = self.shown(HoldKind::Stage, self.stages).collect();
        if !stages.is_empty() {
            return stages;
        }
        let by_mode = |mode: Alarm| self.explained_by(&mode).unwrap_or(mode);
        self.shown(HoldKind::Mode, self.modes).map(by_mode).collect()
    }

    fn shown(&self, kind: HoldKind, groups: &[ShadowGroup]) -> impl Iterator<Item = Alarm> {
        let is_shown = move |(at, group): &(usize, &ShadowGroup)| {
            let shows = |samples: &PairedCounts| samples.log_evidence(self.bound) >= threshold(*at);
            self.is_candidate(kind, group) && (self.samples)(kind, group).iter().all(shows)
        };
        groups.iter().enumerate().filter(is_shown).map(move |(_, group)| alarm(kind, group))
    }

    /// The stage that has the most evidence, if it is at least that of the mode.
    fn explained_by(&self, mode: &Alarm) -> Option<Alarm> {
        let mode = self.modes.iter().find(|group| group.name == mode.name)?;
        let evidence = |stage: &ShadowGroup| self.log_evidence(HoldKind::Stage, stage);
        let can_be = |stage: &&ShadowGroup| self.is_candidate(HoldKind::Stage, stage);
        let best = self.stages.iter().filter(can_be);
        best.max_by(|one, other| evidence(one).total_cmp(&evidence(other)))
            .filter(|stage| evidence(stage) >= self.log_evidence(HoldKind::Mode, mode))
            .map(|stage| alarm(HoldKind::Stage, stage))
    }

    /// The least evidence of a set.
    fn log_evidence(&self, kind: HoldKind, group: &ShadowGroup) -> f64 {
        let samples = (self.samples)(kind, group);
        let evidence = samples.iter().map(|samples| samples.log_evidence(self.bound));
        evidence.fold(f64::INFINITY, f64::min)
    }

    fn is_candidate(&self, kind: HoldKind, group: &ShadowGroup) -> bool {
        group.name != OTHERS && (self.can_hold)(kind, &group.name)
    }
}

fn alarm(kind: HoldKind, group: &ShadowGroup) -> Alarm {
    Alarm { kind, name: group.name.clone(), counts: group.counts }
}

/// The logarithm of the evidence that an alarm takes, about the group of its kind that occurred as the `at`th, from 0.
fn threshold(at: usize) -> f64 {
    let place = at as f64 + 1.0;
    (2.0 * place * (place + 1.0) / ALARM_ALPHA).ln()
}
