//! Row 29: conversations that the provider keeps: whatever becomes of the store, nothing is left out that a later turn cannot
//! fetch.

use crate::kit::{Ask, GatewayHome, GatewayProcess, ProofBench, conversation, test_run};
use crate::row::{Faults, ProofRow, RowResult};
use anyhow::Context;
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};
use tokenforge_mock::{Mock, Reply, first_reference};

pub(crate) const ROW: ProofRow = ProofRow {
    number: 29,
    what: "conversations that the provider keeps (Responses): full store, store too small, 80 MB from other tenants, a \
           conversation larger than the store, kill -9 on disk",
    bar: "each result is forwarded whole, or fetched byte for byte in a later turn",
    prove,
};

/// One course of events for the store of a conversation.
struct Case {
    name: &'static str,
    /// Where the store is, and how many bytes it takes.
    store: (&'static str, usize),
    /// How many results the conversation has.
    results: usize,
    /// How many kept conversations other tenants have begun before, of one result each.
    before: usize,
    /// How many megabytes other tenants send before anything is fetched.
    noise: usize,
    /// The gateway is killed before anything is fetched.
    is_killed: bool,
    /// Whether something is left out of some results, and nothing of some.
    expected: (bool, bool),
}

const USUAL: Case = Case {
    name: "noisy neighbour",
    store: ("memory:", 64 << 20),
    results: 10,
    before: 0,
    noise: 0,
    is_killed: false,
    expected: (true, false),
};

const CASES: [Case; 6] = [
    Case { noise: 80, ..USUAL },
    Case { name: "noisy neighbour on disk", store: ("disk:", 32 << 20), noise: 80, ..USUAL },
    Case {
        name: "full store",
        store: ("memory:", 1 << 20),
        before: 90,
        expected: (false, true),
        ..USUAL
    },
    Case { name: "store too small", store: ("memory:", 8 << 10), expected: (false, true), ..USUAL },
    Case {
        name: "larger than the store",
        store: ("memory:", 1 << 20),
        results: 100,
        expected: (true, true),
        ..USUAL
    },
    Case { name: "kill -9", store: ("disk:", 32 << 20), results: 50, is_killed: true, ..USUAL },
];

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let (mut results, mut left_out) = (0, 0);
    for case in &CASES {
        let (of_case, fetched) = try_case(bench, case, &mut faults)?;
        results += of_case;
        left_out += fetched;
    }
    faults.into_result(
        format!("{} cases, {results} results of 16 KB", CASES.len()),
        format!(
            "something left out of {left_out}, all fetched whole; {} forwarded whole",
            results - left_out
        ),
    )
}

/// How many results the conversation had, and how many of them were fetched.
fn try_case(
    bench: &ProofBench,
    case: &Case,
    faults: &mut Faults,
) -> anyhow::Result<(usize, usize)> {
    let (mock, home) = (Mock::start(), GatewayHome::new()?);
    let (kind, max_bytes) = case.store;
    let url = match kind {
        "disk:" => format!("disk:{}", home.data().join("store").display()),
        memory => memory.to_owned(),
    };
    let settings = json!({"store": {"url": url, "max_bytes": max_bytes}});
    std::fs::write(home.settings(), settings.to_string())?;
    let mut gateway = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    for tenant in 0..case.before {
        let mut other = KeptConversation::begin(&gateway, &mock, &format!("sk-other-{tenant}"))?;
        other.goes_on_with(&gateway, &mock, &test_run(1_000_000 + tenant))?;
    }
    let mut conversation = KeptConversation::begin(&gateway, &mock, "sk-proof")?;
    let mut sent = Vec::new();
    for number in 0..case.results {
        let text = test_run(number);
        sent.push((conversation.goes_on_with(&gateway, &mock, &text)?, text));
    }
    make_noise(&gateway, case.noise);
    if case.is_killed {
        drop(gateway);
        gateway = GatewayProcess::in_home(bench, mock.address(), &home, &[])?;
    }
    let (mut fetched, mut whole) = (0, 0);
    for (number, (shown, text)) in sent.iter().enumerate() {
        match first_reference(shown.as_bytes()) {
            None => {
                whole += 1;
                // It may be in another notation, which the command reads again.
                faults.check(decoded(bench, shown)? == *text, || {
                    format!("{}: result {number} has no reference and is not whole", case.name)
                });
            }
            Some(reference) => {
                fetched += 1;
                let found = conversation.fetch(&gateway, &mock, reference)?;
                faults.check(found == *text, || {
                    let found: String = found.chars().take(60).collect();
                    format!("{}: result {number} of {} is lost: {found}", case.name, sent.len())
                });
            }
        }
    }
    faults.check((fetched > 0, whole > 0) == case.expected, || {
        format!("{}: {fetched} left out, {whole} whole: it tried something else", case.name)
    });
    Ok((sent.len(), fetched))
}

