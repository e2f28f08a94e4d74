//! The gateway: what all requests share, assembled in one place.

use crate::aws::AwsCredentialSource;
use crate::chains::{self, PluginChains};
use crate::configuration::Configuration;
use crate::contents::RecentContents;
use crate::guard::{AdminGuard, ClientToken};
use crate::limits::upstream_limits;
use crate::mcp;
use crate::relay::RelayShared;
use crate::rewrite_events::RewriteEvents;
use crate::rewriter::Rewriter;
use crate::shadow::{ShadowAsker, ShadowTraffic};
use crate::state::GatewayState;
use crate::store_figures::StoreFigures;
use crate::strategy::StrategyShared;
use crate::telemetry::Telemetry;
use crate::traces::TraceExporter;
use crate::wall_clock::{GatewayClock, WallClock};
use crate::workers::{WorkerLimits, WorkerPool};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};
use tokenforge_config::{Origins, Secret, Settings};
use tokenforge_conversation::RewriteShared;
use tokenforge_engine::{Engine, History, Output};
use tokenforge_mcp::Hub;
use tokenforge_plugin::{ConfigError, Registry};
use tokenforge_proxy::blocking::run_blocking;
use tokenforge_proxy::byte_budget::ByteBudget;
use tokenforge_proxy::upstream::UpstreamClient;
use tokenforge_store::Store;
use tokio::sync::{Semaphore, watch};

/// The gateway: what lives as long as the process.
pub struct Gateway {
    configuration: Configuration,
    pub(crate) rewriter: Rewriter,
    pub(crate) client: Arc<UpstreamClient>,
    pub(crate) relay: Arc<RelayShared>,
    pub(crate) telemetry: Arc<Telemetry>,
    pub(crate) traces: Option<Arc<TraceExporter>>,
    pub(crate) shadow: Arc<ShadowTraffic>,
    pub(crate) operator: OperatorPages,
    /// Tool servers.
    pub(crate) mcp: Arc<Hub>,
    pub(crate) credentials: OwnCredentials,
    pub(crate) clock: WallClock,
    lifecycle: Lifecycle,
}

/// What the operator's pages show, and how many of their requests are worked on at once.
pub(crate) struct OperatorPages {
    pub(crate) store_figures: Arc<StoreFigures>,
    /// Texts of results.
    pub(crate) contents: Arc<RecentContents>,
    /// One output at a time is tried out: the workers are for requests.
    pub(crate) playground: Semaphore,
    /// One reader of the ledger at a time.
    pub(crate) ledger_reads: Arc<Semaphore>,
}

/// The gateway's own credentials.
#[derive(Default)]
pub(crate) struct OwnCredentials {
    /// Who may change something.
    pub(crate) admin: AdminGuard,
    /// What shows that a request is of the operator's own program.
    pub(crate) client_token: ClientToken,
    /// What signed requests are signed again with.
    pub(crate) aws: OnceLock<AwsCredentialSource>,
}

/// Whether requests are taken.
#[derive(Default)]
struct Lifecycle {
    is_warm: AtomicBool,
    is_draining: AtomicBool,
}

impl Gateway {
    /// A gateway with these settings, which keeps what it must in this store.
    ///
    /// # Errors
    /// Fails if a plugin is unknown, or cannot work with its settings.
    pub fn new(settings: Settings, store: Arc<dyn Store>) -> Result<Arc<Self>, ConfigError> {
        Self::with_plugins(settings, store, Registry::default())
    }

    /// The same, which also knows these plugins beside its own.
    ///
    /// # Errors
    /// As [`new`](Self::new), and a plugin that has the name of another.
    pub fn with_plugins(
        settings: Settings,
        store: Arc<dyn Store>,
        registry: Registry,
    ) -> Result<Arc<Self>, ConfigError> {
        Self::build(settings, store, registry, Arc::new(SystemTime::now))
    }

    /// The same as [`new`](Self::new), with another clock: it decides when a provider's cache is cold.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_clock(
        settings: Settings,
        store: Arc<dyn Store>,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Result<Arc<Self>, ConfigError> {
        Self::build(settings, store, Registry::default(), Arc::new(clock))
    }

