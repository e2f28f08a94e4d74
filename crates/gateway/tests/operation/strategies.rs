//! Strategies: which service shortens what is still large, with which prompt and key, and the fallback when none
//! answers.

use crate::kit::{Ask, World, conversation, forwarded, messages, world_on, world_with};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokenforge_config::{Auth, Fallback, Provider, ProviderKind, Secret, Settings, Strategy};
use tokenforge_mock::{Fault, Mock, MockCompressor, Reply};
use tokenforge_store::{MemoryStore, Store};

/// Words that no stage makes much shorter.
fn prose() -> String {
    let word = |n: u32| format!("w{:x}", n.wrapping_mul(2_654_435_761) >> 12);
    (0..900).map(word).collect::<Vec<_>>().join(" ")
}

fn api(settings: &mut Settings, compressor: &MockCompressor) {
    let tool_output = &mut settings.tool_output;
    tool_output.strategy = Strategy::Api;
    tool_output.api.endpoint = Some(format!("{}/compress", compressor.url()).parse().unwrap());
    tool_output.api.api_key = Some(Secret::new("api-key"));
    tool_output.api.model = Some("small".to_owned());
}

fn asked(world: &World) -> String {
    assert_eq!(world.send(messages(&conversation(&prose()))).status, 200);
    forwarded(&world.mock)
}

#[test]
fn c8_passthrough_leaves_large_results_to_the_stages() {
    let world = world_with(|_| {});
    assert_eq!(asked(&world), prose());
}

#[test]
fn c8_simple_keeps_the_first_words_under_a_reference() {
    let world = world_with(|settings| settings.tool_output.strategy = Strategy::Simple);
    let text = asked(&world);
    assert!(text.starts_with("<<<SHADOW:shadow_"), "{text}");
    let first: Vec<_> = prose().split(' ').take(200).map(str::to_owned).collect();
    assert!(text.contains(&first.join(" ")) && text.ends_with("700 more words]"), "{text}");
    // The model gets the rest when it asks.
    world.mock.reply(Reply::expand_first_reference());
    world.mock.reply("seen");
    world.send(messages(&conversation(&prose())));
    assert!(String::from_utf8_lossy(&world.mock.last().body).contains(&prose()));
}

#[test]
fn d20_the_service_that_shortens_a_result_gets_no_secret_of_the_call() {
    let compressor = MockCompressor::start();
    compressor.accept_key("api-key");
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.redact_secrets = true;
    });
    let mut body = conversation(&prose());
    let token = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    body["messages"][1]["content"][0]["input"]["command"] = json!(format!("gh auth {token}"));
    assert_eq!(world.send(messages(&body)).status, 200);
    let query = compressor.last().json()["query"].to_string();
    assert!(query.contains("gh auth [REDACTED:github-token]"), "{query}");
}

#[test]
fn c8_api_is_asked_as_decided_and_its_answer_goes_on() {
    let compressor = MockCompressor::start();
    compressor.accept_key("api-key");
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.target_ratio = Some(0.5);
    });
    let text = asked(&world);
    let fifth: Vec<_> = prose().split(' ').take(180).map(str::to_owned).collect();
    assert!(text.starts_with("<<<SHADOW:") && text.ends_with(&fifth.join(" ")), "{text}");
    assert_eq!(compressor.refusals(), Vec::<String>::new());
    let asked = compressor.last();
    assert_eq!(asked.path_and_query, "/compress");
    assert_eq!(
        asked.json(),
        json!({
            "tool_output": prose(), "query": "Bash {\"command\":\"cargo test\"}", "tool_name": "Bash",
            "compression_model_name": "small", "target_compression_ratio": 0.5, "source": "tokenforge",
        })
    );
    assert!(asked.headers.values().all(|value| !value.to_str().unwrap().contains("sk-client")));
}

