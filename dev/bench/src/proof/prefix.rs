//! Row 3: the prompt's prefix stays the same, turn by turn, after a restart and on a second instance, with the default store.

use crate::kit::{Ask, GatewayHome, GatewayProcess, ProofBench, ScriptedProvider};
use crate::row::{Faults, ProofRow, RowResult};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;
use tokenforge_samples::{Recorded, recorded};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 3,
    what: "prefix stability with the default store: turn by turn, after a restart, on a second instance",
    bar: "every earlier message is forwarded with the same bytes (60 conversations; 1,000 are aimed at)",
    prove,
};

const CONVERSATIONS: usize = 60;
const TURNS: usize = 8;

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let echo = ScriptedProvider::start(|request, stream| {
        stream.write_all(&ScriptedProvider::json(&request.body))
    })?;
    let outputs = recorded();
    let home = GatewayHome::new()?;
    let mut first = GatewayProcess::in_home(bench, echo.address, &home, &[])?;
    let mut requests = 0;
    let mut known: HashMap<(usize, usize), Vec<String>> = HashMap::new();
    for part in ["turn by turn", "after a restart", "on a second instance"] {
        let second;
        let gateway = match part {
            "after a restart" => {
                drop(first);
                first = GatewayProcess::in_home(bench, echo.address, &home, &[])?;
                &first
            }
            "on a second instance" => {
                second = GatewayProcess::in_home(bench, echo.address, &home, &[])?;
                &second
            }
            _ => &first,
        };
        for conversation in 0..CONVERSATIONS {
            let mut before: Vec<String> = Vec::new();
            for turns in 1..=TURNS {
                let messages =
                    forwarded_messages(gateway, &body(&outputs, conversation, turns), "first")?;
                requests += 1;
                let is_stable = messages.len() > before.len() && messages[..before.len()] == before;
                faults.check(is_stable, || {
                    format!("conversation {conversation}, turn {turns}, {part}")
                });
                let same = known.entry((conversation, turns)).or_insert_with(|| messages.clone());
                faults.check(*same == messages, || {
                    format!("conversation {conversation}, turn {turns}, {part}: other bytes")
                });
                before = messages;
            }
        }
    }
    let renewed = count_renewed(&first, &outputs)?;
    let conversations = format!("{CONVERSATIONS} conversations of {TURNS} turns, 3 times");
    let figure = format!(
        "{requests} requests compared; a renewed token changes {renewed} of {CONVERSATIONS} (not part of the bar)"
    );
    faults.into_result(conversations, figure)
}

/// How many conversations are forwarded with other bytes when their login token is renewed.
fn count_renewed(gateway: &GatewayProcess, outputs: &[Recorded]) -> anyhow::Result<usize> {
    let mut changed = 0;
    for conversation in 0..CONVERSATIONS {
        let body = body(outputs, conversation, TURNS);
        let is_same = forwarded_messages(gateway, &body, "first")?
            == forwarded_messages(gateway, &body, "renewed")?;
        changed += usize::from(!is_same);
    }
    Ok(changed)
}

/// A conversation of so many turns, each with an output of a real tool.
fn body(outputs: &[Recorded], conversation: usize, turns: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": format!("Task {conversation}.")})];
    for turn in 0..turns {
        let output = &outputs[(conversation * 7 + turn * 3) % outputs.len()];
        let id = format!("toolu_{conversation}_{turn}");
        let input: Value = serde_json::from_str(&output.arguments).unwrap_or_default();
        messages.push(json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": output.tool, "input": input}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": output.text}]}));
    }
    json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100,
        "system": "You are an agent that works in a repository of source code. ".repeat(400),
        "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
        "messages": messages,
    })
    .to_string()
}

#[derive(Deserialize)]
struct ForwardedBody<'b> {
    #[serde(borrow)]
    messages: Vec<&'b RawValue>,
}

/// The messages that arrive upstream, as they are written there.
fn forwarded_messages(
    gateway: &GatewayProcess,
    body: &str,
    key: &str,
) -> anyhow::Result<Vec<String>> {
    let ask = Ask::post("/v1/messages", body)
        .header("anthropic-version", "2023-06-01")
        .header("authorization", &format!("Bearer {key}"));
    let answer = gateway.send(&ask);
    anyhow::ensure!(answer.status == 200, "{}: {}", answer.status, answer.text());
    let text = answer.text();
    let ForwardedBody { messages } = serde_json::from_str(&text)?;
    Ok(messages.iter().map(|message| message.get().to_owned()).collect())
}
