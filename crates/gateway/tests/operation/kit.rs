//! A gateway in front of a mock provider, and a client that speaks HTTP by hand, so that it can also speak it badly.

#![allow(dead_code, reason = "every theme uses its own part")]

use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::Settings;
use tokenforge_gateway::{Gateway, serve};
use tokenforge_mock::Mock;
use tokenforge_store::{Memory, Store};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// How long a test waits for what must happen before it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A gateway on a port of its own, in front of a mock.
pub(crate) struct World {
    pub(crate) mock: Mock,
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    runtime: Option<Runtime>,
}

/// A gateway as it is without settings, in front of a mock.
pub(crate) fn world() -> World {
    world_with(|_| {})
}

/// A gateway with settings.
pub(crate) fn world_with(set: impl FnOnce(&mut Settings)) -> World {
    world_on(Arc::new(Memory::default()), set)
}

/// A gateway with a store and settings.
pub(crate) fn world_on(store: Arc<dyn Store>, set: impl FnOnce(&mut Settings)) -> World {
    let mock = Mock::start();
    let mut settings = Settings::default();
    settings.upstreams.backend = Some(mock.url().parse().unwrap());
    set(&mut settings);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let gateway = Gateway::new(settings, store);
    let (stop, stopped) = oneshot::channel::<()>();
    runtime.spawn(serve(gateway.clone(), listener, async {
        let _ = stopped.await;
    }));
    World { mock, gateway, address, stop: Some(stop), runtime: Some(runtime) }
}

impl World {
    /// Sends a request and reads its answer.
    pub(crate) fn send(&self, ask: Ask) -> Answer {
        self.open(&ask).answer()
    }

    /// Sends a request whose answer is read bit by bit.
    pub(crate) fn open(&self, ask: &Ask) -> Open {
        let mut open = Open::to(self.address);
        open.write(&ask.bytes());
        open
    }

    pub(crate) fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.send(Ask::post(path, body))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(Ask::new("GET", path))
    }

    /// The figures that an operator sees.
    pub(crate) fn counter(&self, name: &str) -> u64 {
        let stats = self.get("/_forge/api/stats").json();
        stats["counters"][name].as_u64().unwrap_or_else(|| panic!("no counter {name}: {stats}"))
    }

    /// Asks the gateway to end.
    pub(crate) fn stop(&mut self) {
        self.stop = None;
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A request.
#[derive(Clone)]
pub(crate) struct Ask {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Ask {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Ask {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub(crate) fn post(path: &str, body: impl AsRef<[u8]>) -> Self {
        Self::new("POST", path).header("content-type", "application/json").body(body)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = body.as_ref().to_vec();
        self
    }

    /// As it goes over the wire. Says `Connection: close` unless a header says otherwise.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let has = |name: &str| self.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !has("host") {
            head += "host: localhost\r\n";
        }
        if !has("connection") {
            head += "connection: close\r\n";
        }
        if !self.body.is_empty() && !has("content-length") {
            head += &format!("content-length: {}\r\n", self.body.len());
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let mut bytes = (head + "\r\n").into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// A connection, and what was read from it and not yet looked at.
pub(crate) struct Open {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Open {
    pub(crate) fn to(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    /// A connection that is there already.
    pub(crate) fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Open { stream, read: Vec::new() }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        // Whoever refuses a request need not read all of it.
        let _ = self.stream.write_all(bytes).and_then(|()| self.stream.flush());
    }

    /// Goes away without a word.
    pub(crate) fn leave(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Reads on until `part` was read; all so far.
    pub(crate) fn until(&mut self, part: &str) -> String {
        while !contains(&self.read, part.as_bytes()) {
            assert!(self.more(), "the answer ended before {part:?}: {:?}", lossy(&self.read));
        }
        lossy(&self.read)
    }

    /// Reads on until the other side ends; all that was read.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.more() {}
        std::mem::take(&mut self.read)
    }

    /// Reads a whole answer.
    pub(crate) fn answer(mut self) -> Answer {
        self.rest_of_answer()
    }

    /// Reads one answer; the connection may go on.
    pub(crate) fn rest_of_answer(&mut self) -> Answer {
        loop {
            if let Some((answer, used)) = Answer::parsed(&self.read, false) {
                self.read.drain(..used);
                return answer;
            }
            if !self.more() {
                let read = std::mem::take(&mut self.read);
                return Answer::parsed(&read, true).map_or_else(
                    || Answer { status: 0, headers: Vec::new(), body: read, is_whole: false },
                    |(answer, _)| answer,
                );
            }
        }
    }

    /// Reads what there is; false when the other side ended.
    fn more(&mut self) -> bool {
        let mut piece = [0; 16 << 10];
        match self.stream.read(&mut piece) {
            Ok(0) => false,
            Ok(length) => {
                self.read.extend_from_slice(&piece[..length]);
                true
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                panic!("no answer came; so far {:?}", lossy(&self.read))
            }
            Err(_) => false,
        }
    }
}

/// An answer. Status 0: there was none.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// It ended as it said it would.
    pub(crate) is_whole: bool,
}

impl Answer {
    /// The first answer in the bytes, and how many bytes it has; nothing if more is to come.
    fn parsed(bytes: &[u8], is_end: bool) -> Option<(Self, usize)> {
        let end = position(bytes, b"\r\n\r\n")?;
        let head = lossy(&bytes[..end]);
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let pair = |line: &str| {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            (name.to_ascii_lowercase(), value.trim().to_owned())
        };
        let headers: Vec<_> = lines.map(pair).collect();
        let header = |wanted: &str| {
            headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
        };
        let rest = &bytes[end + 4..];
        let (body, used, is_whole) = if header("transfer-encoding") == Some("chunked") {
            chunked(rest)
        } else if let Some(length) = header("content-length") {
            let length: usize = length.parse().unwrap();
            let body = rest[..length.min(rest.len())].to_vec();
            (body, length, rest.len() >= length)
        } else if matches!(status, 204 | 304) {
            (Vec::new(), 0, true)
        } else {
            (rest.to_vec(), rest.len(), is_end)
        };
        let answer = Answer { status, headers, body, is_whole };
        (is_whole || is_end).then(|| (answer, (end + 4 + used).min(bytes.len())))
    }

    pub(crate) fn header(&self, wanted: &str) -> &str {
        let found = self.headers.iter().find(|(name, _)| name == wanted);
        found.map_or("", |(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        lossy(&self.body)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }
}

fn chunked(mut bytes: &[u8]) -> (Vec<u8>, usize, bool) {
    let (whole, mut body) = (bytes.len(), Vec::new());
    loop {
        let Some(end) = position(bytes, b"\r\n") else { return (body, whole, false) };
        let size = lossy(&bytes[..end]);
        let size = usize::from_str_radix(size.split(';').next().unwrap().trim(), 16).unwrap();
        let rest = &bytes[end + 2..];
        if rest.len() < size + 2 {
            body.extend_from_slice(&rest[..size.min(rest.len())]);
            return (body, whole, false);
        }
        body.extend_from_slice(&rest[..size]);
        bytes = &rest[size + 2..];
        if size == 0 {
            return (body, whole - bytes.len(), true);
        }
    }
}

pub(crate) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    position(bytes, part).is_some()
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
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
