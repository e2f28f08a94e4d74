//! A real Redis or Valkey server, which ends with the value.

#![allow(dead_code, reason = "not every test needs all of it")]

use super::Passing;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;
use tokenforge_store::{RedisStore, Store, StoreLocation, StoreOptions};

/// The store at a URL, with the patience of a machine that does many things at once.
pub(crate) fn open(url: &str, settings: StoreOptions) -> Arc<dyn Store> {
    match url.parse().unwrap() {
        StoreLocation::Redis(servers) => {
            Arc::new(RedisStore::new(servers, settings).with_patience(Duration::from_secs(20)))
        }
        location => location.open(settings).unwrap(),
    }
}

/// A server of a test's own, to be stopped and started again.
pub(crate) struct TestServer {
    port: u16,
    options: Vec<String>,
    folder: TempDir,
    process: Option<Child>,
}

impl TestServer {
    /// Starts a server on a free port, with these options beside.
    pub(crate) fn start(options: &[&str]) -> Self {
        let options = options.iter().map(ToString::to_string).collect();
        let folder = tempfile::tempdir().unwrap();
        let mut server = Self { port: free_port(), options, folder, process: None };
        server.run();
        server
    }

    /// Starts the server again where it was, with nothing in it.
    pub(crate) fn run(&mut self) {
        let mut process =
            Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/redis-server"))
                .args(["--port", &self.port.to_string()])
                .args(["--dir", &self.folder.path().display().to_string()])
                .args(["--databases", "10000"])
                .args(&self.options)
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
        loop {
            if let Some(status) = process.try_wait().unwrap() {
                panic!("no server: {status}; see its message above");
            }
            if self
                .raw()
                .is_some_and(|mut connection| redis::cmd("PING").exec(&mut connection).is_ok())
            {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.process = Some(process);
    }

    /// Kills the server, with all that it has.
    pub(crate) fn kill(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        drop(process.stdin.take());
        process.wait().unwrap();
    }

    /// Sends a command that answers nothing of interest.
    pub(crate) fn tell(&self, command: &str) {
        let mut words = command.split_whitespace();
        let mut command = redis::cmd(words.next().unwrap());
        words.for_each(|word| {
            command.arg(word);
        });
        command.exec(&mut self.connection()).unwrap();
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}/0", self.host())
    }

    /// A plain connection, to look at what is really there.
    pub(crate) fn connection(&self) -> redis::Connection {
        self.raw().unwrap()
    }

    fn raw(&self) -> Option<redis::Connection> {
        redis::Client::open(self.url()).unwrap().get_connection().ok()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An empty database of a server that the tests of one file share.
pub(crate) struct Database {
    pub(crate) url: String,
}

impl Database {
    pub(crate) fn new() -> Self {
        // Ends with the process: its standard input does.
        static SHARED: LazyLock<TestServer> = LazyLock::new(|| TestServer::start(&[]));
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        Self { url: format!("redis://{}/{number}", SHARED.host()) }
    }

    pub(crate) fn connection(&self) -> redis::Connection {
        redis::Client::open(self.url.as_str()).unwrap().get_connection().unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        redis::cmd("KEYS").arg("*").query(&mut self.connection()).unwrap()
    }
}

impl Passing for Database {
    /// The server has a clock of its own: instead of it, what remains to each entry is moved.
    fn pass(&self, time: Duration) {
        let mut connection = self.connection();
        for name in self.names() {
            let remaining: i64 = redis::cmd("PTTL").arg(&name).query(&mut connection).unwrap();
            if remaining >= 0 {
                let remaining = remaining - time.as_millis() as i64;
                redis::cmd("PEXPIRE").arg(&name).arg(remaining).exec(&mut connection).unwrap();
            }
        }
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
