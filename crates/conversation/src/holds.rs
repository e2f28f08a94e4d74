//! Held parts: modes and stages that were shown to do harm to a tenant's requests, and are not used for them.

use tokenforge_engine::{Mode, Settings};

/// The stage that points to earlier results. It is no stage of the engine's list.
pub const EARLIER_RESULTS: &str = "earlier_results";

/// The stage that only the mode `aggressive` has, and that leaves nothing out.
const DICTIONARY: &str = "dictionary";

/// Modes and stages that are not used for the requests of a tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TenantHolds {
    modes: Vec<Mode>,
    stages: Vec<String>,
}

impl TenantHolds {
    /// These modes are held, and these stages.
    #[must_use]
    pub fn new(modes: Vec<Mode>, stages: Vec<String>) -> Self {
        TenantHolds { modes, stages }
    }

    /// Is a mode held, by its name?
    #[must_use]
    pub fn has_mode(&self, name: &str) -> bool {
        self.modes.iter().any(|mode| mode.name() == name)
    }

    /// Is a stage held, or a strategy?
    #[must_use]
    pub fn has_stage(&self, name: &str) -> bool {
        self.stages.iter().any(|stage| stage == name)
    }

    /// Takes what is held out of what is to be done. May something still be left out?
    ///
    /// Of a mode that is held the lossless part goes on. That is not the mode `lossless`, in which secrets are not looked
    /// for: a hold must not send what was not sent before. Where `lossless` itself is held, results go on as they came.
    pub fn restrain(&self, settings: &mut Settings) -> bool {
        settings.skip_stages.extend(self.stages.iter().cloned());
        settings.dedup &= !self.has_stage(EARLIER_RESULTS);
        if !self.modes.contains(&settings.mode) {
            return true;
        }
        match settings.mode {
            Mode::Aggressive => settings.skip_stages.push(DICTIONARY.to_owned()),
            Mode::Lossless => settings.mode = Mode::Disabled,
            _ => {}
        }
        false
    }
}
