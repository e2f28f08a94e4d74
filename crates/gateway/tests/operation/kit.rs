//! A gateway in front of a mock provider, and what is said to it.

pub(crate) use tokenforge_mock::client::{Answer, Ask, Open, PATIENCE};

use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tokenforge_config::{ExpandInjection, Secret, Settings};
use tokenforge_gateway::{Gateway, serve};
use tokenforge_mock::Mock;
use tokenforge_plugin::Registry;
use tokenforge_store::{MemoryStore, Store};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// What a gateway of a test asks its operator for.
pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A gateway on a port of its own, in front of a mock.
pub(crate) struct World {
    pub(crate) mock: Mock,
    pub(crate) address: SocketAddr,
    pub(crate) gateway: Arc<Gateway>,
    runtime: Option<Runtime>,
}

/// A gateway as it is without settings, in front of a mock.
pub(crate) fn world() -> World {
    world_with(|_| {})
}

/// A gateway with settings.
pub(crate) fn world_with(set: impl FnOnce(&mut Settings)) -> World {
    world_on(Arc::new(MemoryStore::default()), set)
}

/// A gateway with a store and settings.
pub(crate) fn world_on(store: Arc<dyn Store>, set: impl FnOnce(&mut Settings)) -> World {
    world_of(store, Registry::default(), set)
}

/// A gateway with a store, plugins beside its own, and settings.
pub(crate) fn world_of(
    store: Arc<dyn Store>,
    plugins: Registry,
    set: impl FnOnce(&mut Settings),
) -> World {
    let mock = Mock::start();
    let mut settings = Settings::default();
    settings.upstreams.backend = Some(mock.url().parse().unwrap());
    // Conversations here are short, and many of them are about what is left out.
    settings.tool_output.expand_injection = ExpandInjection::FromStart;
    set(&mut settings);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let gateway = Gateway::with_plugins(settings, store, plugins).unwrap();
    gateway.set_admin_token(Ok(Secret::new(TOKEN)));
    runtime.spawn(serve(gateway.clone(), listener, std::future::pending()));
    World { mock, address, gateway, runtime: Some(runtime) }
}

impl World {
    /// Sends a request and reads its answer.
    pub(crate) fn send(&self, ask: Ask) -> Answer {
        self.open(&ask).answer()
    }

    /// Sends a request whose answer is read bit by bit.
    pub(crate) fn open(&self, ask: &Ask) -> Open {
        Open::asking(self.address, ask)
    }

    pub(crate) fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.send(Ask::post(path, body))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(Ask::new("GET", path))
    }

    /// Sends a request as the operator, who has the admin token.
    pub(crate) fn operate(&self, ask: Ask) -> Answer {
        self.send(ask.header("authorization", &format!("Bearer {TOKEN}")))
    }

    /// The figures that an operator sees.
    pub(crate) fn counter(&self, name: &str) -> u64 {
        let stats = self.operate(Ask::new("GET", "/_forge/api/stats")).json();
        stats["counters"][name].as_u64().unwrap_or_else(|| panic!("no counter {name}: {stats}"))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A conversation in which a tool was called once and put out `text`.
pub(crate) fn conversation(text: &str) -> Value {
    json!({
        "model": "claude-sonnet-4-5", "max_tokens": 1000,
        "tools": [{"name": "Bash", "description": "Runs.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "cargo test"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": text},
            ]},
        ],
    })
}

/// The same, asking for a stream.
pub(crate) fn streaming(text: &str) -> Value {
    let mut body = conversation(text);
    body["stream"] = true.into();
    body
}

/// A request to Anthropic.
pub(crate) fn messages(body: &Value) -> Ask {
    let ask = Ask::post("/v1/messages", body.to_string());
    ask.header("anthropic-version", "2023-06-01").header("x-api-key", "sk-client")
}

/// What stands in the place of the tool's output.
pub(crate) fn forwarded(mock: &Mock) -> String {
    mock.last().json()["messages"][2]["content"][0]["content"].as_str().unwrap().to_owned()
}

/// A list that is shortened without loss.
pub(crate) fn rows() -> String {
    let row = |n: u32| json!({"id": n, "name": format!("row {n}"), "state": "open"});
    serde_json::to_string_pretty(&(0..60).map(row).collect::<Vec<_>>()).unwrap()
}

/// A test run of which the passed tests are left out.
pub(crate) fn test_run() -> String {
    let passed: String =
        (0..400).map(|n| format!("test suite::case_number_{n} ... ok\n")).collect();
    format!(
        "     Running unittests src/lib.rs (target/debug/deps/suite-0a1b2c3d)\n\nrunning 401 tests\n{passed}\
         test suite::broken ... FAILED\n\nfailures:\n\n---- suite::broken stdout ----\n\
         thread 'suite::broken' panicked at src/lib.rs:7:5:\nassertion failed: left == right\n\n\n\
         failures:\n    suite::broken\n\ntest result: FAILED. 400 passed; 1 failed; 0 ignored\n"
    )
}
