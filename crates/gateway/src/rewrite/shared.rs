//! What rewriting shares across requests.

use super::Payments;
use crate::contents::Contents;
use crate::deferral::DeferredCallStore;
use crate::memo::Memo;
use crate::original_store::OriginalStore;
use crate::sessions::Sessions;
use crate::telemetry::Telemetry;
use std::sync::Arc;
use tokenforge_store::Store;

/// What rewriting remembers, and whom it tells.
pub(crate) struct RewriteShared {
    pub(crate) memo: Memo,
    pub(crate) payments: Payments,
    pub(crate) sessions: Sessions,
    pub(crate) deferred: Arc<DeferredCallStore>,
    /// What the operator may look at.
    pub(crate) contents: Arc<Contents>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) originals: Arc<OriginalStore>,
    pub(crate) telemetry: Arc<Telemetry>,
}
