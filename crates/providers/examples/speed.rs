//! How fast a body of about 100 KB is read, next to other ways of reading it. What counts are the ratios of one run.
//!
//! `cargo run --release -p tokenforge-providers --example speed`

use serde::Deserialize;
use serde_json::value::RawValue;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tokenforge_providers::{Dialect, MessageTexts, Request, RequestHead, splice};

fn main() {
    for (name, line) in [
        (
            "plain text",
            "src/server/connection.rs:120:13 the connection was closed by the other side; retrying in a while\n",
        ),
        ("build log", "   Compiling tokio v1.54.1\n\twarning: unused `x`\n"),
        ("JSON in a string", r#"{"id":1,"name":"alpha","tags":["a","b"]},"#),
    ] {
        let body = body(line);
        println!("\n{name}: {} bytes", body.len());
        let ours = measure(|| {
            Request::read(&body, Dialect::OpenAiChat).map(|request| request.results.len())
        });
        let row = |name: &str, time: Duration| {
            let speed = body.len() as f64 / time.as_secs_f64() / 1e9;
            let ratio = time.as_secs_f64() / ours.as_secs_f64();
            println!("{name:26}{:8.1} us {speed:6.2} GB/s {ratio:6.2}", time.as_secs_f64() * 1e6);
        };
        row("Request::read", ours);
        row(
            "Request::read, with texts",
            measure(|| {
                Request::read_with(&body, Dialect::OpenAiChat, MessageTexts::Wanted)
                    .map(|request| request.texts.len())
            }),
        );
        row("Head::read", measure(|| RequestHead::read(&body).map(|head| head.is_stream)));
        row("one replaced, spliced", measure(|| splice(&body, &[replacement(&body)])));
        row(
            "serde_json, RawValue",
            measure(|| serde_json::from_slice::<Raw>(&body).map(|raw| raw.spans(&body))),
        );
        row("serde_json, Value", measure(|| serde_json::from_slice::<serde_json::Value>(&body)));
        row("copying the body", measure(|| body.clone()));
    }
}

fn replacement(body: &[u8]) -> tokenforge_providers::Splice<'static> {
    let request = Request::read(body, Dialect::OpenAiChat).expect("the body is JSON");
    request.results[0].replaced_by("short")
}

/// The best of many runs.
fn measure<T>(mut run: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..2_000).map(time).min().unwrap_or_default()
}

/// A conversation with 20 calls of 3 KB results, a long system prompt and 20 tools.
fn body(line: &str) -> Vec<u8> {
    let output = line.repeat(3_000 / line.len());
    let mut messages =
        vec![serde_json::json!({"role": "system", "content": "You are an agent. ".repeat(800)})];
    for call in 0..20 {
        let id = format!("call_{call:024}");
        let function =
            serde_json::json!({"name": "bash", "arguments": r#"{"command":"cargo build"}"#});
        messages.push(serde_json::json!({
            "role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]
        }));
        messages.push(serde_json::json!({"role": "tool", "tool_call_id": id, "content": output}));
    }
    let tool = serde_json::json!({"type": "function", "function": {
        "name": "bash", "description": "Runs a command in a shell and returns what it printed. ".repeat(12),
        "parameters": {"type": "object", "properties": {
            "command": {"type": "string", "description": "The command to run"},
            "timeout": {"type": "number", "description": "In milliseconds"},
        }, "required": ["command"], "additionalProperties": false}
    }});
    let tools = vec![tool; 20];
    let body =
        serde_json::json!({"model": "gpt", "messages": messages, "stream": true, "tools": tools});
    body.to_string().into_bytes()
}

/// The same spans, by a parser that keeps values as they are.
#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    messages: Vec<RawMessage<'a>>,
    #[serde(borrow)]
    tools: &'a RawValue,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    role: &'a str,
    #[serde(borrow)]
    content: &'a RawValue,
}

impl Raw<'_> {
    fn spans(&self, body: &[u8]) -> (usize, usize) {
        let start = |raw: &RawValue| raw.get().as_ptr() as usize - body.as_ptr() as usize;
        let results = self.messages.iter().filter(|message| message.role == "tool");
        (results.map(|message| start(message.content)).sum(), start(self.tools))
    }
}
