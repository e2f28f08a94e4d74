//! Row 10: bodies that explode: compressed a thousandfold, nested a million deep, cut into 80,000 parts.

use crate::kit::{Ask, GatewayProcess, ProofBench, conversation, megabytes, messages};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 10,
    what: "bombs: gzip, deflate, Brotli and Zstandard of 100 MB; a million brackets; 80,000 text parts",
    bar: "each answered within 5 s (release build) and by at most 64 MB and 8 times the body; good requests served after it",
    prove,
};

const DECODED: usize = 100 << 20;
const MEMORY: f64 = 64.0;
const TIME: Duration = Duration::from_secs(5);

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mut worst = (String::new(), 0.0_f64, Duration::ZERO);
    let bombs = bombs()?;
    let count = bombs.len();
    for (name, ask, bytes) in bombs {
        let mock = Mock::start();
        mock.careless();
        let (mut gateway, _home) = GatewayProcess::start(bench, mock.address(), "")?;
        gateway.send(&messages(&conversation("short")));
        let before = gateway.rss()?;
        gateway.forget_peak()?;
        let (start, cpu) = (Instant::now(), gateway.cpu()?);
        let status = gateway.send(&ask).status;
        let took = start.elapsed().max(gateway.cpu()?.saturating_sub(cpu));
        let grown = megabytes(gateway.peak()?.saturating_sub(before));
        eprintln!("  {name}: {status}, {took:?}, {grown:.0} MB");
        faults.check(matches!(status, 200 | 400..500), || format!("{name}: answered {status}"));
        faults.at_most(&name, MEMORY + 8.0 * megabytes(bytes), grown, "MB");
        if bench.is_release() {
            faults.at_most(&name, TIME.as_secs_f64(), took.as_secs_f64(), "s of CPU or clock");
        }
        let after = gateway.send(&messages(&conversation("short"))).status;
        faults.check(after == 200 && !gateway.has_ended(), || format!("{name}: then {after}"));
        if grown > worst.1 || took > worst.2 {
            worst = (name, grown.max(worst.1), took.max(worst.2));
        }
    }
    let (name, grown, took) = worst;
    let figure = format!("at most {grown:.0} MB and {:.1} s, last by {name}", took.as_secs_f64());
    faults.into_result(format!("{count} bombs"), figure)
}

/// Requests, and how many bytes they have on the wire.
fn bombs() -> anyhow::Result<Vec<(String, Ask, usize)>> {
    let text = conversation(&"a".repeat(DECODED)).to_string();
    let mut bombs = Vec::new();
    let headers = |ask: Ask| ask.header("anthropic-version", "2023-06-01").header("x-api-key", "k");
    for (coding, coded) in codings(text.as_bytes())? {
        for path in ["/v1/messages", "/v1/compress"] {
            let ask = headers(Ask::post(path, &coded)).header("content-encoding", coding);
            bombs.push((format!("{coding} to {path}"), ask, coded.len()));
        }
    }
    let deep = "[".repeat(1_000_000);
    for body in [deep.clone(), format!("{{\"messages\":{deep}"), conversation(&deep).to_string()] {
        bombs.push((
            "a million brackets".to_owned(),
            headers(Ask::post("/v1/messages", &body)),
            body.len(),
        ));
    }
    for (name, parts) in [("parts", 80_000), ("a few parts", 1_000)] {
        let mut body = conversation("");
        let part = |n: usize| json!({"type": "text", "text": format!("line {n} of a part\n")});
        body["messages"][2]["content"][0]["content"] = (0..parts).map(part).collect();
        let body = body.to_string();
        let ask = headers(Ask::post("/v1/messages", &body));
        bombs.push((format!("{name} ({parts})"), ask, body.len()));
    }
    Ok(bombs)
}

/// The bytes in each content coding.
fn codings(bytes: &[u8]) -> anyhow::Result<[(&'static str, Vec<u8>); 4]> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(bytes)?;
    let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    deflate.write_all(bytes)?;
    let mut brotli = brotli::CompressorWriter::new(Vec::new(), 1 << 16, 5, 22);
    brotli.write_all(bytes)?;
    let brotli = brotli.into_inner();
    let zstd = zstd::stream::encode_all(bytes, 3)?;
    Ok([("gzip", gzip.finish()?), ("deflate", deflate.finish()?), ("br", brotli), ("zstd", zstd)])
}
