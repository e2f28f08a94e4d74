//! Events and logs: every figure, and never a word of anybody's.

use crate::kit::{
    Ask, World, conversation, messages, rows, streaming, test_run, world_on, world_with,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokenforge_config::{GatewayKey, Secret};
use tokenforge_mock::{Fault, Reply};
use tokenforge_testkit::store::{StoreCall, WrappedStore};

/// The events of a file, when there are as many.
pub(crate) fn events(file: &Path, count: usize) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let lines: Vec<_> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        if lines.len() >= count {
            return lines;
        }
        assert!(started.elapsed() < crate::kit::PATIENCE, "{text}");
        std::thread::yield_now();
    }
}

fn logging(file: &Path) -> World {
    world_with(|settings| settings.monitoring.compression_log = Some(file.to_owned()))
}

#[test]
fn f13_an_event_has_every_figure_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.jsonl");
    let world = logging(&file);
    let mut body = conversation(&test_run());
    body["_forge"] =
        json!({"debug": {"team": "web", "token": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"}});
    world.send(messages(&body));
    let [event] = events(&file, 1).try_into().unwrap();
    let run = test_run();
    for (field, expected) in [
        ("tool", json!("Bash")),
        ("call_id", json!("toolu_1")),
        ("mode", json!("standard")),
        ("verdict", json!("compressed")),
        ("mapping_status", json!("compressed")),
        ("bytes_in", json!(run.len())),
        ("characters_in", json!(run.chars().count())),
        ("lines_in", json!(run.lines().count())),
        ("redacted", json!(false)),
        ("capped", json!(false)),
        ("deduped", json!(false)),
        ("sent_before", json!(false)),
        ("memo_reused", json!(false)),
        ("memo_changed", json!(false)),
        ("dictionary_method", Value::Null),
        ("model", json!("claude-sonnet-4-5")),
    ] {
        assert_eq!(event[field], expected, "{field}: {event}");
    }
    let figure = |name: &str| event[name].as_u64().unwrap_or_else(|| panic!("{name}: {event}"));
    assert!(figure("after_tokens") < figure("before_tokens"));
    for out in ["bytes_out", "characters_out", "lines_out"] {
        assert!(figure(out) > 0);
    }
    assert!(!event["strategies"].as_array().unwrap().is_empty());
    assert!(event["family"].is_string());
    for name in ["original_fingerprint", "compressed_fingerprint", "arguments_fingerprint"] {
        let print = event[name].as_str().unwrap();
        assert!(print.len() == 16 && u64::from_str_radix(print, 16).is_ok(), "{print}");
    }
    assert_eq!(event["debug"]["team"], "web");
    let text = event.to_string();
    for secret in ["ghp_abcdef", "case_number", "panicked", "cargo test", "sk-client", "Go on."] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    // The same result again: found, and told so.
    world.send(messages(&conversation(&test_run())));
    let again = &events(&file, 2)[1];
    assert_eq!((&again["sent_before"], &again["memo_reused"]), (&json!(true), &json!(false)));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn f13_an_event_says_capped_with_an_error_window_too() {
    let long: String = (0..2000).map(|n| format!("{n:x} {}\n", n * 7919 % 10_007)).collect();
    let half = long.floor_char_boundary(long.len() / 2);
    let with_error = format!("{}\nerror: it broke\n{}", &long[..half], &long[half..]);
    for (text, strategy) in [(&long, "cap"), (&with_error, "cap_error_window")] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("events.jsonl");
        let world = world_with(|settings| {
            settings.monitoring.compression_log = Some(file.clone());
            settings.tool_output.max_output_bytes = Some(2048);
        });
        world.send(messages(&conversation(text)));
        let [event] = events(&file, 1).try_into().unwrap();
        let strategies = event["strategies"].as_array().unwrap();
        assert!(strategies.contains(&json!(strategy)), "{event}");
        assert_eq!(event["capped"], true, "{event}");
    }
}

#[test]
fn f13_an_event_that_is_too_long_keeps_what_matters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.jsonl");
    let world = world_with(|settings| {
        settings.monitoring.compression_log = Some(file.clone());
        settings.monitoring.log_max_event_bytes = 300;
    });
    world.send(messages(&conversation(&rows())));
    let [event] = events(&file, 1).try_into().unwrap();
    assert!(event.to_string().len() <= 300);
    assert_eq!(event["is_shortened"], true);
    assert!(event["before_tokens"].as_u64() > event["after_tokens"].as_u64());
}

#[test]
fn f13_events_that_cannot_be_written_delay_no_request_and_are_counted() {
    // No process reads this pipe, so that writing to it blocks.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    // Open at both ends, or opening it would wait.
    let _both = std::fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let world = world_with(|settings| {
        settings.monitoring.compression_log = Some(pipe.clone());
        settings.monitoring.log_queue_capacity = 2;
    });
    let started = Instant::now();
    while world.counter("events_dropped") == 0 {
        assert_eq!(world.send(messages(&conversation(&rows()))).status, 200);
        assert!(started.elapsed() < crate::kit::PATIENCE);
    }
}

#[test]
fn a_log_that_cannot_be_opened_is_no_reason_not_to_serve() {
    let world = logging(Path::new("/nowhere/at/all/events.jsonl"));
    assert_eq!(world.send(messages(&conversation(&rows()))).status, 200);
}

#[test]
fn d17_memo_reused_tells_of_the_memo_of_a_session_and_of_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let small = test_run();
    // What is made of it has more than 16 KB: a session does not remember that.
    let row = |n: u32| json!({"id": n, "word": format!("{:x}", n.wrapping_mul(2_654_435_761))});
    let large = serde_json::to_string_pretty(&(0..4_000).map(row).collect::<Vec<_>>()).unwrap();
    for (number, (session, text, is_reused)) in
        [(None, &small, false), (Some("s"), &small, true), (Some("s"), &large, false)]
            .into_iter()
            .enumerate()
    {
        let file = folder.path().join(format!("{number}.jsonl"));
        let world = logging(&file);
        let mut body = conversation(text);
        if let Some(session) = session {
            body["_forge"] = json!({"tool_output_compression": {"session_id": session}});
        }
        world.send(messages(&body));
        world.send(messages(&body));
        let told: Vec<_> =
            events(&file, 2).iter().map(|event| event["memo_reused"].clone()).collect();
        assert_eq!(told, [json!(false), json!(is_reused)], "{session:?}, {} bytes", text.len());
    }
}

