//! A real Redis or Valkey server, for tests of what many gateways share.

use crate::client::PATIENCE;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that keeps nothing on disk, and ends with the value.
pub struct RedisServer {
    address: SocketAddr,
    process: Option<Child>,
}

impl RedisServer {
    /// # Panics
    /// There is no such program, or it does not answer.
    #[must_use]
    pub fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let mut server = RedisServer { address: free.expect("a free port"), process: None };
        server.resume();
        server
    }

    /// Ends the server, with all that it has.
    pub fn stop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        // The end of its input is the server's.
        drop(process.stdin.take());
        let _ = process.wait();
    }

    /// Starts it again where it was, with nothing in it.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    pub fn resume(&mut self) {
        let process = self.process.insert(spawn(self.address).expect("the server's script"));
        let started = Instant::now();
        while !answers(self.address) {
            let ended = process.try_wait().expect("a child of ours");
            assert!(ended.is_none(), "no server: {ended:?}; see its message above");
            assert!(started.elapsed() < PATIENCE, "no server after {PATIENCE:?}");
            std::thread::yield_now();
        }
    }

    /// It ends, and comes back with nothing.
    pub fn lose_all(&mut self) {
        self.stop();
        self.resume();
    }

    /// Where it is, as a store's address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://{}/0", self.address)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn spawn(address: SocketAddr) -> io::Result<Child> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/store/tests/redis-server");
    Command::new(script).args(["--port", &address.port().to_string()]).stdin(Stdio::piped()).spawn()
}

fn answers(address: SocketAddr) -> bool {
    let ping = || {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        let mut answer = [0; 5];
        stream.write_all(b"PING\r\n")?;
        stream.read_exact(&mut answer)?;
        io::Result::Ok(answer == *b"+PONG")
    };
    ping().unwrap_or(false)
}
