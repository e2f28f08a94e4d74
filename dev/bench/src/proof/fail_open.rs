//! Row 5: a defect, or no more time, at every moment of the engine's work; a strategy that fails in every way.

use crate::kit::{
    GatewayProcess, ProofBench, ScriptedProvider, conversation, messages, rows, test_run,
};
use crate::row::{Faults, ProofRow, RowResult};
use serde_json::json;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{
    CompressedOutput, Deadline, Engine, History, Mode, Output, Settings, Vault, VaultAccess,
};
use tokenforge_mock::Mock;
use tokenforge_samples::recorded;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 5,
    what: "fail open: a panic or the end of time at every moment of every stage; a strategy that fails",
    bar: "the original or a text that is no worse; requests answered 200 (stages in process, strategies over HTTP)",
    prove,
};

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let mut faults = Faults::default();
    let (mut moments, mut outputs) = (0, 0);
    for recorded in recorded().iter().step_by(7) {
        let output = Output {
            text: &recorded.text,
            tool: &recorded.tool,
            arguments: &recorded.arguments,
            call: None,
            is_error: false,
        };
        outputs += 1;
        for mode in [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive] {
            moments += at_every_moment(&output, mode, &recorded.name, &mut faults);
        }
    }
    let requests = strategies(bench, &mut faults)?;
    let figure = format!("{moments} moments of {outputs} outputs in 4 modes, {requests} requests");
    faults.into_result(format!("{} faults", 2 * moments + requests), figure)
}

/// Fails at each moment at which the engine asks whether there is time left. How many there were.
fn at_every_moment(output: &Output<'_>, mode: Mode, name: &str, faults: &mut Faults) -> usize {
    let key = ReferenceSecret::from_secret("for the proof");
    let settings = Settings { mode, ..Settings::default() };
    let engine =
        Engine::new(&settings).with_vault(Vault { key: &key, access: VaultAccess::Reader });
    let asked = Arc::new(AtomicUsize::new(0));
    let asks = |fails: fn(usize, usize) -> bool, moment: usize| {
        let asked = asked.clone();
        Deadline::new(move || fails(asked.fetch_add(1, Ordering::Relaxed), moment))
    };
    let never = asks(|_, _| false, 0);
    let _ = engine.with_deadline(&never).compress(output, &History::default());
    let moments = asked.load(Ordering::Relaxed);
    // A stage may ask often: some hundred moments over all of them are enough.
    let tried: Vec<usize> = (0..moments).step_by(moments.div_ceil(200).max(1)).collect();
    for &moment in &tried {
        let panics = |asked, moment| {
            assert!(asked != moment, "a defect, on purpose");
            false
        };
        let ways = [
            ("a panic", asks(panics, moment)),
            ("no time", asks(|asked, moment| asked >= moment, moment)),
        ];
        for (way, fails) in ways {
            asked.store(0, Ordering::Relaxed);
            let compressed = engine.with_deadline(&fails).compress(output, &History::default());
            let is_open = is_no_worse(output, &compressed, &settings);
            faults.check(is_open, || format!("{name}, {mode}: {way} at moment {moment}"));
        }
    }
    tried.len()
}

/// Fewer tokens or the original, and nothing left out without a way back. Redaction alone may add tokens.
fn is_no_worse(output: &Output<'_>, compressed: &CompressedOutput, settings: &Settings) -> bool {
    let text = compressed.text(output.text);
    let has_way_back = !text.contains("[Forge left out")
        || output.text.contains("[Forge left out")
        || compressed.original.is_some();
    let counter = settings.counter;
    let is_worse = text != output.text && counter.count(text) > counter.count(output.text);
    has_way_back && (!is_worse || !compressed.redacted.is_empty())
}

/// A strategy that is asked over HTTP and fails: the request goes on. How many requests.
fn strategies(bench: &ProofBench, faults: &mut Faults) -> anyhow::Result<usize> {
    let ways: [(&str, &str); 5] = [
        ("500", "HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"),
        ("garbage", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{]}"),
        ("not HTTP", "hello\r\n\r\n"),
        ("closed", ""),
        ("silent", "-"),
    ];
    let mut requests = 0;
    for (way, answer) in ways {
        let strategy = ScriptedProvider::start(move |_, stream| match answer {
            "-" => {
                std::thread::sleep(Duration::from_secs(60));
                Ok(())
            }
            answer => {
                stream.write_all(answer.as_bytes())?;
                stream.shutdown(std::net::Shutdown::Both)
            }
        })?;
        let mock = Mock::start();
        let settings = json!({"pipes": {"tool_output": {"strategy": "api", "mode": "safe", "api": {
            "endpoint": format!("http://{}/compress", strategy.address), "api_key": "k", "timeout": "300ms",
        }}}});
        let (gateway, _home) = GatewayProcess::start(bench, mock.address(), &settings.to_string())?;
        for (number, text) in [test_run(1), rows(1), test_run(2)].into_iter().enumerate() {
            requests += 1;
            let answer = gateway.send(&messages(&conversation(&text)));
            faults.check(answer.status == 200, || format!("strategy {way}: {}", answer.status));
            let sent = &mock.last().json()["messages"][2]["content"][0]["content"];
            let is_original = sent.as_str() == Some(&text);
            faults.check(is_original, || format!("strategy {way}: {number} was changed"));
        }
    }
    Ok(requests)
}