#[test]
fn c9_query_agnostic_hides_the_call_and_the_hint_is_a_line_under_the_reference() {
    let compressor = MockCompressor::start();
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.api.query_agnostic = true;
        settings.tool_output.include_expand_hint = true;
    });
    let text = asked(&world);
    assert_eq!(compressor.last().json()["query"], "");
    assert!(text.lines().nth(1).unwrap().contains("expand_context"), "{text}");
}

#[test]
fn c9_sizes_and_the_threshold_of_a_request_gate_the_strategy() {
    let compressor = MockCompressor::start();
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.min_bytes = prose().len();
        settings.tool_output.max_bytes = prose().len() + 1;
    });
    assert_eq!(asked(&world), prose(), "at the threshold it is untouched");
    let over = format!("{}!", prose());
    world.send(messages(&conversation(&over)));
    assert!(forwarded(&world.mock).starts_with("<<<SHADOW:"));
    let too_long = format!("{over}!");
    world.send(messages(&conversation(&too_long)));
    assert_eq!(forwarded(&world.mock), too_long);
    let lower = messages(&conversation(&prose().replace("w1", "v1")));
    world.send(lower.header("x-compression-threshold", "100"));
    assert!(forwarded(&world.mock).starts_with("<<<SHADOW:"));
    assert_eq!(compressor.requests().len(), 2);
}

#[test]
fn c9_an_answer_above_the_target_or_not_smaller_is_refused() {
    let compressor = MockCompressor::start();
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.target_ratio = Some(0.2);
    });
    compressor.answer_with(|asked| {
        let text = asked["tool_output"].as_str().unwrap();
        text[..text.len() / 2].to_owned()
    });
    assert_eq!(asked(&world), prose());
    let world = world_with(|settings| api(settings, &compressor));
    compressor.answer_with(|asked| asked["tool_output"].as_str().unwrap().to_owned());
    assert_eq!(asked(&world), prose());
}

#[test]
fn f13_an_event_says_why_a_strategys_text_was_refused() {
    type Answer = fn(&Value) -> String;
    let half = |asked: &Value| {
        let text = asked["tool_output"].as_str().unwrap();
        text[..text.len() / 2].to_owned()
    };
    let whole = |asked: &Value| asked["tool_output"].as_str().unwrap().to_owned();
    let cases: [(Answer, _, _); 2] =
        [(half, Some(0.2), "strategy_above_target"), (whole, None, "strategy_not_smaller")];
    for (answer, target, verdict) in cases {
        let compressor = MockCompressor::start();
        compressor.answer_with(answer);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("events.jsonl");
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        // The second gateway has only what the store remembers of the decision.
        for count in 1..=2 {
            let world = world_on(store.clone(), |settings| {
                api(settings, &compressor);
                settings.tool_output.target_ratio = target;
                settings.monitoring.compression_log = Some(file.clone());
            });
            assert_eq!(asked(&world), prose());
            let events = crate::telemetry::events(&file, count);
            let event = &events[count - 1];
            assert_eq!(event["verdict"], verdict, "{event}");
            assert_eq!(event["mapping_status"], verdict, "{event}");
            assert_eq!(event["strategy_error"], Value::Null, "{event}");
        }
        assert_eq!(compressor.requests().len(), 1, "{verdict}");
    }
}

#[test]
fn f13_an_event_of_a_strategy_keeps_the_figures_of_the_stages() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.jsonl");
    let world = world_with(|settings| {
        settings.tool_output.strategy = Strategy::Simple;
        settings.monitoring.compression_log = Some(file.clone());
    });
    let secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    let prose = prose();
    let words: Vec<_> = prose.split(' ').collect();
    let lines = words.chunks(9).map(|words| format!("{} \t \t \t \n", words.join(" ")));
    let text = format!("token {secret}\n{}", lines.collect::<String>());
    assert_eq!(world.send(messages(&conversation(&text))).status, 200);
    assert!(forwarded(&world.mock).ends_with("more words]"));
    let [event] = crate::telemetry::events(&file, 1).try_into().unwrap();
    assert_eq!((&event["redacted"], &event["strategy"]), (&json!(true), &json!("simple")));
    assert_eq!(event["redacted_kinds"], json!(["github-token"]));
    assert_eq!(event["strategies"], json!(["trailing_whitespace", "simple"]), "{event}");
}

