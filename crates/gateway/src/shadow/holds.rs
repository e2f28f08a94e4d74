//! Active holds: what requests do not go through until it is released.
//!
//! A hold is part of what a request sees of the settings, and takes effect as a change of them does: from the next request
//! on, in every conversation. The fingerprint of the settings is another, so that nothing is mixed up with what was made
//! before. A conversation under way changes its bytes once, and its provider's cache is cold once (law L5 is about the same
//! settings). To leave such conversations as they are was considered: the model would go on in harm's way, each request
//! would have to remember under which holds its conversation began, in the store, and the saving is one cache write.

use tokenforge_config::{Choice, Strategy};
use tokenforge_engine::{Mode, Settings, old_results, stage_names};
use tokenforge_shadow::{HoldKind, ShadowHold};

/// The stage that points to earlier results. It is no stage of the engine's list.
const EARLIER_RESULTS: &str = "earlier_results";

/// The stage that only the mode `aggressive` has, and that leaves nothing out.
const DICTIONARY: &str = "dictionary";

/// What requests do not go through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ActiveHolds {
    modes: Vec<Mode>,
    stages: Vec<String>,
}

impl ActiveHolds {
    pub(crate) fn of(holds: &[ShadowHold]) -> Self {
        let named = |kind: HoldKind| {
            holds.iter().filter(move |hold| hold.kind == kind).map(|hold| &*hold.name)
        };
        ActiveHolds {
            modes: named(HoldKind::Mode).filter_map(|name| name.parse().ok()).collect(),
            stages: named(HoldKind::Stage).map(str::to_owned).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.modes.is_empty() && self.stages.is_empty()
    }

    /// Is a mode held, by its name?
    pub(crate) fn has_mode(&self, name: &str) -> bool {
        self.modes.iter().any(|mode| mode.name() == name)
    }

    /// Is a stage held, or a strategy?
    pub(crate) fn has_stage(&self, name: &str) -> bool {
        self.stages.iter().any(|stage| stage == name)
    }

    /// Takes what is held out of what is to be done. May something still be left out?
    ///
    /// Of a mode that is held the lossless part goes on. That is not the mode `lossless`, in which secrets are not looked
    /// for: a hold must not send what was not sent before. Where `lossless` itself is held, results go on as they came.
    pub(crate) fn restrain(&self, settings: &mut Settings) -> bool {
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

/// Can this be held? Not what protects: the mode `safe`, and what takes out bytes that are no text.
pub(crate) fn can_hold(kind: HoldKind, name: &str) -> bool {
    match kind {
        HoldKind::Mode => {
            matches!(name.parse(), Ok(Mode::Lossless | Mode::Standard | Mode::Aggressive))
        }
        HoldKind::Stage => {
            let is_strategy = Strategy::ALL.iter().any(|strategy| strategy.name() == name);
            let is_ours = [EARLIER_RESULTS, old_results::STAGE].contains(&name)
                || stage_names().any(|stage| stage == name);
            name != "binary" && (is_ours || is_strategy)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_shadow::PairedCounts;

    fn holds(names: &[(HoldKind, &str)]) -> ActiveHolds {
        let hold = |(kind, name): &(HoldKind, &str)| ShadowHold {
            kind: *kind,
            name: (*name).to_owned(),
            since: 0,
            bound: 0.01,
            counts: PairedCounts::default(),
        };
        ActiveHolds::of(&names.iter().map(hold).collect::<Vec<_>>())
    }

    #[test]
    fn v11_a_held_mode_leaves_nothing_out_and_goes_on_looking_for_secrets() {
        let held = holds(&[(HoldKind::Mode, "standard"), (HoldKind::Mode, "aggressive")]);
        for mode in [Mode::Standard, Mode::Aggressive] {
            let mut settings = Settings { mode, ..Settings::default() };
            assert!(!held.restrain(&mut settings), "{mode}");
            assert!(settings.mode.is_safe() && settings.redact_secrets, "{mode}");
        }
        let mut lossless = Settings { mode: Mode::Lossless, ..Settings::default() };
        assert!(held.restrain(&mut lossless));
        assert_eq!(lossless.mode, Mode::Lossless);
        assert!(!holds(&[(HoldKind::Mode, "lossless")]).restrain(&mut lossless));
        assert_eq!(lossless.mode, Mode::Disabled);
    }

    #[test]
    fn v11_a_held_stage_is_skipped_and_settings_have_another_fingerprint() {
        let usual = Settings::default();
        for stage in ["family", "json", EARLIER_RESULTS] {
            let mut settings = usual.clone();
            assert!(holds(&[(HoldKind::Stage, stage)]).restrain(&mut settings));
            assert_ne!(settings.fingerprint(), usual.fingerprint(), "{stage}");
        }
        let mut same = usual.clone();
        assert!(holds(&[]).restrain(&mut same) && holds(&[]).is_empty());
        assert_eq!(same.fingerprint(), usual.fingerprint());
    }

    #[test]
    fn v11_what_protects_cannot_be_held() {
        for (kind, name, expected) in [
            (HoldKind::Mode, "standard", true),
            (HoldKind::Mode, "safe", false),
            (HoldKind::Mode, "observe", false),
            (HoldKind::Mode, "standard (held)", false),
            (HoldKind::Stage, "family", true),
            (HoldKind::Stage, "old_result", true),
            (HoldKind::Stage, "earlier_results", true),
            (HoldKind::Stage, "simple", true),
            (HoldKind::Stage, "binary", false),
            (HoldKind::Stage, "(unknown)", false),
        ] {
            assert_eq!(can_hold(kind, name), expected, "{name}");
        }
    }
}