/// Everything that was logged in this process, at the finest level.
pub(crate) fn log() -> &'static Mutex<Vec<u8>> {
    static LOG: OnceLock<Mutex<Vec<u8>>> = OnceLock::new();
    LOG.get_or_init(|| {
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
            .with_ansi(false)
            .with_writer(|| Lines)
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        Mutex::default()
    })
}

struct Lines;

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        log().lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn g50_no_key_and_no_word_is_ever_logged_counted_or_told() {
    const KEY: &str = "canary-key-93157";
    const WORD: &str = "canaryword48213";
    log();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.jsonl");
    let names = Arc::new(Mutex::new(String::new()));
    let noted = names.clone();
    let store = WrappedStore::new(move |call| {
        if let StoreCall::Put(tenant, id) | StoreCall::Get(tenant, id) = call {
            *noted.lock().unwrap() += &format!("{tenant} {id}\n");
        }
        Ok(())
    });
    let world = world_on(Arc::new(store), |settings| {
        settings.monitoring.compression_log = Some(file.clone());
        settings.toon.enabled = true;
        settings.redact_secrets = true;
        settings.keys = vec![GatewayKey { name: "team".into(), key: Secret::new(KEY) }];
        settings.tool_output.api.api_key = Some(Secret::new(KEY));
        settings.limits.first_byte_timeout = Duration::from_millis(300);
    });
    let mut body = streaming(&test_run().replace("case_number", WORD));
    body["system"] = WORD.into();
    body["messages"][0]["content"] = json!(format!("{WORD} {}", rows().replace("row", WORD)));
    body["messages"][1]["content"][0]["input"] = json!({"command": format!("cargo test {WORD}")});
    body["tools"][0]["description"] = WORD.into();
    let ask = |body: &Value| {
        messages(body).header("authorization", &format!("Bearer {KEY}")).header("x-forge-key", KEY)
    };
    let mut errors = Vec::new();
    world.mock.reply(Reply::new().text(WORD).expand_first());
    world.mock.reply(Reply::from(WORD));
    assert_eq!(world.send(ask(&body)).status, 200);
    for fault in [Fault::ResetBeforeHeaders, Fault::StallBeforeHeaders, Fault::GarbageHeaders] {
        world.mock.fault(fault);
        errors.push(world.send(ask(&body)).text());
    }
    body["_forge"] = json!({"tool_output_compression": {"mode": "no such"}});
    errors.push(world.send(ask(&body)).text());
    body["_forge"] = json!({ WORD: 1 });
    world.send(ask(&body));
    errors.push(world.send(Ask::post("/v1/messages", body.to_string())).text());
    errors.push(world.send(ask(&body).header("x-target-url", "http://evil.example")).text());
    let compress = json!({"messages": body["messages"]});
    world.send(Ask::post("/v1/compress", compress.to_string()).header("x-forge-key", KEY));
    events(&file, 1);
    let figures = |path: &str| world.operate(Ask::new("GET", &format!("/_forge/{path}"))).text();
    for (place, text) in [
        ("the log", String::from_utf8_lossy(&log().lock().unwrap()).into_owned()),
        ("metrics", figures("metrics")),
        ("stats", figures("api/stats")),
        ("config", figures("api/config")),
        ("events", std::fs::read_to_string(&file).unwrap()),
        ("errors", errors.join("\n")),
        ("names in the store", names.lock().unwrap().clone()),
    ] {
        assert!(!text.is_empty(), "{place} is empty");
        for canary in [KEY, WORD] {
            let at = text.find(canary).map(|at| text[..at].lines().last().unwrap_or("").to_owned());
            assert_eq!(at, None, "{canary} is in {place}");
        }
    }
}
