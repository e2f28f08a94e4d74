//! Tool servers, with the gateway's connections and its store.

use crate::limits::upstream_limits;
use crate::state::GatewayState;
use crate::telemetry::Telemetry;
use arc_swap::ArcSwap;
use bytes::Bytes;
use http::Request;
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{Limits, Settings};
use tokenforge_conversation::OriginalStore;
use tokenforge_engine::Mode;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_ledger::ResultOutcome;
use tokenforge_mcp::{Hub, HubSettings, Original, Originals, Received, Sending, Transport};
use tokenforge_proxy::body::Body;
use tokenforge_proxy::upstream::UpstreamClient;

/// How long the head of a server's answer may take to come, whatever the server's own limit is.
const FIRST_BYTE: Duration = Duration::from_secs(60 * 60);

/// The hub of a gateway.
pub(crate) fn hub(
    settings: &Settings,
    client: &Arc<UpstreamClient>,
    originals: &Arc<OriginalStore>,
    telemetry: &Arc<Telemetry>,
    state: &Arc<ArcSwap<GatewayState>>,
) -> Arc<Hub> {
    let transport = Arc::new(PooledTransport(client.clone()));
    let originals = Arc::new(ToolOriginals {
        store: originals.clone(),
        telemetry: telemetry.clone(),
        state: state.clone(),
    });
    Hub::new(self::settings(settings), settings.mcp.file.clone(), transport, originals)
}

/// A way to tool servers for who has no gateway: connections, proxies and certificates as the gateway's.
#[must_use]
pub fn transport(limits: &Limits) -> Arc<dyn Transport> {
    Arc::new(PooledTransport(Arc::new(UpstreamClient::new(upstream_limits(limits)))))
}

/// What the settings say about tool servers and their results.
pub(crate) fn settings(settings: &Settings) -> HubSettings {
    let tool_output = &settings.tool_output;
    let mut engine = tool_output.engine_settings();
    if !tool_output.enabled {
        engine.mode = Mode::Disabled;
    }
    // An operator who redacts secrets in requests wants the secrets of tool servers redacted too.
    engine.redact_secrets |= settings.redact_secrets;
    HubSettings {
        mcp: settings.mcp.clone(),
        engine,
        expands: tool_output.enable_expand_context,
        lists_expand_tool: true,
        must_redact: settings.redact_secrets,
        has_tenants: !settings.keys.is_empty(),
    }
}

/// The pooled connections of the gateway.
struct PooledTransport(Arc<UpstreamClient>);

impl Transport for PooledTransport {
    fn send(&self, request: Request<Bytes>) -> Sending<'_> {
        Box::pin(async move {
            // `send` repeats no POST and no DELETE: a tool must not run twice.
            let sent = self.0.send(&mut request.map(Body::from), false, FIRST_BYTE).await;
            let answer = sent.map_err(|failure| failure.to_string())?;
            Ok(answer.map(Received::new))
        })
    }
}

/// Originals of what is left out of results of tools, in the gateway's store.
struct ToolOriginals {
    store: Arc<OriginalStore>,
    telemetry: Arc<Telemetry>,
    state: Arc<ArcSwap<GatewayState>>,
}

impl Originals for ToolOriginals {
    fn key(&self) -> Option<Arc<ReferenceSecret>> {
        self.store.reference_key()
    }

    fn keep(&self, tenant: &str, original: &Original) -> bool {
        let kept = self.store.put(tenant, original.reference, &original.text);
        kept.map_err(|error| self.telemetry.nothing_left_out(&error)).is_ok()
    }

    fn find(&self, tenant: &str, id: &str) -> Option<String> {
        let found = self.store.find(tenant, id).ok();
        let counter = self.state.load().rules.engine.counter;
        self.telemetry.count_tool_expansion(found.as_deref().map(|text| counter.count(text)));
        found
    }

    fn keep_task(&self, tenant: &str, server: &str, task: &str, call: &str) {
        // A store that does not take it costs savings, and nothing else.
        let _ = self.store.put_task(tenant, server, task, call);
    }

    fn find_task(&self, tenant: &str, server: &str, task: &str) -> Option<String> {
        self.store.task(tenant, server, task)
    }

    fn rewrote(&self, client: &str, outcome: ResultOutcome, is_observed: bool) {
        self.telemetry.count_tool_call(client, outcome, is_observed);
    }
}
