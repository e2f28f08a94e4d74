//! Holds: a mode or a stage that was shown to do harm, and is not used until it is released.

use crate::evidence::PairedCounts;
use serde::{Deserialize, Serialize};

/// What kind of thing is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HoldKind {
    /// A mode: nothing is left out in it any more.
    Mode,
    /// A stage: it does not run any more.
    Stage,
}

impl ShadowHold {
    /// Whether it holds for a tenant.
    #[must_use]
    pub fn is_for(&self, tenant: &str) -> bool {
        self.tenant.as_deref().is_none_or(|held| held == tenant)
    }
}

impl HoldKind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            HoldKind::Mode => "mode",
            HoldKind::Stage => "stage",
        }
    }
}

/// A mode or a stage that is held, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShadowHold {
    /// What it is.
    pub kind: HoldKind,
    /// Its name. No mode has the name of a stage.
    pub name: String,
    /// Since when, in seconds since 1970.
    pub since: u64,
    /// The bound that the harm is above.
    pub bound: f64,
    /// For which tenant, if not for all.
    pub tenant: Option<String>,
    /// What showed it.
    pub counts: PairedCounts,
}
