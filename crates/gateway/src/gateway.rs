//! The gateway: what all requests share, assembled in one place.

use crate::aws::AwsCredentialSource;
use crate::chains::{self, PluginChains};
use crate::cold_cache::WallClock;
use crate::contents::RecentContents;
use crate::deferral::DeferredCallStore;
use crate::guard::{AdminGuard, ClientToken};
use crate::limits::upstream_limits;
use crate::mcp;
use crate::original_store::OriginalStore;
use crate::panic_safe_store::PanicSafeStore;
use crate::reference_key::ReferenceKey;
use crate::relay::RelayShared;
use crate::rewrite::RewriteShared;
use crate::rewriter::Rewriter;
use crate::shadow::ShadowTraffic;
use crate::state::GatewayState;
use crate::store_figures::StoreFigures;
use crate::strategy::StrategyShared;
use crate::telemetry::Telemetry;
use crate::traces::TraceExporter;
use crate::workers::{WorkerLimits, WorkerPool};
use arc_swap::ArcSwap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use tokenforge_config::{Origins, Secret, Settings};
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
    state: Arc<ArcSwap<GatewayState>>,
    /// Where the settings have their values from.
    origins: Mutex<Origins>,
    /// Held while settings or holds are changed: each begins with what is there.
    reconfiguring: Mutex<()>,
    /// Told when there are other settings.
    changes: watch::Sender<()>,
    /// The plugins that settings can ask for.
    registry: Registry,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) store_figures: Arc<StoreFigures>,
    pub(crate) originals: Arc<OriginalStore>,
    pub(crate) client: Arc<UpstreamClient>,
    pub(crate) rewriter: Rewriter,
    pub(crate) relay: Arc<RelayShared>,
    pub(crate) telemetry: Arc<Telemetry>,
    pub(crate) traces: Option<Arc<TraceExporter>>,
    pub(crate) shadow: ShadowTraffic,
    /// What the operator may look at.
    pub(crate) contents: Arc<RecentContents>,
    /// One output at a time is tried out: the workers are for requests.
    pub(crate) playground: Semaphore,
    /// One reader of the ledger at a time.
    pub(crate) ledger_reads: Arc<Semaphore>,
    /// Who compresses.
    pub(crate) workers: WorkerPool,
    /// Room for the bodies that they work on.
    pub(crate) bodies: Arc<ByteBudget>,
    /// Tool servers.
    pub(crate) mcp: Arc<Hub>,
    /// Who may change something.
    pub(crate) admin: AdminGuard,
    /// What shows that a request is of the operator's own program.
    pub(crate) client_token: ClientToken,
    /// What signed requests are signed again with.
    pub(crate) aws: OnceLock<AwsCredentialSource>,
    pub(crate) clock: WallClock,
    is_warm: AtomicBool,
    is_draining: AtomicBool,
}

