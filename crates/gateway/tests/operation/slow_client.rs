//! A client that does not read: the upstream is made to wait, and nothing piles up in between.

use crate::kit::{Ask, Open, PATIENCE, conversation, messages, streaming, world_with};
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
fn an_unread_answer_is_not_read_from_the_upstream() {
    let (upstream, stuck) = talkative("text/event-stream");
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
fn talkative(content_type: &'static str) -> (SocketAddr, mpsc::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, stuck) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 64 << 10];
            let _ = stream.read(&mut request).unwrap();
            let length = PIECES * piece().len();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\nconnection: close\r\n\
                 content-length: {length}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
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

#[test]
fn d68_an_answer_too_long_to_be_read_whole_passes_as_it_came() {
    let (upstream, stuck) = talkative("application/json");
    let world = world_with(|settings| {
        settings.upstreams.backend = Some(format!("http://{upstream}").parse().unwrap());
        settings.limits.max_answer_bytes = 1 << 20;
    });
    let mut open = Open::asking(world.address, &messages(&conversation("short")));
    let written = stuck.recv().unwrap();
    assert!(written < IN_BUFFERS, "{written} bytes were read for a client that reads none");
    let answer = open.rest_of_answer();
    assert!(answer.is_whole);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, piece().repeat(PIECES));
}

/// An upstream that answers everything with this body, in this coding.
fn coded(coding: &'static str, body: Vec<u8>) -> http::Uri {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 64 << 10];
            let _ = stream.read(&mut request).unwrap();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: {coding}\r\n\
                 connection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    url
}

#[test]
fn d68_an_answer_that_swells_when_it_is_decoded_passes_as_it_came() {
    let zeros = vec![0; 64 << 20];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&zeros).unwrap();
    for (coding, wire) in
        [("gzip", gzip.finish().unwrap()), ("zstd", zstd::encode_all(&zeros[..], 1).unwrap())]
    {
        let upstream = coded(coding, wire.clone());
        let world = world_with(|settings| settings.upstreams.backend = Some(upstream));
        let answer = world.send(messages(&conversation("short")));
        assert_eq!((answer.status, answer.header("content-encoding")), (200, coding));
        assert!(answer.body == wire, "{coding}: {} bytes", answer.body.len());
    }
}

/// An upstream that answers without end, and reports when the gateway has closed the connection.
fn endless(content_type: &'static str) -> (http::Uri, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let (sender, left) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 64 << 10];
            let _ = stream.read(&mut request).unwrap();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            while stream.write_all(&piece()).is_ok() {}
            sender.send(()).unwrap();
        }
    });
    (url, left)
}

#[test]
fn d68_a_client_that_stops_reading_is_cut_off() {
    let (upstream, left) = endless("text/event-stream");
    let world = world_with(|settings| {
        settings.upstreams.backend = Some(upstream);
        settings.limits.write_timeout = Duration::from_millis(300);
    });
    for ask in [Ask::new("GET", "/v1/files/f/content"), messages(&streaming("short"))] {
        let silent = Open::asking(world.address, &ask);
        left.recv_timeout(PATIENCE).expect("the upstream is left when its reader is cut off");
        drop(silent);
    }
}
