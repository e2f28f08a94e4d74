//! A gateway in front of a provider, each on threads of its own.

use crate::client::{self, Response};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use tokenforge_config::{ExpandInjection, Settings};
use tokenforge_gateway::{Gateway, serve};
use tokenforge_mock::{Mock, Recorded};
use tokenforge_store::{DiskStore, MemoryStore, Store};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const JSON: (&str, &str) = ("content-type", "application/json");

/// A gateway in front of a provider.
pub(crate) struct House {
    pub(crate) mock: Mock,
    settings: Settings,
    open: Box<dyn Fn() -> Arc<dyn Store> + Send + Sync>,
    clock: TestClock,
    gateway: Running,
}

/// A clock that stands still until it is told how much time passes. Clones show the same time.
#[derive(Clone)]
pub(crate) struct TestClock {
    began: SystemTime,
    seconds: Arc<AtomicU64>,
}

impl TestClock {
    pub(crate) fn new() -> Self {
        TestClock { began: SystemTime::now(), seconds: Arc::default() }
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.seconds.fetch_add(time.as_secs(), Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.began + Duration::from_secs(self.seconds.load(Ordering::Relaxed))
    }
}

impl House {
    /// With the default settings.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::built(change, || Arc::new(MemoryStore::default()))
    }

    /// What it keeps is in a folder, and survives it.
    pub(crate) fn on_disk(folder: &Path, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = folder.to_owned();
        Self::built(change, move || {
            Arc::new(DiskStore::open(&folder, tokenforge_store::StoreOptions::DISK).unwrap())
        })
    }

    pub(crate) fn built(
        change: impl FnOnce(&mut Settings),
        open: impl Fn() -> Arc<dyn Store> + Send + Sync + 'static,
    ) -> Self {
        Self::with_clock(TestClock::new(), change, open)
    }

    /// With a clock that others may share.
    pub(crate) fn with_clock(
        clock: TestClock,
        change: impl FnOnce(&mut Settings),
        open: impl Fn() -> Arc<dyn Store> + Send + Sync + 'static,
    ) -> Self {
        let mock = Mock::start();
        let mut settings = Settings::default();
        settings.upstreams.backend = Some(mock.url().parse().unwrap());
        // No clock decides a test, however busy the machine is.
        settings.tool_output.deadline = std::time::Duration::from_secs(600);
        // Conversations here are short, and most of them are about what is left out.
        settings.tool_output.expand_injection = ExpandInjection::FromStart;
        change(&mut settings);
        let gateway = Running::start(&settings, open(), &clock);
        House { mock, settings, open: Box::new(open), clock, gateway }
    }

    /// Another process: all that is left is what was stored.
    pub(crate) fn restart(&mut self) {
        self.gateway = Running::start(&self.settings, (self.open)(), &self.clock);
    }

    /// Other settings from now on.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings);
        self.gateway.gateway.reconfigure(self.settings.clone()).unwrap();
    }

    /// The command on this machine reads its store, and there what is kept for this tenant; until the next restart.
    pub(crate) fn admit_command(&self, tenant: &str) {
        self.gateway.gateway.set_command_tenant(tenant);
    }

    pub(crate) fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Response {
        self.ask("POST", path, &[JSON], body)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.ask("GET", path, &[], "")
    }

    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Response {
        client::read(self.open(method, path, headers, body))
    }

    /// Sends a request whose response is still to be read.
    pub(crate) fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> TcpStream {
        client::open(self.gateway.address, method, path, headers, body.as_ref())
    }

    /// What the provider itself says to a request that it got before.
    pub(crate) fn without_gateway(&self, request: &Recorded) -> Response {
        let to = self.mock.address();
        client::read(client::open(to, "POST", &request.path_and_query, &[JSON], &request.body))
    }

    /// The last request as it reached the provider.
    pub(crate) fn forwarded(&self) -> String {
        String::from_utf8(self.mock.last().plain().to_vec()).unwrap()
    }

    /// The figures that the operator sees.
    pub(crate) fn stats(&self) -> serde_json::Value {
        self.get("/_forge/api/stats").json()
    }
}

/// A gateway on a port of its own.
struct Running {
    address: SocketAddr,
    gateway: Arc<Gateway>,
    runtime: Option<Runtime>,
}

impl Running {
    fn start(settings: &Settings, store: Arc<dyn Store>, clock: &TestClock) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("gateway")
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let clock = clock.clone();
        let gateway = Gateway::with_clock(settings.clone(), store, move || clock.now()).unwrap();
        runtime.spawn(serve(gateway.clone(), listener, std::future::pending()));
        Running { address, gateway, runtime: Some(runtime) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
