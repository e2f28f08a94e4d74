//! D64: memory that a request takes is bounded by what came over the wire, not by what it decodes to or how it is cut up.
//!
//! One test, since the allocator counts for the whole process.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(dead_code, unused_imports, reason = "the kit is another test's, too")]

#[path = "operation/kit.rs"]
mod kit;

use kit::{Ask, World, conversation, rows, world_with};
use peak_alloc::PeakAlloc;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MEGABYTE: usize = 1 << 20;

/// The most bytes that were allocated at once while a body was sent and answered, with the client's side.
fn peak(world: &World, body: &[u8], coding: &str) -> usize {
    let ask = Ask::post("/v1/messages", body).header("content-encoding", coding);
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    assert_eq!(world.send(ask).status, 200);
    ALLOCATOR.peak_usage().saturating_sub(before)
}

/// A provider that takes whatever comes and keeps nothing of it: the mock would decode it, in this very process.
fn upstream() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

/// Answers requests whose length is told.
fn answer(mut stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line.is_empty() {
                break;
            }
        }
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).ok()?;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n";
        stream.write_all(format!("{head}{{}}").as_bytes()).ok()?;
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn brotli(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    brotli::CompressorWriter::new(&mut out, 4096, 4, 20).write_all(body).unwrap();
    out
}

#[test]
fn d64_a_bomb_is_never_decoded_beyond_its_bound_and_parts_take_a_small_multiple() {
    let backend = format!("http://{}", upstream());
    let world = world_with(|settings| settings.upstreams.backend = Some(backend.parse().unwrap()));
    // Tables are built once, and are not the request's.
    world.send(Ask::post("/v1/messages", conversation(&rows()).to_string()));
    let bomb = conversation(&"a".repeat(100 * MEGABYTE)).to_string();
    for (coding, wire) in [("gzip", gzip(bomb.as_bytes())), ("br", brotli(bomb.as_bytes()))] {
        let peak = peak(&world, &wire, coding);
        let most = 4 * (100 * wire.len()).max(MEGABYTE) + 4 * MEGABYTE;
        assert!(peak <= most, "{coding}: {} KB for {} bytes", peak >> 10, wire.len());
    }
    // A result of very many empty texts, 26 bytes each.
    let parts = vec![r#"{"type":"text","text":""}"#; 200_000].join(",");
    let body = conversation("PARTS").to_string().replace("\"PARTS\"", &format!("[{parts}]"));
    let peak = peak(&world, body.as_bytes(), "identity");
    assert!(peak <= 8 * body.len(), "{} KB for {} KB", peak >> 10, body.len() >> 10);
}
