//! An epoch: evidence about one and the same configuration. A hold or a release begins the next.

use crate::difference::Difference;
use crate::evidence::PairedCounts;
use crate::state::{PairedOutcome, SampleLabels};
use serde::{Deserialize, Serialize};

/// So many names of a kind are told apart: clients and tools choose them.
const MOST: usize = 48;
pub(crate) const OTHERS: &str = "(others)";

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

    /// Adds a sample. Tells whether A' acts otherwise than A, and whether B does.
    pub(crate) fn add(&mut self, labels: &SampleLabels, outcome: &PairedOutcome) -> (bool, bool) {
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
        pair
    }
}

fn add(groups: &mut Vec<ShadowGroup>, name: &str, (is_noise, is_changed): (bool, bool)) {
    let name = if groups.iter().any(|group| group.name == name) || groups.len() < MOST {
        name
    } else {
        OTHERS
    };
    let at = groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
        groups.push(ShadowGroup { name: name.to_owned(), counts: PairedCounts::default() });
        groups.len() - 1
    });
    if let Some(group) = groups.get_mut(at) {
        group.counts.add(is_noise, is_changed);
    }
}