/// A text as it was before it was written in a notation.
fn decoded(bench: &ProofBench, shown: &str) -> anyhow::Result<String> {
    let mut decode = Command::new(&bench.program)
        .arg("decode")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    decode.stdin.take().context("no input")?.write_all(shown.as_bytes())?;
    let output = decode.wait_with_output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Originals of eighty other tenants, of so many megabytes together.
fn make_noise(gateway: &GatewayProcess, megabytes: usize) {
    let run: String = (0..60).map(test_run).collect();
    for number in 0..(megabytes << 20) / run.len() {
        let body = conversation(&format!("{run}noise {number}\n")).to_string();
        let ask = Ask::post("/v1/messages", body).header("anthropic-version", "2023-06-01");
        gateway.send(&ask.header("x-api-key", &format!("sk-noise-{}", number % 80)));
    }
}

/// A conversation of which the provider keeps everything, and its client the id of the last reply.
struct KeptConversation {
    key: String,
    previous: Option<String>,
    call: Option<String>,
}

impl KeptConversation {
    fn begin(gateway: &GatewayProcess, mock: &Mock, key: &str) -> anyhow::Result<Self> {
        let mut begun = KeptConversation { key: key.to_owned(), previous: None, call: None };
        begun.call_shell(gateway, mock, "Go on.")?;
        Ok(begun)
    }

    /// Sends an output of the shell, after which the model calls it again. The output as it was forwarded.
    fn goes_on_with(
        &mut self,
        gateway: &GatewayProcess,
        mock: &Mock,
        text: &str,
    ) -> anyhow::Result<String> {
        mock.clear();
        self.call_shell(gateway, mock, text)?;
        let shown = mock.last().json();
        let shown = shown["input"][0]["output"].as_str().context("no output was forwarded")?;
        Ok(shown.to_owned())
    }

    /// Asks for a reference in a later turn, as the model. The answer.
    fn fetch(
        &mut self,
        gateway: &GatewayProcess,
        mock: &Mock,
        reference: &str,
    ) -> anyhow::Result<String> {
        mock.clear();
        mock.reply(Reply::calling("expand_context", json!({"id": reference})));
        self.call_shell(gateway, mock, "a.txt")?;
        let asked = mock.last().json();
        let input = asked["input"].as_array().and_then(|input| input.last()).cloned();
        Ok(input.unwrap_or_default()["output"].as_str().unwrap_or_default().to_owned())
    }

    /// Says something, the output of the last call if there is one, to a model that then calls the shell.
    fn call_shell(
        &mut self,
        gateway: &GatewayProcess,
        mock: &Mock,
        text: &str,
    ) -> anyhow::Result<()> {
        mock.reply(Reply::calling("Bash", json!({"command": "cargo test"})));
        let input = match &self.call {
            Some(call) => json!({"type": "function_call_output", "call_id": call, "output": text}),
            None => json!({"role": "user", "content": text}),
        };
        let tool = json!({"type": "function", "name": "Bash", "parameters": {"type": "object"}, "strict": false});
        let mut body = json!({"model": "gpt-5", "input": [input], "tools": [tool]});
        if let Some(previous) = &self.previous {
            body["previous_response_id"] = json!(previous);
        }
        let ask = Ask::post("/v1/responses", body.to_string());
        let bearer = format!("Bearer {}", self.key);
        let answer = gateway.send(&ask.header("authorization", &bearer));
        anyhow::ensure!(answer.status == 200, "{}: {}", answer.status, answer.text());
        let reply = answer.json();
        let output = reply["output"].as_array().context("a reply without output")?;
        let call = output.iter().find_map(|item| item["call_id"].as_str());
        self.call = Some(call.context("a reply without a call")?.to_owned());
        self.previous = Some(reply["id"].as_str().context("a reply without an id")?.to_owned());
        Ok(())
    }
}
