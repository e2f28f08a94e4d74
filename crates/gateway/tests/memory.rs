//! Memory that a request takes is bounded by what came over the wire, not by what it decodes to, is made of or is cut into.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(dead_code, unused_imports, reason = "the kit is another test's, too")]

#[path = "operation/kit.rs"]
mod kit;

use kit::{Ask, World, conversation, rows, world_on};
use peak_alloc::PeakAlloc;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;
use tokenforge_config::Settings;
use tokenforge_engine::Mode;
use tokenforge_store::{DiskStore, StoreOptions};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const MEGABYTE: usize = 1 << 20;

/// The allocator counts for the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// A gateway that has built its tables, in front of a provider that keeps nothing.
fn gateway(set: impl FnOnce(&mut Settings)) -> (World, TempDir) {
    let backend = format!("http://{}", upstream());
    // Originals are on disk: what a store keeps in memory has a bound of its own.
    let folder = tempfile::tempdir().unwrap();
    let store = DiskStore::open(folder.path(), StoreOptions::DISK).unwrap();
    let world = world_on(Arc::new(store), |settings| {
        settings.upstreams.backend = Some(backend.parse().unwrap());
        set(settings);
    });
    world.send(Ask::post("/v1/messages", conversation(&rows()).to_string()));
    (world, folder)
}

/// The most bytes that were allocated at once while a body was sent and answered, without those of the client.
fn peak(world: &World, body: &[u8], coding: &str) -> usize {
    let wire = Ask::post("/v1/messages", body).header("content-encoding", coding).bytes();
    let mut answer = Vec::with_capacity(1 << 16);
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let mut stream = TcpStream::connect(world.address).unwrap();
    stream.write_all(&wire).unwrap();
    stream.read_to_end(&mut answer).unwrap();
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    assert!(answer.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&answer));
    peak
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

/// So many bytes for each byte of an ordinary body, and so much for what a result is worked on with.
const ORDINARY: (usize, usize) = (2, 16 * MEGABYTE);

/// The same for the worst body. All of them have more than 2 MB, of which less is worked on at once.
const WORST: (usize, usize) = (8, 4 * MEGABYTE);

/// How many bytes are held at most for a body.
fn most((times, more): (usize, usize), body: &[u8]) -> usize {
    times * body.len() + more
}

fn one_result(bytes: usize) -> String {
    let line = |n: usize| format!("2026-01-01T00:00:00Z worker {n} has done item {}\n", n * 7919);
    conversation(&filled(bytes, line)).to_string()
}

fn small_results(bytes: usize) -> String {
    let result = |n: usize| {
        let text: String = (0..12).map(|line| format!("file_{n}_{line}.rs is here\\n")).collect();
        result(n, &format!(r#"{{"command":"ls {n}"}}"#), &format!("\"{text}\""))
    };
    around(&filled(bytes, result))
}

fn no_result(bytes: usize) -> String {
    let said = filled(bytes, |_| "word ".to_owned());
    around(&format!(r#",{{"role":"user","content":"{said}"}}"#))
}

/// Pieces with a number each.
fn filled(bytes: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    for n in 0.. {
        if text.len() >= bytes {
            break;
        }
        text += &piece(n);
    }
    text
}

/// A call and its result, each as JSON.
fn result(n: usize, arguments: &str, content: &str) -> String {
    format!(
        r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{n}","name":"Bash","input":{arguments}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{n}","content":{content}}}]}}"#
    )
}

/// A conversation with these further messages.
fn around(messages: &str) -> String {
    format!(
        r#"{{"model":"claude-sonnet-5","max_tokens":9,"tools":[{{"name":"Bash","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":"Go on."}}{messages}]}}"#
    )
}

/// Checks what each of some bodies takes, each in a gateway of its own.
fn check(bodies: &[(&str, String)], bound: (usize, usize), set: impl Fn(&mut Settings)) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // All of them stay: memory that one gives back would hide what the next takes.
    let (mut faults, mut worlds) = (Vec::new(), Vec::new());
    for (name, body) in bodies {
        let (world, body) = (gateway(&set), body.as_bytes());
        let peak = peak(&world.0, body, "identity");
        worlds.push(world);
        let beside = peak.saturating_sub(bound.1) as f64 / body.len() as f64;
        println!("{name}: {} KB of {} KB, {beside:.2} a byte", peak >> 10, body.len() >> 10);
        if peak > most(bound, body) {
            faults.push(format!("{name}: {} KB for {} KB", peak >> 10, body.len() >> 10));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn g90_an_ordinary_body_takes_at_most_two_bytes_a_byte() {
    let size = 24 * MEGABYTE;
    let bodies = [
        ("one result", one_result(size)),
        ("small results", small_results(size)),
        ("no result", no_result(size)),
    ];
    check(&bodies, ORDINARY, |_| {});
}

#[test]
fn g91_no_body_takes_more_than_eight_bytes_a_byte() {
    let alone = |text: &str| {
        let text = text.repeat(2 * MEGABYTE / text.len() - 1);
        around(&result(1, r#"{"command":"cargo test"}"#, &format!("\"{text}\"")))
    };
    let results = |count: usize, content: &str| {
        around(&(0..count).map(|n| result(n, "{}", content)).collect::<String>())
    };
    let part = r#"{"type":"text","text":""}"#;
    let bodies = [
        ("JSON lines", alone("{}\\n")),
        ("brackets", alone("[")),
        ("pairs of brackets", alone("[],")),
        ("line ends", alone("\\n")),
        ("tiny lines", alone("a\\n")),
        ("escapes", alone("\\u0041")),
        ("escaped escapes", alone("\\u001b[")),
        ("quotes", alone("\\\"")),
        ("tabs", alone("a\\tb\\n")),
        ("rows", alone("1,2,3\\n")),
        ("one character", alone("a")),
        ("paths", alone("a/b/c:1:x\\n")),
        ("long dense results", results(8, &format!("\"{}\"", "a\\n".repeat(250 << 10 >> 1)))),
        ("empty results", results(30_000, "\"\"")),
        ("parts", around(&result(1, "{}", &format!("[{}]", vec![part; 200_000].join(","))))),
        ("lists of parts", results(300, &format!("[{}]", vec![part; 900].join(",")))),
        ("messages", around(&r#",{"role":"user","content":""}"#.repeat(100_000))),
        ("calls", around(&r#",{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"B","input":{}}]}"#.repeat(60_000))),
    ];
    check(&bodies, WORST, |_| {});
    check(&bodies[..12], WORST, |settings| settings.tool_output.mode = Mode::Aggressive);
}

#[test]
fn d64_a_bomb_is_never_decoded_beyond_its_bound() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (world, _folder) = gateway(|_| {});
    let bomb = conversation(&"a".repeat(100 * MEGABYTE)).to_string();
    for (coding, wire) in [("gzip", gzip(bomb.as_bytes())), ("br", brotli(bomb.as_bytes()))] {
        let peak = peak(&world, &wire, coding);
        let most = 4 * (100 * wire.len()).max(MEGABYTE) + 4 * MEGABYTE;
        assert!(peak <= most, "{coding}: {} KB for {} bytes", peak >> 10, wire.len());
    }
}