#[test]
fn c10_a_skipped_tool_and_an_error_are_not_given_away() {
    let compressor = MockCompressor::start();
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.skip_tools = vec!["Bash".to_owned()];
    });
    assert_eq!(asked(&world), prose());
    let world = world_with(|settings| api(settings, &compressor));
    let mut failed = conversation(&prose());
    failed["messages"][2]["content"][0]["is_error"] = true.into();
    world.send(messages(&failed));
    assert_eq!(forwarded(&world.mock), prose());
    assert!(compressor.requests().is_empty());
}

#[test]
fn c8_a_failure_falls_back_as_the_settings_say() {
    for (what, fault) in [
        ("status", Reply::status(503, &[], "busy")),
        ("no JSON", Reply::status(200, &[], "<html>")),
        ("no success", Reply::status(200, &[], r#"{"success":false}"#)),
        ("reset", Reply::from("x").fault(Fault::ResetBeforeHeaders)),
        ("silent", Reply::from("x").fault(Fault::StallBeforeHeaders)),
    ] {
        for fallback in [Fallback::Passthrough, Fallback::Simple, Fallback::Error] {
            let compressor = MockCompressor::start();
            compressor.fail_once(fault.clone());
            let world = world_with(|settings| {
                api(settings, &compressor);
                settings.tool_output.fallback_strategy = fallback;
                settings.tool_output.api.timeout = Duration::from_millis(300);
            });
            let answer = world.send(messages(&conversation(&prose())));
            if fallback == Fallback::Error {
                assert_eq!(answer.status, 502, "{what}");
                assert_eq!(answer.json()["error"]["type"], "api_error", "{what}");
                assert!(!answer.text().contains("busy"), "{what}");
                assert!(world.mock.requests().is_empty(), "{what}");
                continue;
            }
            assert_eq!(answer.status, 200, "{what}");
            let text = forwarded(&world.mock);
            match fallback {
                Fallback::Simple => assert!(text.ends_with("more words]"), "{what}: {text}"),
                _ => assert_eq!(text, prose(), "{what}"),
            }
            assert_eq!(world.counter("strategy_failures"), 1, "{what}");
        }
    }
}

#[test]
fn g4_what_was_decided_once_is_sent_for_ever() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let compressor = MockCompressor::start();
    compressor.fail_once(Reply::status(500, &[], "no"));
    let first = world_on(store.clone(), |settings| api(settings, &compressor));
    assert_eq!(asked(&first), prose());
    // It works now, and the gateway was restarted: the provider must not notice.
    let second = world_on(store.clone(), |settings| api(settings, &compressor));
    assert_eq!(asked(&second), prose());
    assert_eq!(compressor.requests().len(), 1);
    let other = prose().replace("w1", "v1");
    second.send(messages(&conversation(&other)));
    let success = forwarded(&second.mock);
    assert!(success.starts_with("<<<SHADOW:"));
    // And a success stays when the service is gone.
    compressor.refuse();
    let third = world_on(store, |settings| api(settings, &compressor));
    third.send(messages(&conversation(&other)));
    assert_eq!(forwarded(&third.mock), success);
    assert_eq!(third.counter("strategy_remembered"), 1);
}

/// A conversation with so many results, all different.
fn many(results: usize) -> Value {
    let mut body = conversation(&prose());
    let calls: Vec<_> = (0..results)
        .map(|n| json!({"type": "tool_use", "id": format!("toolu_{n}"), "name": "Bash", "input": {"command": n.to_string()}}))
        .collect();
    let outputs: Vec<_> = (0..results)
        .map(|n| json!({"type": "tool_result", "tool_use_id": format!("toolu_{n}"), "content": format!("{n} {}", prose())}))
        .collect();
    body["messages"][1]["content"] = calls.into();
    body["messages"][2]["content"] = outputs.into();
    body
}

#[test]
fn c11_no_more_than_ten_are_asked_at_once() {
    let compressor = MockCompressor::start();
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.rate_per_second = 1000;
    });
    let hold = compressor.hold();
    let open = world.open(&messages(&many(30)));
    hold.wait_for_held(10);
    assert_eq!(compressor.most_at_once(), 10);
    hold.release();
    assert_eq!(open.answer().status, 200);
    assert_eq!(compressor.requests().len(), 30);
    assert_eq!(compressor.most_at_once(), 10);
}

