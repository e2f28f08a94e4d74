//! Tool servers, with the gateway's connections and its store.

use crate::expand::original;
use crate::gateway::Gateway;
use crate::limits::upstream_limits;
use bytes::Bytes;
use http::Request;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokenforge_config::{Limits, Settings};
use tokenforge_engine::reference::Key;
use tokenforge_engine::{Mode, Original};
use tokenforge_ledger::Outcome;
use tokenforge_mcp::{Hub, HubSettings, Originals, Received, Sending, Transport};
use tokenforge_proxy::body::Body;
use tokenforge_proxy::upstream::UpstreamClient;
use tokenforge_store::Kind;

/// How long the head of a server's answer may take to come, whatever the server's own limit is.
const FIRST_BYTE: Duration = Duration::from_secs(60 * 60);

/// The hub of a gateway.
pub(crate) fn hub(
    settings: &Settings,
    client: &Arc<UpstreamClient>,
    gateway: &Weak<Gateway>,
) -> Arc<Hub> {
    let transport = Arc::new(Pooled(client.clone()));
    let originals = Arc::new(Kept(gateway.clone()));
    Hub::new(self::settings(settings), settings.mcp.file.clone(), transport, originals)
}

/// A way to tool servers for who has no gateway: connections, proxies and certificates as the gateway's.
#[must_use]
pub fn transport(limits: &Limits) -> Arc<dyn Transport> {
    Arc::new(Pooled(Arc::new(UpstreamClient::new(upstream_limits(limits)))))
}

/// What the settings say about tool servers and their results.
pub(crate) fn settings(settings: &Settings) -> HubSettings {
    let tool_output = &settings.tool_output;
    let mut engine = tool_output.engine_settings();
    if !tool_output.enabled {
        engine.mode = Mode::Disabled;
    }
    // Whoever wants no secret to go out wants none from a tool server either.
    engine.redact_secrets |= settings.redact_secrets;
    HubSettings {
        mcp: settings.mcp.clone(),
        engine,
        expands: tool_output.enable_expand_context,
        lists_expand_tool: true,
        must_redact: settings.redact_secrets,
    }
}

/// The pooled connections of the gateway.
struct Pooled(Arc<UpstreamClient>);

impl Transport for Pooled {
    fn send(&self, request: Request<Bytes>) -> Sending<'_> {
        Box::pin(async move {
            let sent = self.0.send(&mut request.map(Body::from), false, FIRST_BYTE).await;
            let answer = sent.map_err(|failure| failure.to_string())?;
            Ok(answer.map(Received::new))
        })
    }
}

/// The store of the gateway.
struct Kept(Weak<Gateway>);

impl Originals for Kept {
    fn key(&self) -> Option<Arc<Key>> {
        self.0.upgrade()?.reference_key()
    }

    fn keep(&self, tenant: &str, original: &Original) -> bool {
        let id = original.reference.to_string();
        let Some(gateway) = self.0.upgrade() else { return false };
        let kept = gateway.store.put(Kind::Original, tenant, &id, original.text.as_bytes());
        kept.map_err(|error| gateway.telemetry.nothing_left_out(&error)).is_ok()
    }

    fn find(&self, tenant: &str, id: &str) -> Option<String> {
        let gateway = self.0.upgrade()?;
        let found = original(&gateway, tenant, id).ok();
        let counter = gateway.state().engine.counter;
        gateway.telemetry.tool_expanded(found.as_deref().map(|text| counter.count(text)));
        found
    }

    fn rewrote(&self, client: &str, outcome: Outcome, is_observed: bool) {
        if let Some(gateway) = self.0.upgrade() {
            gateway.telemetry.tool_called(client, outcome, is_observed);
        }
    }
}
