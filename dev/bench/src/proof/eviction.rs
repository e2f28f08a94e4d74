//! Row 8: originals that are evicted by size or by age: the bound is kept, and asking for one has a defined answer.

use crate::kit::{Ask, GatewayHome, GatewayProcess, ProofBench, conversation, messages, test_run};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tokenforge_mock::{Mock, Reply, first_reference};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 8,
    what: "eviction by size and by TTL, on disk and in memory; an evicted id is asked for",
    bar: "never above the bound and an eighth; 404 over HTTP, an explaining tool result for the model",
    prove,
};

const BOUND: usize = 1 << 20;
const RESULTS: usize = 400;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mut figures = Vec::new();
    for kind in ["memory", "disk"] {
        let home = GatewayHome::new()?;
        let folder = home.data().join("store");
        let url = match kind {
            "disk" => format!("disk:{}", folder.display()),
            _ => "memory:".to_owned(),
        };
        let settings = json!({"store": {"url": url, "max_bytes": BOUND}});
        std::fs::write(home.settings(), settings.to_string())?;
        let largest = fill(bench, &home, &folder, kind, &mut faults)?;
        if kind == "disk" {
            let largest = largest as f64 / BOUND as f64;
            faults.at_most("the folder", 1.125, largest, "times the bound");
            figures.push(format!("folder at most {largest:.2} of its bound"));
        }
    }
    expire(bench, &mut faults)?;
    figures.push("TTL of 1 s kept".to_owned());
    faults.into_result(format!("{} results of 16 KB", 2 * RESULTS), figures.join(", "))
}

/// Fills a store many times over. The largest size that its folder had.
fn fill(
    bench: &ProofBench,
    home: &GatewayHome,
    folder: &Path,
    kind: &str,
    faults: &mut Faults,
) -> anyhow::Result<usize> {
    let mock = Mock::start();
    let gateway = GatewayProcess::in_home(bench, mock.address(), home, &[])?;
    let mut largest = 0;
    let mut first = None;
    for number in 0..RESULTS {
        let answer = gateway.send(&messages(&conversation(&test_run(number))));
        faults.check(answer.status == 200, || format!("{kind} {number}: {}", answer.status));
        first = first.or_else(|| first_reference(&mock.last().body).map(str::to_owned));
        if number % 10 == 0 {
            largest = largest.max(size(folder));
        }
    }
    match first {
        Some(id) => ask_for_evicted(&gateway, &mock, &id, kind, faults),
        None => faults.add(format!("{kind}: nothing was left out")),
    }
    Ok(largest)
}

/// An original that lives for a second.
fn expire(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<()> {
    let mock = Mock::start();
    let settings = json!({"store": {"original_ttl": "1s"}}).to_string();
    let (gateway, _home) = GatewayProcess::start(bench, mock.address(), &settings)?;
    gateway.send(&messages(&conversation(&test_run(1))));
    let Some(id) = first_reference(&mock.last().body).map(str::to_owned) else {
        faults.add("TTL: nothing was left out");
        return Ok(());
    };
    let found = expand_status(&gateway, &id);
    faults.check(found == 200, || format!("TTL: {found} at once"));
    std::thread::sleep(Duration::from_millis(2_500));
    ask_for_evicted(&gateway, &mock, &id, "TTL", faults);
    Ok(())
}

/// Asks for an original that is gone, as a client and as a model.
fn ask_for_evicted(
    gateway: &GatewayProcess,
    mock: &Mock,
    id: &str,
    kind: &str,
    faults: &mut Faults,
) {
    let status = expand_status(gateway, id);
    faults.check(status == 404, || format!("{kind}: {status} for an evicted id"));
    mock.clear();
    mock.reply(Reply::calling("expand_context", json!({"id": id})));
    let answer = gateway.send(&messages(&conversation(&test_run(999_999))));
    faults.check(answer.status == 200, || format!("{kind}: {} after an evicted id", answer.status));
    let told = mock.last().json();
    let told = told["messages"].as_array().and_then(|messages| messages.last());
    let told = told.map(|message| message["content"][0]["content"].to_string());
    let is_told = mock.requests().len() == 2 && told.is_some_and(|told| told.len() > 20);
    faults.check(is_told, || format!("{kind}: the model is told nothing of an evicted id"));
}

fn expand_status(gateway: &GatewayProcess, id: &str) -> u16 {
    let path = format!("/_forge/api/expand?id={id}");
    gateway.send(&Ask::new("GET", &path).header("x-api-key", "sk-proof")).status
}

/// The bytes of all files in a folder.
fn size(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let sizes = entries.filter_map(Result::ok).map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => size(&entry.path()),
        Ok(data) => data.len() as usize,
        Err(_) => 0,
    });
    sizes.sum()
}