#[test]
fn c11_no_more_than_so_many_are_asked_in_a_second() {
    let compressor = MockCompressor::start();
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.rate_per_second = 4;
    });
    assert_eq!(world.send(messages(&many(10))).status, 200);
    let at: Vec<_> = compressor.requests().iter().map(|request| request.at).collect();
    // Four come at once; the others one by one as the second goes by.
    let took = at[9].duration_since(at[0]);
    assert!(took >= Duration::from_millis(1_200), "{took:?}");
}

#[test]
fn c11_a_client_that_leaves_while_waiting_takes_no_permit() {
    let compressor = MockCompressor::start();
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.max_concurrent = 1;
    });
    let hold = compressor.hold();
    let first = world.open(&messages(&many(3)));
    hold.wait_for_held(1);
    first.leave();
    compressor.wait_for_disconnect();
    hold.release();
    assert_eq!(compressor.requests().len(), 1);
    assert_eq!(asked(&world).lines().count(), 2);
}

#[test]
fn c11_a_service_that_keeps_failing_is_left_alone() {
    let compressor = MockCompressor::start();
    compressor.refuse();
    let world = world_with(|settings| {
        api(settings, &compressor);
        settings.tool_output.max_concurrent = 1;
    });
    assert_eq!(world.send(messages(&many(6))).status, 200);
    compressor.accept();
    let other = messages(&conversation(&prose()));
    assert_eq!(world.send(other).status, 200);
    assert_eq!(forwarded(&world.mock), prose());
    assert!(compressor.requests().is_empty(), "it was to be left alone");
}

fn external(settings: &mut Settings, kind: ProviderKind, at: &str, key: Option<&str>) {
    settings.tool_output.strategy = Strategy::ExternalProvider;
    settings.tool_output.provider = Some("other".to_owned());
    let provider = Provider {
        kind,
        auth: if key.is_some() { Auth::ApiKey } else { Auth::Oauth },
        endpoint: Some(at.parse().unwrap()),
        api_key: key.map(Secret::new),
        model: Some("small-model".to_owned()),
    };
    settings.providers.insert("other".to_owned(), provider);
}

#[test]
fn c8_another_model_is_asked_in_its_own_words_with_its_own_key() {
    for (kind, path, key_header) in [
        (ProviderKind::Anthropic, "/v1/messages", "x-api-key"),
        (ProviderKind::OpenAi, "/v1/chat/completions", "authorization"),
        (ProviderKind::Gemini, "/v1beta/models/small-model:generateContent", "x-goog-api-key"),
    ] {
        let other = Mock::start();
        other.reply("the short of it");
        let world = world_with(|settings| external(settings, kind, &other.url(), Some("own-key")));
        let text = asked(&world);
        assert!(text.starts_with("<<<SHADOW:") && text.ends_with("\nthe short of it"), "{text}");
        assert_eq!(other.refusals(), Vec::<String>::new());
        let asked = other.last();
        assert_eq!(asked.path_and_query, path);
        assert!(asked.header(key_header).ends_with("own-key"));
        let body = asked.json().to_string();
        assert!(body.contains("\"temperature\":0") && body.contains("DATA"), "{body}");
        assert!(body.contains("cargo test") && !body.contains("sk-client"), "{body}");
    }
}

