//! Active holds: what requests do not go through until it is released.
//!
//! A hold is part of what a request sees of the settings, and takes effect as a change of them does: from the next request
//! on, in every conversation. The fingerprint of the settings is another, so that nothing is mixed up with what was made
//! before. A conversation under way changes its bytes once, and its provider's cache is cold once (law L5 is about the same
//! settings). To leave such conversations as they are was considered: the model would go on in harm's way, each request
//! would have to remember under which holds its conversation began, in the store, and the saving is one cache write.

use std::collections::HashMap;
use std::sync::Arc;
use tokenforge_config::{Choice, Strategy};
use tokenforge_conversation::{EARLIER_RESULTS, TenantHolds};
use tokenforge_engine::{Mode, old_results, stage_names};
use tokenforge_shadow::{HoldKind, ShadowHold};

/// The tenant of all requests where one person uses the gateway, on that person's machine: a credential there is often a
/// token that is renewed every few hours, and would be another tenant each time.
const THIS_MACHINE: &str = "this machine";

/// Whose samples those of a request are, and whose holds apply to it.
pub(crate) fn tenant_of(tenant: &str, is_personal: bool) -> &str {
    if is_personal { THIS_MACHINE } else { tenant }
}

/// The holds in force, by tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ActiveHolds {
    for_all: Arc<TenantHolds>,
    /// With those for all, for each tenant for which more is held.
    by_tenant: HashMap<String, Arc<TenantHolds>>,
}

impl ActiveHolds {
    pub(crate) fn new(holds: &[ShadowHold]) -> Self {
        let tenants = holds.iter().filter_map(|hold| hold.tenant.as_deref());
        let of_tenant = |tenant: &str| {
            let holds = holds.iter().filter(|hold| hold.is_for(tenant));
            (tenant.to_owned(), holds_of(holds))
        };
        ActiveHolds {
            for_all: holds_of(holds.iter().filter(|hold| hold.tenant.is_none())),
            by_tenant: tenants.map(of_tenant).collect(),
        }
    }

    /// The holds in force for a tenant.
    pub(crate) fn of(&self, tenant: &str) -> &Arc<TenantHolds> {
        self.by_tenant.get(tenant).unwrap_or(&self.for_all)
    }
}

/// These holds, as they take effect.
fn holds_of<'h>(holds: impl Iterator<Item = &'h ShadowHold>) -> Arc<TenantHolds> {
    let (mut modes, mut stages) = (Vec::new(), Vec::new());
    for ShadowHold { kind, name, .. } in holds {
        match kind {
            HoldKind::Mode => modes.extend(name.parse::<Mode>()),
            HoldKind::Stage => stages.push(name.clone()),
        }
    }
    Arc::new(TenantHolds::new(modes, stages))
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
    use tokenforge_engine::Settings;
    use tokenforge_shadow::PairedCounts;

    fn holds(names: &[(HoldKind, &str)]) -> Arc<TenantHolds> {
        let hold = |(kind, name): &(HoldKind, &str)| ShadowHold {
            kind: *kind,
            name: (*name).to_owned(),
            since: 0,
            bound: 0.01,
            tenant: None,
            counts: PairedCounts::default(),
        };
        let holds: Vec<ShadowHold> = names.iter().map(hold).collect();
        ActiveHolds::new(&holds).of("t").clone()
    }

    #[test]
    fn v15_a_tenants_own_hold_is_in_force_for_that_tenant_alone() {
        let hold = |name: &str, tenant: Option<&str>| ShadowHold {
            kind: HoldKind::Stage,
            name: name.to_owned(),
            since: 0,
            bound: 0.01,
            tenant: tenant.map(str::to_owned),
            counts: PairedCounts::default(),
        };
        let held = ActiveHolds::new(&[hold("json", None), hold("family", Some("a"))]);
        assert!(held.of("a").has_stage("family") && held.of("a").has_stage("json"));
        assert!(!held.of("b").has_stage("family") && held.of("b").has_stage("json"));
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
        assert!(holds(&[]).restrain(&mut same));
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
