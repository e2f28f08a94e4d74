//! An upstream that says what a test writes, when the test says so.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// An upstream that answers every request with the same head, and then with what it is told to say.
pub(crate) struct Speaker {
    address: SocketAddr,
    says: Sender<Option<Vec<u8>>>,
}

impl Speaker {
    /// Answers with chunks of this type, whose total length is unknown beforehand.
    pub(crate) fn of(content_type: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (says, said) = channel();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        );
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                if speak(stream, &head, &said).is_none() {
                    return;
                }
            }
        });
        Self { address, says }
    }

    pub(crate) fn url(&self) -> http::Uri {
        format!("http://{}", self.address).parse().unwrap()
    }

    /// Says something more.
    pub(crate) fn say(&self, piece: impl AsRef<[u8]>) {
        self.says.send(Some(piece.as_ref().to_vec())).unwrap();
    }

    /// Has said everything.
    pub(crate) fn end(&self) {
        self.says.send(None).unwrap();
    }
}

/// Answers one request. Nothing when the test is over, or the client gone.
fn speak(mut stream: TcpStream, head: &str, said: &Receiver<Option<Vec<u8>>>) -> Option<()> {
    let mut asked = Vec::new();
    while !asked.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        asked.push(byte[0]);
    }
    stream.write_all(head.as_bytes()).ok()?;
    loop {
        match said.recv().ok()? {
            Some(piece) => {
                stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).ok()?;
                stream.write_all(&piece).ok()?;
                stream.write_all(b"\r\n").ok()?;
            }
            None => return stream.write_all(b"0\r\n\r\n").ok(),
        }
    }
}
