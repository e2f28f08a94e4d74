//! What can go wrong between a provider and its client, on purpose.
//!
//! Some of it no HTTP server would ever do, so those replies are written onto the socket by hand, as HTTP/1.1.

use bytes::{BufMut as _, Bytes, BytesMut};
use std::io;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Something that goes wrong with a reply. Sizes are bytes of the body, before its transfer encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The connection is reset (RST) before any byte of the response.
    ResetBeforeHeaders,
    /// The connection is reset after so many bytes.
    ResetAfter(usize),
    /// The connection is closed (FIN) before any byte of the response.
    CloseBeforeHeaders,
    /// The connection is closed after so many bytes, without the end of the body.
    CloseAfter(usize),
    /// Nothing is ever answered.
    StallBeforeHeaders,
    /// Nothing more is sent after so many bytes.
    StallAfter(usize),
    /// A chunk is announced longer than what comes before the connection is closed.
    TruncateChunk,
    /// `Content-Length` is so much larger (or, below zero, smaller) than the body.
    LieAboutLength(i64),
    /// The first letter that the model says becomes a byte that is never in UTF-8; not in Amazon's frames.
    InvalidUtf8,
    /// A redirect to this address, with the reply's body.
    Redirect(String),
    /// The header section is not HTTP.
    GarbageHeaders,
}

/// A response that is written by hand.
#[derive(Debug)]
pub(crate) struct Plan {
    writes: Vec<Bytes>,
    ending: Ending,
}

#[derive(Debug, PartialEq, Eq)]
enum Ending {
    Close,
    Reset,
    /// Keeps the connection open until the client gives up.
    Stall,
}

impl Plan {
    /// How `fault` is written; nothing if an HTTP server can do it.
    pub(crate) fn of(
        fault: &Fault,
        status: u16,
        headers: &[(String, String)],
        events: &[Bytes],
    ) -> Option<Self> {
        let chunked = || head(status, headers, "transfer-encoding: chunked");
        let up_to = |size| chunks(chunked(), events, size);
        let (writes, ending) = match *fault {
            Fault::ResetBeforeHeaders => (Vec::new(), Ending::Reset),
            Fault::CloseBeforeHeaders => (Vec::new(), Ending::Close),
            Fault::StallBeforeHeaders => (Vec::new(), Ending::Stall),
            Fault::ResetAfter(size) => (up_to(size), Ending::Reset),
            Fault::CloseAfter(size) => (up_to(size), Ending::Close),
            Fault::StallAfter(size) => (up_to(size), Ending::Stall),
            Fault::TruncateChunk => {
                let body = events.concat();
                let mut bytes = chunked();
                bytes.put_slice(format!("{:x}\r\n", body.len() + 100).as_bytes());
                bytes.put_slice(&body);
                (vec![bytes.freeze()], Ending::Close)
            }
            Fault::LieAboutLength(by) => {
                let body = events.concat();
                let length =
                    i64::try_from(body.len()).unwrap_or(i64::MAX).saturating_add(by).max(0);
                let mut bytes = head(status, headers, &format!("content-length: {length}"));
                bytes.put_slice(&body);
                (vec![bytes.freeze()], Ending::Close)
            }
            Fault::GarbageHeaders => {
                (vec![Bytes::from_static(b"HTTP/1.1 two hundred\r\n:::\r\n\r\n")], Ending::Close)
            }
            Fault::InvalidUtf8 | Fault::Redirect(_) => return None,
        };
        Some(Self { writes, ending })
    }

    /// Writes it. Returns whether the client left before the end.
    pub(crate) async fn write(self, mut stream: TcpStream) -> io::Result<bool> {
        for write in &self.writes {
            stream.write_all(write).await?;
            stream.flush().await?;
        }
        match self.ending {
            Ending::Reset => stream.set_zero_linger()?,
            Ending::Close => stream.shutdown().await?,
            Ending::Stall => {
                let mut rest = [0; 1024];
                while matches!(stream.read(&mut rest).await, Ok(read) if read > 0) {}
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Puts a byte that is never in UTF-8 in the place of the first letter that the model says.
pub(crate) fn spoil(events: &mut [Bytes]) {
    let starts = ["\"text\":\"", "\"content\":\"", "\"delta\":\"", "\"thinking\":\""];
    let letter = |event: &[u8]| {
        starts.iter().find_map(|start| {
            let after = memchr::memmem::find(event, start.as_bytes())? + start.len();
            event.get(after).filter(|byte| byte.is_ascii_alphabetic()).map(|_| after)
        })
    };
    for event in events {
        if let Some(at) = letter(event) {
            let mut spoilt = event.to_vec();
            spoilt[at] = 0xff;
            *event = spoilt.into();
            return;
        }
    }
}

fn head(status: u16, headers: &[(String, String)], framing: &str) -> BytesMut {
    let mut head = format!("HTTP/1.1 {status} Fault\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("{framing}\r\n\r\n");
    BytesMut::from(head.as_bytes())
}

/// The head and at most `size` bytes of the body, one chunk for each event.
fn chunks(head: BytesMut, events: &[Bytes], size: usize) -> Vec<Bytes> {
    let mut left = size;
    let mut writes = vec![head.freeze()];
    for event in events {
        let sent = event.slice(..event.len().min(left));
        left -= sent.len();
        if !sent.is_empty() {
            let mut bytes = BytesMut::from(format!("{:x}\r\n", sent.len()).as_bytes());
            bytes.put_slice(&sent);
            bytes.put_slice(b"\r\n");
            writes.push(bytes.freeze());
        }
    }
    writes
}
