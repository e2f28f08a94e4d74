//! Row 19: canaries: secrets that must not turn up in logs, figures, errors, the store, or at the wrong upstream.

use crate::kit::{Ask, GatewayHome, GatewayProcess, ProofBench, conversation, test_run};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::json;
use std::path::Path;
use tokenforge_mock::{Fault, Mock, Recorded};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 19,
    what: "canary keys in headers, query, body and settings, at the log level trace; gateway keys upstream",
    bar: "0 canaries in logs, metrics, figures, events, errors, data folder; 0 gateway keys upstream (2,000 requests; 1e6 are aimed at)",
    prove,
};

const REQUESTS: usize = 2_000;

/// The gateway's own secrets, which no other party may see.
const GATE: [&str; 2] = ["canary-gate-key-5b1f0c", "canary-admin-token-77aa"];

/// Secrets that pass through, and leave no trace.
const PASSING: [&str; 5] = [
    "canary-bearer-91d2e7",
    "canary-api-key-c0ffee",
    "canary-query-key-3377",
    "canary-prompt-1d3f55",
    "canary-output-8e21ab",
];

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mock = Mock::start();
    let home = GatewayHome::new()?;
    let settings = json!({
        "keys": {"alice": GATE[0]}, "admin_token": GATE[1],
        "monitoring": {"log_level": "trace", "compression_log": home.path().join("events.jsonl")},
        "store": {"url": format!("disk:{}", home.data().join("store").display())},
    });
    std::fs::write(home.settings(), settings.to_string())?;
    let gateway = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    let mut errors = String::new();
    let mut upstream = 0;
    for number in 0..REQUESTS {
        if number % 50 == 0 {
            mock.fault([Fault::ResetBeforeHeaders, Fault::GarbageHeaders][number / 50 % 2].clone());
        }
        let answer = gateway.send(&ask(number));
        if answer.status >= 400 {
            errors += &answer.text();
        }
        if number % 100 == 99 {
            upstream += mock.requests().len();
            mock.requests().iter().for_each(|request| sees_no_gate_key(request, &mut faults));
            mock.clear();
        }
    }
    faults.check(upstream > REQUESTS / 4, || format!("only {upstream} requests went on"));
    let shown = [
        "/_forge/metrics",
        "/_forge/api/stats",
        "/_forge/api/config",
        "/_forge/api/settings",
        "/_forge/api/gain",
    ]
    .map(|path| {
        gateway
            .send(&Ask::new("GET", path).header("authorization", &format!("Bearer {}", GATE[1])))
            .text()
    });
    drop(gateway);
    let events = std::fs::read_to_string(home.path().join("events.jsonl")).unwrap_or_default();
    faults.check(!events.is_empty(), || "no events were written".to_owned());
    let log = home.log();
    faults.check(log.len() > 1000, || "hardly anything was logged".to_owned());
    let places =
        [("log", log), ("events", events), ("errors", errors), ("figures", shown.concat())];
    for canary in GATE.iter().chain(&PASSING) {
        for (place, text) in &places {
            faults.check(!text.contains(canary), || format!("{canary} is in the {place}"));
        }
    }
    // Originals are texts and may hold texts; keys they may not.
    for canary in GATE.iter().chain(&PASSING[..3]) {
        faults.check(!holds(&home.data(), canary), || format!("{canary} is in the data folder"));
    }
    faults.into_result(
        format!("{REQUESTS} requests"),
        format!("7 canaries, {upstream} requests upstream"),
    )
}

/// Requests of every kind: good ones, without a key, with the key in many places, broken.
fn ask(number: usize) -> Ask {
    let [bearer, api_key, query, prompt, output] = PASSING;
    let text = format!("{output}\n{}", test_run(number % 40));
    let mut body = conversation(&text);
    body["messages"][0]["content"] = prompt.into();
    let path = format!("/v1/messages?key={query}");
    let post = || Ask::post(&path, body.to_string()).header("anthropic-version", "2023-06-01");
    let gate = GATE[0];
    match number % 9 {
        0 => {
            post().header("x-forge-key", gate).header("authorization", &format!("Bearer {bearer}"))
        }
        1 => post().header("x-forge-key", gate).header("x-api-key", api_key),
        2 => post().header("authorization", &format!("Bearer {gate}")).header("x-api-key", api_key),
        // The key twice: once as ours, once where a provider's would be.
        3 => post().header("x-forge-key", gate).header("authorization", &format!("Bearer {gate}")),
        4 => post().header("x-forge-key", gate).header("x-api-key", gate),
        5 => post().header("authorization", &format!("bearer {gate}")).header("x-api-key", gate),
        6 => {
            post().header("authorization", &format!("Bearer {bearer}")).header("x-api-key", api_key)
        }
        7 => Ask::post(&path, format!("{{\"messages\": \"{prompt}")).header("x-forge-key", gate),
        _ => Ask::new("GET", &format!("/v1/models?key={gate}")).header("x-api-key", api_key),
    }
}

fn sees_no_gate_key(request: &Recorded, faults: &mut Faults) {
    for secret in GATE {
        let has = |value: &[u8]| value.windows(secret.len()).any(|it| it == secret.as_bytes());
        for (name, value) in &request.headers {
            faults.check(!has(value.as_bytes()), || format!("{secret} went upstream in {name}"));
        }
        let is_in_line = request.path_and_query.contains(secret);
        faults.check(!is_in_line, || format!("{secret} went upstream in the address"));
    }
}

/// Does a file of the folder hold it?
fn holds(folder: &Path, canary: &str) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.filter_map(Result::ok).any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, canary);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes.windows(canary.len()).any(|window| window == canary.as_bytes())
    })
}
