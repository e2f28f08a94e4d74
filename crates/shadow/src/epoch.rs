//! An epoch: evidence about one and the same configuration. A hold or a release begins the next.

use crate::difference::Difference;
use crate::evidence::PairedCounts;
use crate::hold::HoldKind;
use crate::state::{PairedOutcome, SampleLabels};
use serde::{Deserialize, Serialize};

/// The chance of a false alarm in an epoch, over all looks at all modes and stages together.
pub(crate) const ALARM_ALPHA: f64 = 0.05;

/// So many names of a kind are told apart: clients and tools choose them.
const MOST: usize = 48;
const OTHERS: &str = "(others)";

/// The evidence about one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShadowGroup {
    /// The mode, client, tool or stage.
    pub name: String,
    /// Its samples.
    pub counts: PairedCounts,
}

/// Evidence about one configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Epoch {
    /// When it began, in seconds since 1970.
    pub since: u64,
    /// All samples, by whether the action as a whole is another.
    pub all: PairedCounts,
    /// The same, by whether other tools are called.
    pub tool: PairedCounts,
    /// By whether the same tools are called with other arguments.
    pub arguments: PairedCounts,
    /// By whether something else is said where no tool is called.
    pub text: PairedCounts,
    /// By mode, in the order in which they first occurred.
    pub modes: Vec<ShadowGroup>,
    /// By client.
    pub clients: Vec<ShadowGroup>,
    /// By tool whose new results were made smaller.
    pub tools: Vec<ShadowGroup>,
    /// By stage that made them smaller.
    pub stages: Vec<ShadowGroup>,
}

impl Epoch {
    pub(crate) fn begin(now: u64) -> Self {
        Epoch { since: now, ..Epoch::default() }
    }

    pub(crate) fn add(&mut self, labels: &SampleLabels, outcome: &PairedOutcome) {
        let PairedOutcome { noise, changed } = *outcome;
        self.tool.add(noise.tool, changed.tool);
        self.arguments.add(noise.arguments, changed.arguments);
        self.text.add(noise.text, changed.text);
        let pair = (Difference::is_another_action(noise), Difference::is_another_action(changed));
        self.all.add(pair.0, pair.1);
        add(&mut self.modes, &labels.mode, pair);
        add(&mut self.clients, &labels.client, pair);
        labels.tools.iter().for_each(|tool| add(&mut self.tools, tool, pair));
        labels.stages.iter().for_each(|stage| add(&mut self.stages, stage, pair));
    }

    /// What is shown to do more harm than the bound allows, of what can be held.
    ///
    /// Many groups are watched, and each look at each could be wrong. Modes and stages have one half of the chance
    /// each, and of that the one that occurred first has a half, the next a sixth, the next a twelfth (1/k(k+1)): the parts
    /// of any number of groups are one whole, and what most requests go through, which occurs first, has most. With equal
    /// parts for the 30 stages that there are, an alarm about the first would take evidence of e^7.1 in place of e^4.4.
    ///
    /// Where a mode is shown to do harm, and one of its stages by itself is shown at least as well, it is the stage.
    pub(crate) fn alarms(
        &self,
        bound: f64,
        can_hold: &dyn Fn(HoldKind, &str) -> bool,
    ) -> Vec<(HoldKind, &ShadowGroup)> {
        let shown = |kind, groups: &'_ [ShadowGroup]| -> Vec<usize> {
            let is_shown = |(at, group): &(usize, &ShadowGroup)| {
                group.name != OTHERS
                    && can_hold(kind, &group.name)
                    && group.counts.log_evidence(bound) >= threshold(*at)
            };
            groups.iter().enumerate().filter(is_shown).map(|(at, _)| at).collect()
        };
        let stages = shown(HoldKind::Stage, &self.stages);
        if !stages.is_empty() {
            return stages.iter().map(|at| (HoldKind::Stage, &self.stages[*at])).collect();
        }
        let modes = shown(HoldKind::Mode, &self.modes);
        let by_mode = |at: &usize| {
            let mode = &self.modes[*at];
            match self.explained_by(mode, bound, can_hold) {
                Some(stage) => (HoldKind::Stage, stage),
                None => (HoldKind::Mode, mode),
            }
        };
        modes.iter().map(by_mode).collect()
    }

    /// The stage that has the most evidence, if it is at least that of the mode.
    fn explained_by(
        &self,
        mode: &ShadowGroup,
        bound: f64,
        can_hold: &dyn Fn(HoldKind, &str) -> bool,
    ) -> Option<&ShadowGroup> {
        let evidence = |group: &ShadowGroup| group.counts.log_evidence(bound);
        let can_be =
            |stage: &&ShadowGroup| stage.name != OTHERS && can_hold(HoldKind::Stage, &stage.name);
        let best = self.stages.iter().filter(can_be);
        best.max_by(|one, other| evidence(one).total_cmp(&evidence(other)))
            .filter(|stage| evidence(stage) >= evidence(mode))
    }
}

/// The logarithm of the evidence that an alarm takes, about the group of its kind that occurred as the `at`th, from 0.
fn threshold(at: usize) -> f64 {
    let place = at as f64 + 1.0;
    (2.0 * place * (place + 1.0) / ALARM_ALPHA).ln()
}

fn add(groups: &mut Vec<ShadowGroup>, name: &str, (is_noise, is_changed): (bool, bool)) {
    let name = match groups.iter().any(|group| group.name == name) || groups.len() < MOST {
        true => name,
        false => OTHERS,
    };
    let at = groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
        groups.push(ShadowGroup { name: name.to_owned(), counts: PairedCounts::default() });
        groups.len() - 1
    });
    if let Some(group) = groups.get_mut(at) {
        group.counts.add(is_noise, is_changed);
    }
}
