//! The asker of shadow requests: what a sample needs of the gateway.

use super::traffic::ShadowTraffic;
use crate::telemetry::Telemetry;
use crate::workers::WorkerPool;
use std::sync::Arc;
use tokenforge_proxy::upstream::UpstreamClient;

/// What a sample needs of the gateway.
pub(crate) struct ShadowAsker {
    pub(crate) traffic: Arc<ShadowTraffic>,
    pub(crate) telemetry: Arc<Telemetry>,
    pub(crate) client: Arc<UpstreamClient>,
    pub(crate) workers: WorkerPool,
    /// Has the gateway take what is held out of what requests go through.
    pub(crate) apply_holds: Box<dyn Fn() + Send + Sync>,
}
