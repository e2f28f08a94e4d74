//! A client that speaks HTTP by hand, so that a test can also speak it badly, slowly, or not to the end.
//!
//! ```
//! use tokenforge_mock::Mock;
//! use tokenforge_mock::client::{Ask, Open};
//!
//! let mock = Mock::start();
//! let answer = Open::asking(mock.address(), &Ask::new("GET", "/v1/models")).answer();
//! assert!(answer.is_whole);
//! ```

use serde_json::Value;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// How long a test waits for what must happen before it fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A request.
#[derive(Debug, Clone)]
pub struct Ask {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Ask {
    /// A request without a body.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Ask {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// JSON for a path.
    #[must_use]
    pub fn post(path: &str, body: impl AsRef<[u8]>) -> Self {
        Self::new("POST", path).header("content-type", "application/json").body(body)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends this.
    #[must_use]
    pub fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = body.as_ref().to_vec();
        self
    }

    /// Method, target, headers and body.
    pub(crate) fn parts(&self) -> (&str, &str, &[(String, String)], &[u8]) {
        (&self.method, &self.path, &self.headers, &self.body)
    }

    /// As it goes over the wire. Says `Connection: close` unless a header says otherwise.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
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
#[derive(Debug)]
pub struct Open {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Open {
    /// A new connection.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn to(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).expect("a server listens"))
    }

    /// A new connection on which this is asked.
    ///
    /// # Panics
    /// When there is no connection.
    #[must_use]
    pub fn asking(address: SocketAddr, ask: &Ask) -> Self {
        let mut open = Self::to(address);
        open.write(&ask.bytes());
        open
    }

    /// A connection that is there already.
    #[must_use]
    pub fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("more than no time");
        stream.set_write_timeout(Some(PATIENCE)).expect("more than no time");
        Open { stream, read: Vec::new() }
    }

    /// Sends bytes, if anybody takes them.
    pub fn write(&mut self, bytes: &[u8]) {
        // A server that refuses a request need not read all of it.
        let _ = self.stream.write_all(bytes).and_then(|()| self.stream.flush());
    }

    /// Goes away without a word.
    pub fn leave(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Reads on until `part` was read; all so far.
    pub fn until(&mut self, part: &str) -> String {
        while !contains(&self.read, part.as_bytes()) {
            assert!(self.more(), "the answer ended before {part:?}: {:?}", lossy(&self.read));
        }
        lossy(&self.read)
    }

    /// Reads on until the other side ends; all that was read.
    pub fn rest(&mut self) -> String {
        while self.more() {}
        lossy(&std::mem::take(&mut self.read))
    }

    /// Reads a whole answer.
    #[must_use]
    pub fn answer(mut self) -> Answer {
        self.rest_of_answer()
    }

    /// Reads one answer; the connection may go on.
    pub fn rest_of_answer(&mut self) -> Answer {
        let mut frame: Option<Frame> = None;
        loop {
            frame = frame.or_else(|| Frame::of(&self.read));
            let end = frame.as_mut().and_then(|frame| frame.end(&self.read));
            let is_whole = end.is_some();
            if is_whole || !self.more() {
                let end = end.unwrap_or(self.read.len());
                let bytes: Vec<u8> = self.read.drain(..end).collect();
                return match frame {
                    Some(frame) => frame.answer(&bytes, is_whole),
                    None => Answer { status: 0, headers: Vec::new(), body: bytes, is_whole },
                };
            }
        }
    }

    /// Reads what there is; false when the other side ended.
    fn more(&mut self) -> bool {
        let mut piece = [0; 16 << 10];
        loop {
            match self.stream.read(&mut piece) {
                Ok(0) => return false,
                Ok(length) => {
                    self.read.extend_from_slice(&piece[..length]);
                    return true;
                }
                // A read with a timeout is not restarted after a signal, such as the end of a child process.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    panic!("no answer came; so far {:?}", lossy(&self.read))
                }
                Err(_) => return false,
            }
        }
    }
}

/// An answer. Status 0: there was none.
#[derive(Debug)]
pub struct Answer {
    /// Its status; 0 if there was no answer.
    pub status: u16,
    /// Its headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// Its body, without its transfer coding.
    pub body: Vec<u8>,
    /// It ended as it said it would.
    pub is_whole: bool,
}

impl Answer {
    /// A header; empty if it is missing.
    #[must_use]
    pub fn header(&self, wanted: &str) -> &str {
        let found = self.headers.iter().find(|(name, _)| name == wanted);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        lossy(&self.body)
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }
}

/// The head of an answer, and how far its body was looked at: each byte once.
#[derive(Debug)]
struct Frame {
    status: u16,
    headers: Vec<(String, String)>,
    /// Where the body begins.
    start: usize,
    /// Where the next chunk begins, in a body of chunks.
    chunk: Option<usize>,
    /// How long the body is, if the head tells.
    length: Option<usize>,
    body: Vec<u8>,
}

impl Frame {
    /// The head of the answer in the bytes; nothing if more is to come.
    fn of(bytes: &[u8]) -> Option<Self> {
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
        let start = end + 4;
        let chunk = (header("transfer-encoding") == Some("chunked")).then_some(start);
        let length = match status {
            204 | 304 => Some(0),
            _ => header("content-length").map(|length| length.parse().expect("a length")),
        };
        Some(Frame { status, headers, start, chunk, length, body: Vec::new() })
    }

    /// Where the answer ends, if it does in these bytes.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(at) = self.chunk {
            let line = position(&bytes[at..], b"\r\n")?;
            let size = lossy(&bytes[at..at + line]);
            let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16);
            let (from, size) = (at + line + 2, size.expect("the size of a chunk"));
            let next = Some(from + size + 2).filter(|next| *next <= bytes.len())?;
            self.body.extend_from_slice(&bytes[from..from + size]);
            self.chunk = Some(next);
            if size == 0 {
                return Some(next);
            }
        }
        let end = self.start + self.length?;
        (end <= bytes.len()).then_some(end)
    }

    /// The answer in its bytes. One whose head tells no length ends with the connection.
    fn answer(self, bytes: &[u8], is_whole: bool) -> Answer {
        let has_end = self.chunk.is_some() || self.length.is_some();
        let body = match self.chunk {
            Some(_) => self.body,
            None => bytes[self.start..].to_vec(),
        };
        let Frame { status, headers, .. } = self;
        Answer { status, headers, body, is_whole: is_whole || !has_end }
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    position(bytes, part).is_some()
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