    fn build(
        settings: Settings,
        store: Arc<dyn Store>,
        mut registry: Registry,
        clock: WallClock,
    ) -> Result<Arc<Self>, ConfigError> {
        chains::register_plugins(&mut registry)?;
        let shadow = Arc::new(ShadowTraffic::new(&settings.ledger));
        let configuration = Configuration::new(settings.clone(), shadow.holds(), registry)?;
        let client = Arc::new(UpstreamClient::new(upstream_limits(&settings.limits)));
        let workers = WorkerPool::new(WorkerLimits::of(&settings.limits));
        let telemetry = Arc::new(Telemetry::new(&settings));
        let contents = Arc::new(RecentContents::new(settings.content_bytes()));
        let events = RewriteEvents { telemetry: telemetry.clone(), contents: contents.clone() };
        let rewrite_clock = Arc::new(GatewayClock(clock.clone()));
        let shared = RewriteShared::new(&settings, store, Arc::new(events), rewrite_clock);
        let (originals, deferred) = (shared.originals.clone(), shared.deferred.clone());
        let strategy = StrategyShared::new(&settings.tool_output, &client, &workers, &telemetry);
        let (shared, strategy) = (Arc::new(shared), Arc::new(strategy));
        let rewriter = Rewriter {
            shared,
            strategy,
            workers,
            bodies: Arc::new(ByteBudget::new(settings.limits.max_work_bytes)),
            telemetry: telemetry.clone(),
        };
        let relay = RelayShared {
            client: client.clone(),
            deferred,
            originals: originals.clone(),
            telemetry: telemetry.clone(),
        };
        let collector = &settings.monitoring.otlp_endpoint;
        Ok(Arc::new(Gateway {
            mcp: mcp::hub(&settings, &client, &originals, &telemetry, configuration.shared()),
            traces: collector.as_ref().map(|collector| Arc::new(TraceExporter::new(collector))),
            operator: OperatorPages {
                store_figures: StoreFigures::new(rewriter.shared.store.clone()),
                contents,
                playground: Semaphore::new(1),
                ledger_reads: Arc::new(Semaphore::new(1)),
            },
            credentials: OwnCredentials::default(),
            lifecycle: Lifecycle::default(),
            relay: Arc::new(relay),
            clock,
            configuration,
            rewriter,
            client,
            telemetry,
            shadow,
        }))
    }