#[test]
fn d16_a_strategy_that_fails_leaves_a_line_and_a_verdict_that_say_what_failed() {
    let lines = crate::telemetry::log();
    let compressor = MockCompressor::start();
    compressor.accept_key("another key");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.jsonl");
    let world = world_with(|settings| {
        // A key that the service does not know: 401.
        api(settings, &compressor);
        settings.monitoring.compression_log = Some(file.clone());
    });
    assert_eq!(asked(&world), prose());
    let [event] = crate::telemetry::events(&file, 1).try_into().unwrap();
    assert_eq!(event["verdict"], "strategy_failed", "{event}");
    assert_eq!(event["mapping_status"], "strategy_failed", "{event}");
    let error = event["strategy_error"].as_str().unwrap();
    assert!(error.contains("401"), "{error}");
    let logged = String::from_utf8_lossy(&lines.lock().unwrap()).into_owned();
    // Strategies of other tests fail too, and all write to one log.
    let is_of_the_key = |line: &&str| line.contains("a strategy failed") && line.contains("401");
    let line = logged.lines().find(is_of_the_key);
    let line = line.unwrap_or_else(|| panic!("no line in {logged}"));
    assert!(line.contains("WARN") && line.contains("api"), "{line}");
    assert!(!line.contains("api-key"), "{line}");
}

#[test]
fn g48_the_users_token_goes_to_no_other_vendor() {
    let other = Mock::start();
    for kind in [ProviderKind::Anthropic, ProviderKind::OpenAi, ProviderKind::Gemini] {
        let world = world_with(|settings| external(settings, kind, &other.url(), None));
        let ask = messages(&conversation(&prose())).header("authorization", "Bearer users-token");
        assert_eq!(world.send(ask).status, 200);
        assert_eq!(forwarded(&world.mock), prose());
    }
    assert!(other.requests().is_empty(), "{:?}", other.requests());
}

#[test]
fn c12_d15_the_users_token_goes_where_it_was_meant_for() {
    let world = world_with(|settings| {
        let backend = settings.upstreams.backend.clone().unwrap().to_string();
        external(settings, ProviderKind::Anthropic, &backend, None);
    });
    world.mock.reply("the short of it");
    world.mock.reply("ok");
    let ask = Ask::post("/v1/messages", conversation(&prose()).to_string());
    let ask = ask.header("anthropic-beta", "oauth-2025-04-20,claude-code-20250219");
    world.send(ask.header("authorization", "Bearer users-token").header("x-own", "stays"));
    let [first, second] = world.mock.requests().try_into().unwrap();
    assert_eq!(first.json()["model"], "small-model");
    assert_eq!(first.header("authorization"), "Bearer users-token");
    // D15: a token of a subscription is refused without the beta that it belongs to.
    assert_eq!(first.header("anthropic-beta"), "oauth-2025-04-20,claude-code-20250219");
    assert_eq!(first.header("x-own"), "");
    assert!(String::from_utf8_lossy(&second.body).contains("the short of it"));
    // Another vendor's shape at the same place is another vendor.
    let world = world_with(|settings| {
        let backend = settings.upstreams.backend.clone().unwrap().to_string();
        external(settings, ProviderKind::OpenAi, &backend, None);
    });
    let ask = Ask::post("/v1/messages", conversation(&prose()).to_string());
    world.send(ask.header("authorization", "Bearer users-token"));
    assert_eq!(world.mock.requests().len(), 1);
}

#[test]
fn c12_without_a_name_the_endpoint_and_key_of_api_are_used() {
    let other = Mock::start();
    other.reply("the short of it");
    let world = world_with(|settings| {
        settings.tool_output.strategy = Strategy::ExternalProvider;
        settings.tool_output.api.endpoint = Some(other.url().parse().unwrap());
        settings.tool_output.api.api_key = Some(Secret::new("inline-key"));
        settings.tool_output.api.model = Some("small-model".to_owned());
    });
    assert!(asked(&world).ends_with("the short of it"));
    assert_eq!(other.last().header("authorization"), "Bearer inline-key");
}
