//! Row 17: a minute of load: not one wrong byte, and memory that does not grow.

use crate::kit::{
    Ask, GatewayProcess, ProofBench, ScriptedProvider, conversation, megabytes, messages, rows,
    slope, test_run,
};
use crate::row::{Faults, ProofRow, RowResult};
use std::collections::HashMap;
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 17,
    what: "soak: an upstream that sends back what it got; fresh and known results",
    bar: "0 wrong bytes; files flat; memory grows by less than 2 MB/min (1 minute; 24 hours at 0.1 MB/min are aimed at)",
    prove,
};

const TIME: Duration = Duration::from_secs(60);
/// Caches fill first.
const WARM: Duration = Duration::from_secs(20);
const CLIENTS: usize = 2;
const KNOWN: usize = 40;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let echo = ScriptedProvider::start(|request, stream| {
        stream.write_all(&ScriptedProvider::json(&request.body))
    })?;
    let (gateway, _home) = GatewayProcess::start(bench, echo.address, "store: {max_bytes: 4MiB}")?;
    let start = Instant::now();
    let forwarded = Mutex::new(HashMap::new());
    let client = |number: usize| {
        let (mut requests, mut wrong) = (0, 0);
        while start.elapsed() < TIME {
            let is_right = match requests % 3 {
                0 => passes(&gateway, requests * CLIENTS + number),
                _ => is_stable(&gateway, requests % KNOWN, &forwarded),
            };
            requests += 1;
            wrong += usize::from(!is_right);
        }
        (requests, wrong)
    };
    let client = &client;
    let (samples, files, done) = std::thread::scope(|scope| {
        let clients: Vec<_> =
            (0..CLIENTS).map(|number| scope.spawn(move || client(number))).collect();
        let (mut samples, mut files) = (Vec::new(), Vec::new());
        while start.elapsed() < TIME {
            std::thread::sleep(Duration::from_millis(500));
            if start.elapsed() > WARM {
                samples.push((start.elapsed().as_secs_f64() / 60.0, megabytes(gateway.rss()?)));
                files.push(open_files(&gateway)?);
            }
        }
        let joined = clients.into_iter().map(|client| client.join());
        let done: Vec<(usize, usize)> = joined.filter_map(Result::ok).collect();
        anyhow::Ok((samples, files, done))
    })?;
    let requests: usize = done.iter().map(|(requests, _)| requests).sum();
    let wrong: usize = done.iter().map(|(_, wrong)| wrong).sum();
    faults.check(done.len() == CLIENTS, || "a client broke off".to_owned());
    faults.check(wrong == 0, || format!("{wrong} wrong answers"));
    let grows = slope(&samples);
    faults.at_most("memory", 2.0, grows, "MB/min");
    let (fewest, most) = (files.iter().min().copied(), files.iter().max().copied());
    let spread = most.unwrap_or(0) - fewest.unwrap_or(0);
    faults.check(spread <= 20, || format!("open files between {fewest:?} and {most:?}"));
    faults.into_result(format!("{requests} requests"), format!("{grows:.2} MB/min, {wrong} wrong"))
}

/// A body that no gateway has to look into comes back as it was sent.
fn passes(gateway: &GatewayProcess, number: usize) -> bool {
    let body = format!("{{\"input\": {:?}, \"n\": {number}}}", rows(number));
    let answer =
        gateway.send(&Ask::post("/v1/embeddings", &body).header("authorization", "Bearer k"));
    answer.status == 200 && answer.body == body.as_bytes()
}

/// A conversation is forwarded with the same bytes as the first time, and its own outside of the result.
fn is_stable(
    gateway: &GatewayProcess,
    number: usize,
    known: &Mutex<HashMap<usize, Vec<u8>>>,
) -> bool {
    let text = if number.is_multiple_of(2) { rows(number) } else { test_run(number) };
    let answer = gateway.send(&messages(&conversation(&text)));
    let Ok(mut known) = known.lock() else { return false };
    let first = known.entry(number).or_insert_with(|| answer.body.clone());
    answer.status == 200 && *first == answer.body
}

fn open_files(gateway: &GatewayProcess) -> anyhow::Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{}/fd", gateway.pid()))?.count())
}
