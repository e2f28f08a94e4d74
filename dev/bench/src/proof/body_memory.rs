//! Row 11: what a body costs in memory while it is looked into.

use crate::kit::{GatewayProcess, ProofBench, conversation, megabytes, messages, rows};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::{Value, json};
use tokenforge_mock::Mock;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 11,
    what: "memory for a body of 24 MB: one result, many small ones, no result",
    bar: "at most 1.25 bytes for a byte, and 16 MB for what a result is worked on with",
    prove,
};

const BODY: usize = 24 << 20;
const FIXED: usize = 16 << 20;
const BAR: f64 = 1.25;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let mut figures = Vec::new();
    let bodies = [
        ("one result", one_result()),
        ("small results", small_results()),
        ("no result", no_result()),
    ];
    for (name, body) in bodies {
        let mock = Mock::start();
        mock.careless();
        let (gateway, _home) = GatewayProcess::start(bench, mock.address(), "")?;
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
        faults.at_most(name, BAR, ratio, "bytes for a byte");
        figures.push(format!("{name} {ratio:.2} ({:.0} MB)", megabytes(grown)));
    }
    faults.into_result("3 bodies".to_owned(), figures.join(", "))
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
