//! Row 11: what a body costs in memory while it is looked into.

use crate::kit::{GatewayProcess, ProofBench, conversation, megabytes, messages, rows};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::{Value, json};
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 11,
    what: "memory for a body: one result, many small ones, no result (24 MB); the worst that is known (2 to 12 MB); originals on disk",
    bar: "at most 2 bytes for a byte, for the worst 8, and 16 MB for what a result is worked on with",
    prove,
};

const BODY: usize = 24 << 20;
const FIXED: usize = 16 << 20;
/// What a store keeps in memory has a bound of its own.
const STORE: &str = "store:\n  url: disk:originals\n";
const ORDINARY: f64 = 2.0;
const WORST: f64 = 8.0;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mut figures = Vec::new();
    let ordinary = [
        ("one result", one_result()),
        ("small results", small_results()),
        ("no result", no_result()),
    ];
    let ordinary = ordinary.map(|(name, body)| (name, ORDINARY, body));
    let worst = worst_bodies().map(|(name, body)| (name, WORST, body));
    let count = ordinary.len() + worst.len();
    for (name, bar, body) in ordinary.into_iter().chain(worst) {
        let mock = Mock::start();
        mock.careless();
        let (gateway, _home) = GatewayProcess::start(bench, mock.address(), STORE)?;
        // The tokenizer's table is there from now on.
        gateway.send(&messages(&conversation(&rows(1))));
        let ask = messages(&body);
        let length = body.to_string().len();
        let before = gateway.rss()?;
        gateway.forget_peak()?;
        let status = gateway.send(&ask).status;
        faults.check(status == 200, || format!("{name}: answered {status}"));
        let grown = gateway.peak()?.saturating_sub(before);
        let ratio = grown.saturating_sub(FIXED) as f64 / length as f64;
        faults.at_most(name, bar, ratio, "bytes for a byte");
        figures.push(format!("{name} {ratio:.2} ({:.0} MB)", megabytes(grown)));
    }
    faults.into_result(format!("{count} bodies"), figures.join(", "))
}

/// The worst that is known: by lines, by values of JSON, by words, by results and by parts.
fn worst_bodies() -> [(&'static str, Value); 7] {
    let long = |piece: &str| conversation(&piece.repeat((2 << 20) / piece.len() - 1));
    let mut parts = conversation("short");
    parts["messages"][2]["content"][0]["content"] =
        vec![json!({"type": "text", "text": ""}); 400_000].into();
    let result = |n: usize| {
        let id = format!("toolu_{n}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}});
        let answer = json!({"type": "tool_result", "tool_use_id": id, "content": ""});
        [
            json!({"role": "assistant", "content": [call]}),
            json!({"role": "user", "content": [answer]}),
        ]
    };
    let mut empty = conversation("short");
    let asked = [json!({"role": "user", "content": "Go on."})];
    empty["messages"] = asked.into_iter().chain((0..60_000).flat_map(result)).collect();
    [
        ("JSON lines", long("{}\n")),
        ("brackets", long("[")),
        ("line ends", long("\n")),
        ("rows of digits", long("1,2,3\n")),
        ("one character", long("a")),
        ("empty parts", parts),
        ("empty results", empty),
    ]
}

fn one_result() -> Value {
    let line = |n: usize| format!("2026-01-01T00:00:00Z worker {n} has done item {}\n", n * 7919);
    let mut text = String::new();
    for n in 0.. {
        text += &line(n);
        if text.len() > BODY {
            break;
        }
    }
    conversation(&text)
}

fn small_results() -> Value {
    let mut body = conversation("short");
    let mut messages = vec![json!({"role": "user", "content": "Go on."})];
    for n in 0..BODY / 520 {
        let id = format!("toolu_{n}");
        messages.push(json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("ls {n}")}}]}));
        let text: String = (0..12).map(|line| format!("file_{n}_{line}.rs is here\n")).collect();
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": text}]}));
    }
    body["messages"] = messages.into();
    body
}

fn no_result() -> Value {
    let mut body = conversation("short");
    body["messages"] = json!([{"role": "user", "content": "word ".repeat(BODY / 5)}]);
    body
}