    /// Can a gateway have these settings? Loading them does not know the plugins.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn check(settings: &Settings) -> Result<(), ConfigError> {
        let mut registry = Registry::default();
        chains::register_plugins(&mut registry)?;
        PluginChains::new(settings, &registry, &PluginChains::default()).map(drop)
    }

    /// The settings as they are now.
    pub(crate) fn state(&self) -> Arc<GatewayState> {
        self.configuration.state()
    }

    /// Other settings from now on. Requests that are under way keep theirs.
    ///
    /// # Errors
    /// As [`new`](Self::new); then nothing changes.
    pub fn reconfigure(&self, settings: Settings) -> Result<(), ConfigError> {
        let _alone = self.configuration.lock();
        self.take(settings)
    }

    /// Takes what is held out of what requests go through, from the next one on.
    pub(crate) fn apply_holds(&self) {
        let _alone = self.configuration.lock();
        // The settings are those that there are, which can be had.
        if let Err(error) = self.take(self.settings()) {
            tracing::error!(%error, "what is held could not be changed");
        }
    }

    /// Looks whether something was held or released by others, if anything is measured here.
    pub(crate) fn follow_holds(&self, state: &GatewayState) {
        if state.settings.shadow.is_on() && self.shadow.look_again() {
            self.apply_holds();
        }
    }

    /// What a sample of shadow traffic is asked with.
    pub(crate) fn shadow_asker(self: &Arc<Self>) -> ShadowAsker {
        let gateway = self.clone();
        ShadowAsker {
            traffic: self.shadow.clone(),
            telemetry: self.telemetry.clone(),
            client: self.client.clone(),
            workers: self.rewriter.workers.clone(),
            apply_holds: Box::new(move || gateway.apply_holds()),
        }
    }

    fn take(&self, settings: Settings) -> Result<(), ConfigError> {
        let state = self.configuration.prepare(settings, self.shadow.holds())?;
        self.telemetry.reconfigure(&state.settings);
        self.operator.contents.allow(state.settings.content_bytes());
        let old = self.state();
        let (old, new) = (&old.settings, &state.settings);
        let is_hub_concerned = old.mcp != new.mcp
            || old.tool_output != new.tool_output
            || old.redact_secrets != new.redact_secrets
            || old.keys != new.keys;
        if is_hub_concerned {
            self.mcp.configure(mcp::settings(new));
        }
        self.configuration.replace(state);
        Ok(())
    }

    /// The token of the data folder, as [`draw_token`](crate::draw_token) gives it, or why there is none. The
    /// gateway proves with it whose it is, and where the settings have no admin token, it is that: without it nothing can
    /// be changed over HTTP.
    pub fn set_admin_token(&self, token: Result<Secret, String>) {
        self.credentials.admin.set_drawn(token);
    }

    /// The client token of the data folder, as [`draw_token`](crate::draw_token) gives it, or why there is none. Without
    /// `keys`, a program shows with it that it is the operator's, where the system does not say which user it belongs to.
    pub fn set_client_token(&self, token: Result<Secret, String>) {
        self.credentials.client_token.set(token);
    }

    /// Where the operator's AWS credentials come from: requests that clients signed may be signed again with them, as
    /// `upstreams.aws_signing` says. Only the first call counts.
    pub fn set_aws_credentials(&self, source: AwsCredentialSource) {
        let _ = self.credentials.aws.set(source);
    }

    /// `tokenforge expand` on this machine reads the store of this gateway, and there what is kept for this tenant. Without
    /// it no model is told to run that.
    pub fn set_command_tenant(&self, tenant: &str) {
        self.rewriter.shared.originals.set_command_tenant(tenant);
    }

    /// Path and fragment of a link that signs one browser in, and for how long. `None`: there is no admin token.
    #[must_use]
    pub fn sign_in_link(&self) -> Option<(String, Duration)> {
        let (code, lifetime) = self.credentials.admin.issue_link(&self.state().settings)?;
        Some((format!("/_forge/ui/#/sign-in/{code}"), lifetime))
    }

    /// Is told whenever there are other settings.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.configuration.changes()
    }

    /// The settings as they are now.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings::clone(&self.state().settings)
    }

    /// Records where each setting has its value from, for the dashboard and the commands that show settings.
    pub fn set_origins(&self, origins: Origins) {
        self.configuration.set_origins(origins);
    }

    /// Where the settings have their values from.
    pub(crate) fn origins(&self) -> Origins {
        self.configuration.origins()
    }

    /// Makes what the first requests would wait for: tokenizer, secret patterns, filters, trusted authorities. Blocks.
    /// From then on it is ready.
    pub(crate) fn warm_up(&self) {
        let state = self.state();
        state.rules.engine.counter.warm();
        warm_stages(&state.rules.engine);
        self.client.warm_up();
        self.rewriter.shared.originals.reference_key();
        self.lifecycle.is_warm.store(true, Ordering::Release);
    }

    /// Does the first request wait for nothing?
    pub(crate) fn is_warm(&self) -> bool {
        self.lifecycle.is_warm.load(Ordering::Acquire)
    }

    /// No longer ready for new requests; those under way go on.
    pub fn start_draining(&self) {
        self.lifecycle.is_draining.store(true, Ordering::Relaxed);
        self.mcp.close_streams();
    }

    /// Ends what outlives requests: the programs of tool servers, and what waits to be written down. For who serves it
    /// inside a program of his own and does not wait for connections.
    pub async fn end(self: &Arc<Self>) {
        self.start_draining();
        self.mcp.stop().await;
        let gateway = self.clone();
        let _ = run_blocking(move || gateway.telemetry.close()).await;
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.lifecycle.is_draining.load(Ordering::Relaxed)
    }
}

/// Compresses a made-up result: what stages make once, they make by that.
fn warm_stages(settings: &tokenforge_engine::Settings) {
    let text = "test a::case ... ok\nAKIA0000 {\"a\": 1}\n".repeat(50);
    let arguments = r#"{"command": "cargo test"}"#;
    let output = Output { text: &text, tool: "Bash", arguments, call: None, is_error: false };
    let _ = Engine::new(settings).compress(&output, &History::default());
}
