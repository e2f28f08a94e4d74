//! Custom stages: those that the caller adds to the built-in ones, and where each of them runs.

use crate::fidelity::Fidelity;
use crate::stage::{Stage, TextLayer};
use xxhash_rust::xxh3::xxh3_64;

/// The caller's stages, in the order in which they were added.
#[derive(Clone, Default)]
pub(super) struct OwnStages<'a>(Vec<&'a dyn Stage>);

/// Where a stage runs: after the built-in ones that may cost the reader as much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StagePlace {
    /// What a terminal would not show is taken away.
    Clean,
    /// The same content in fewer tokens, in lines that can be read alone.
    Compact,
    /// One of several notations, the cheapest.
    Notation,
    /// What can be fetched back is left out.
    LeaveOut,
    /// Never: see [`Engine::with_stage`](super::Engine::with_stage).
    Nowhere,
}

impl<'a> OwnStages<'a> {
    /// These, and one more.
    pub(super) fn with(&self, stage: &'a dyn Stage) -> Self {
        OwnStages(self.0.iter().copied().chain([stage]).collect())
    }

    /// Those that run at one place.
    pub(super) fn at(&self, place: StagePlace) -> Vec<&'a dyn Stage> {
        self.0.iter().copied().filter(|stage| place_of(*stage) == place).collect()
    }

    /// Lists of built-in stages, and behind them those that run at the same place.
    pub(super) fn behind(
        &self,
        built_in: &[&[&'static dyn Stage]],
        place: StagePlace,
    ) -> Vec<&'a dyn Stage> {
        built_in
            .iter()
            .copied()
            .flatten()
            .map(|stage| *stage as &dyn Stage)
            .chain(self.at(place))
            .collect()
    }

    /// Tells lists of stages apart by their names; `None` for the empty one.
    pub(super) fn fingerprint(&self) -> Option<u64> {
        let names: Vec<u8> =
            self.0.iter().flat_map(|stage| stage.name().bytes().chain([b'\n'])).collect();
        (!self.0.is_empty()).then(|| xxh3_64(&names))
    }
}

fn place_of(stage: &dyn Stage) -> StagePlace {
    match (stage.fidelity(), stage.layer()) {
        (Fidelity::Cosmetic, _) => StagePlace::Clean,
        (Fidelity::Lossless, TextLayer::Words | TextLayer::Form) => StagePlace::Compact,
        (Fidelity::Lossless, TextLayer::Notation | TextLayer::Dictionary) => StagePlace::Notation,
        (Fidelity::Reversible, _) => StagePlace::LeaveOut,
        (Fidelity::Safety, _) => StagePlace::Nowhere,
    }
}
