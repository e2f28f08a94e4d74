//! A client that does not read: the upstream is made to wait, and nothing piles up in between.

use crate::kit::{Ask, Open, messages, streaming, world_with};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::time::Duration;

const PIECES: usize = 12_000;

/// An event with a long comment: many bytes, and little to read in them.
fn piece() -> Vec<u8> {
    format!("event: ping\ndata: {{\"type\": \"ping\"}}\n: {}\n\n", "x".repeat(4096)).into_bytes()
}

/// What systems keep in their own buffers, at most.
const IN_BUFFERS: usize = 30 << 20;

#[test]
fn an_answer_that_nobody_reads_is_not_read_from_the_upstream() {
    let (upstream, stuck) = talkative();
    let world = world_with(|settings| {
        settings.upstreams.backend = Some(format!("http://{upstream}").parse().unwrap());
    });
    for ask in [Ask::new("GET", "/v1/files/f/content"), messages(&streaming("short"))] {
        let mut open = Open::to(world.address);
        open.write(&ask.bytes());
        let written = stuck.recv().unwrap();
        assert!(written < IN_BUFFERS, "{written} bytes went nowhere");
        // Nothing was lost meanwhile.
        let answer = open.answer();
        assert!(answer.is_whole);
        assert_eq!(answer.body.len(), PIECES * piece().len());
    }
}

/// An upstream that answers everything with 50 MB, and tells how much it could write before it had to wait.
fn talkative() -> (SocketAddr, mpsc::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, stuck) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 64 << 10];
            let _ = stream.read(&mut request).unwrap();
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
            let length = PIECES * piece().len();
            stream.write_all(format!("{head}content-length: {length}\r\n\r\n").as_bytes()).unwrap();
            stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
            let body = piece().repeat(PIECES);
            let (mut written, mut told) = (0, false);
            while written < body.len() {
                match stream.write(&body[written..(written + 65_536).min(body.len())]) {
                    Ok(length) => written += length,
                    Err(error)
                        if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                    {
                        if !told {
                            sender.send(written).unwrap();
                            told = true;
                        }
                    }
                    Err(_) => break,
                }
            }
            if !told {
                sender.send(written).unwrap();
            }
        }
    });
    (address, stuck)
}