impl Gateway {
    /// A gateway with these settings, which keeps what it must in this store.
    ///
    /// # Errors
    /// A plugin that nobody knows, or that cannot work with its settings.
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
        let shadow = ShadowTraffic::new(&settings.ledger);
        let state = GatewayState::new(settings.clone(), &registry, &PluginChains::default())?;
        let state = state.with_holds(shadow.holds());
        let client = Arc::new(UpstreamClient::new(upstream_limits(&settings.limits)));
        let workers = WorkerPool::new(WorkerLimits::of(&settings.limits));
        let telemetry = Arc::new(Telemetry::new(&settings));
        let store: Arc<dyn Store> = Arc::new(PanicSafeStore(store));
        let key = ReferenceKey::new(&settings);
        let originals = Arc::new(OriginalStore::new(store.clone(), key, telemetry.clone()));
        let contents = Arc::new(RecentContents::new(settings.content_bytes()));
        let deferred = Arc::new(DeferredCallStore::new(store.clone()));
        let shared = RewriteShared::new(
            &settings.limits,
            &store,
            &contents,
            &deferred,
            &originals,
            clock.clone(),
        );
        let strategy = StrategyShared::new(&settings.tool_output, &client, &workers);
        let (shared, strategy) = (Arc::new(shared), Arc::new(strategy));
        let bodies = Arc::new(ByteBudget::new(settings.limits.max_work_bytes));
        let rewriter =
            Rewriter { shared, strategy, workers: workers.clone(), bodies: bodies.clone() };
        let relay = RelayShared { client: client.clone(), deferred, originals: originals.clone() };
        let state = Arc::new(ArcSwap::from_pointee(state));
        let collector = &settings.monitoring.otlp_endpoint;
        Ok(Arc::new(Gateway {
            mcp: mcp::hub(&settings, &client, &originals, &state),
            traces: collector.as_ref().map(|collector| Arc::new(TraceExporter::new(collector))),
            playground: Semaphore::new(1),
            ledger_reads: Arc::new(Semaphore::new(1)),
            bodies,
            admin: AdminGuard::default(),
            client_token: ClientToken::default(),
            aws: OnceLock::new(),
            clock,
            is_warm: AtomicBool::new(false),
            is_draining: AtomicBool::new(false),
            origins: Mutex::default(),
            reconfiguring: Mutex::default(),
            changes: watch::Sender::default(),
            relay: Arc::new(relay),
            client,
            contents,
            originals,
            registry,
            rewriter,
            shadow,
            state,
            store_figures: StoreFigures::new(store.clone()),
            store,
            telemetry,
            workers,
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
        self.state.load_full()
    }

    /// Other settings from now on. Requests that are under way keep theirs.
    ///
    /// # Errors
    /// As [`new`](Self::new); then nothing changes.
    pub fn reconfigure(&self, settings: Settings) -> Result<(), ConfigError> {
        let _alone = self.reconfiguring.lock().unwrap_or_else(PoisonError::into_inner);
        self.take(settings)
    }

    /// Takes what is held out of what requests go through, from the next one on.
    pub(crate) fn apply_holds(&self) {
        let _alone = self.reconfiguring.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn take(&self, mut settings: Settings) -> Result<(), ConfigError> {
        // The address stays until a restart, and what depends on it too: whose texts may be kept.
        settings.listen = self.state.load().settings.listen;
        let state = GatewayState::new(settings, &self.registry, &self.state.load().chains)?;
        let state = state.with_holds(self.shadow.holds());
        self.telemetry.reconfigure(&state.settings);
        self.contents.allow(state.settings.content_bytes());
        let old = self.state();
        let (old, new) = (&old.settings, &state.settings);
        let is_hub_concerned = old.mcp != new.mcp
            || old.tool_output != new.tool_output
            || old.redact_secrets != new.redact_secrets
            || old.keys != new.keys;
        if is_hub_concerned {
            self.mcp.configure(mcp::settings(new));
        }
        self.state.store(Arc::new(state));
        self.changes.send_replace(());
        Ok(())
    }

    /// The token of the data folder, as [`draw_token`](crate::draw_token) gives it, or why there is none. The
    /// gateway proves with it whose it is, and where the settings have no admin token, it is that: without it nothing can
    /// be changed over HTTP.
    pub fn set_admin_token(&self, token: Result<Secret, String>) {
        self.admin.set_drawn(token);
    }

    /// The client token of the data folder, as [`draw_token`](crate::draw_token) gives it, or why there is none. Without
    /// `keys`, a program shows with it that it is the operator's, where the system does not say which user it belongs to.
    pub fn set_client_token(&self, token: Result<Secret, String>) {
        self.client_token.set(token);
    }

    /// Where the operator's AWS credentials come from: requests that clients signed may be signed again with them, as
    /// `upstreams.aws_signing` says. Only the first call counts.
    pub fn set_aws_credentials(&self, source: AwsCredentialSource) {
        let _ = self.aws.set(source);
    }

    /// `tokenforge expand` on this machine reads the store of this gateway, and there what is kept for this tenant. Without
    /// it no model is told to run that.
    pub fn set_command_tenant(&self, tenant: &str) {
        self.originals.set_command_tenant(tenant);
    }

    /// Path and fragment of a link that signs one browser in, and for how long. `None`: there is no admin token.
    #[must_use]
    pub fn sign_in_link(&self) -> Option<(String, Duration)> {
        let (code, lifetime) = self.admin.issue_link(&self.state().settings)?;
        Some((format!("/_forge/ui/#/sign-in/{code}"), lifetime))
    }

    /// Is told whenever there are other settings.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// The settings as they are now.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.state.load().settings.clone()
    }

    /// Says where the settings have their values from, for whoever looks at them.
    pub fn set_origins(&self, origins: Origins) {
        *self.origins.lock().unwrap_or_else(PoisonError::into_inner) = origins;
    }

    /// Where the settings have their values from.
    pub(crate) fn origins(&self) -> Origins {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes what the first requests would wait for: tokenizer, secret patterns, filters, trusted authorities. Blocks.
    /// From then on it is ready.
    pub(crate) fn warm_up(&self) {
        let state = self.state();
        state.engine.counter.warm();
        warm_stages(&state.engine);
        self.client.warm_up();
        self.originals.reference_key();
        self.is_warm.store(true, Ordering::Release);
    }

    /// Does the first request wait for nothing?
    pub(crate) fn is_warm(&self) -> bool {
        self.is_warm.load(Ordering::Acquire)
    }

    /// No longer ready for new requests; those under way go on.
    pub fn start_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
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
        self.is_draining.load(Ordering::Relaxed)
    }
}

/// Compresses a made-up result: what stages make once, they make by that.
fn warm_stages(settings: &tokenforge_engine::Settings) {
    let text = "test a::case ... ok\nAKIA0000 {\"a\": 1}\n".repeat(50);
    let arguments = r#"{"command": "cargo test"}"#;
    let output = Output { text: &text, tool: "Bash", arguments, call: None, is_error: false };
    let _ = Engine::new(settings).compress(&output, &History::default());
}
