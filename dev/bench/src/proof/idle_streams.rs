//! Row 15: many open streams: what each holds, what is given back, and whether a frame is ever lost.

use crate::kit::{
    GatewayProcess, OFFERED, ProofBench, ScriptedProvider, messages, small_stream, streaming,
    test_run, without_tools,
};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 15,
    what: "open streams: memory each, memory given back, processor time, frames lost",
    bar: "at most 38 KB each with tools, 32 KB without; half of it given back; less than 2 % of a core while nothing comes; 0 frames lost (2,000 streams; 10,000 are aimed at)",
    prove,
};

const IDLE: usize = 2_000;
const LIVELY: usize = 100;
const FRAMES: usize = 100;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mut figures = Vec::new();
    let with_tools = small_stream();
    let mut without = with_tools.clone();
    without_tools(&mut without);
    for (name, bar, body) in [("with tools", 38.0, with_tools), ("without", 32.0, without)] {
        let IdleFigures { each, kept, cpu } = idle(bench, &body)?;
        faults.at_most(name, bar, each, "KB a stream");
        faults.at_most(&format!("kept {name}"), 50.0, kept, "% after all have left");
        faults.at_most(&format!("processor {name}"), 2.0, cpu, "% of a core while nothing comes");
        figures.push(format!("{each:.1} KB {name}, {kept:.0} % kept, {cpu:.1} % of a core"));
    }
    let frames = lively(bench, &mut faults)?;
    figures.push(format!("{frames} frames"));
    faults.into_result(format!("{} idle and {LIVELY} lively streams", 2 * IDLE), figures.join(", "))
}

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// An event of Anthropic's that a gateway has to read.
fn frame(number: usize) -> String {
    let event = format!("event: ping\ndata: {{\"type\": \"ping\", \"n\": {number}}}\n\n");
    format!("{:x}\r\n{event}\r\n", event.len())
}

/// What many streams cost that have begun and do not go on.
struct IdleFigures {
    /// KB of memory for each.
    each: f64,
    /// Percent of it that stay when all have left.
    kept: f64,
    /// Percent of a core, for all of them.
    cpu: f64,
}

/// For so long it is watched what streams cost in processor time.
const WATCHED: Duration = Duration::from_secs(10);

fn idle(bench: &ProofBench, body: &Value) -> anyhow::Result<IdleFigures> {
    let provider = ScriptedProvider::start(|_, stream| {
        stream.write_all(HEAD.as_bytes())?;
        stream.write_all(frame(0).as_bytes())?;
        // Until the gateway leaves.
        let _ = stream.read(&mut [0; 1])?;
        Ok(())
    })?;
    let (gateway, _home) = GatewayProcess::start(bench, provider.address, OFFERED)?;
    drop(begun(&gateway, body)?);
    std::thread::sleep(Duration::from_secs(1));
    let before = gateway.rss()?;
    let streams: anyhow::Result<Vec<_>> = (0..IDLE).map(|_| begun(&gateway, body)).collect();
    std::thread::sleep(Duration::from_secs(1));
    let grown = gateway.rss()?.saturating_sub(before);
    let spent = gateway.cpu()?;
    std::thread::sleep(WATCHED);
    let cpu = 100.0 * (gateway.cpu()? - spent).as_secs_f64() / WATCHED.as_secs_f64();
    drop(streams?);
    // The allocator gives back memory that was unused for ten seconds.
    std::thread::sleep(Duration::from_secs(15));
    let kept = gateway.rss()?.saturating_sub(before);
    Ok(IdleFigures {
        each: grown as f64 / 1024.0 / IDLE as f64,
        kept: 100.0 * kept as f64 / grown.max(1) as f64,
        cpu,
    })
}

/// A stream whose first event has come.
fn begun(gateway: &GatewayProcess, body: &Value) -> anyhow::Result<TcpStream> {
    let mut stream = TcpStream::connect(gateway.address)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.write_all(&messages(body).bytes())?;
    let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
    while !heard.windows(6).any(|window| window == b"\"ping\"") {
        let length = stream.read(&mut piece)?;
        anyhow::ensure!(length > 0, "a stream without an event");
        heard.extend_from_slice(&piece[..length]);
    }
    Ok(stream)
}

/// Streams of many frames at once, each of which must arrive, in order. How many there were.
fn lively(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<usize> {
    let provider = ScriptedProvider::start(|_, stream| {
        stream.write_all(HEAD.as_bytes())?;
        for number in 0..FRAMES {
            stream.write_all(frame(number).as_bytes())?;
            std::thread::sleep(Duration::from_millis(20));
        }
        stream.write_all(b"0\r\n\r\n")
    })?;
    let (gateway, _home) = GatewayProcess::start(bench, provider.address, "")?;
    let body = streaming(&test_run(1));
    let heard: Vec<String> = std::thread::scope(|scope| {
        let send = || gateway.send(&messages(&body)).text();
        let streams: Vec<_> = (0..LIVELY).map(|_| scope.spawn(send)).collect();
        streams.into_iter().map(|stream| stream.join().unwrap_or_default()).collect()
    });
    for (number, text) in heard.iter().enumerate() {
        let frames: Vec<usize> = text
            .split("\"n\": ")
            .skip(1)
            .filter_map(|rest| rest.split('}').next()?.parse().ok())
            .collect();
        let is_whole = frames.iter().copied().eq(0..FRAMES);
        faults.check(is_whole, || format!("stream {number}: {} of {FRAMES} frames", frames.len()));
    }
    Ok(LIVELY * FRAMES)
}
