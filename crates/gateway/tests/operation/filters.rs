//! The plugins that come with the gateway, at work in it.

use crate::kit::{Ask, World, conversation, forwarded, messages, world_of, world_with};
use crate::negotiation::asked;
use crate::routes::api;
use crate::speaker::Speaker;
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_config::{OnError, PluginConfig, PluginSettings};
use tokenforge_mock::{Encoding, Reply};
use tokenforge_negotiate::Format;
use tokenforge_plugin::Registry;
use tokenforge_store::MemoryStore;

const JSON: &str = "application/json";
const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

fn plugin(name: &str, config: Value) -> PluginSettings {
    let config = PluginConfig::new(config);
    PluginSettings { config, on_error: OnError::Closed, ..PluginSettings::named(name) }
}

/// A gateway with a route `/api` and this plugin, which must not fail.
fn world(name: &str, config: Value) -> World {
    world_with(|settings| {
        api(settings, "/api", Format::Json);
        settings.plugins = vec![plugin(name, config)];
    })
}

#[test]
fn s9_nothing_personal_reaches_the_provider_and_the_body_stays_what_it_was() {
    let world = world("pii-filter", json!({}));
    let mut body = conversation("Mail from bob@example.com\nat 203.0.113.9");
    body["messages"][0]["content"] = "Call me: +49 151 12345678".into();
    assert_eq!(world.send(messages(&body)).status, 200);
    assert_eq!(forwarded(&world.mock), "Mail from [EMAIL]\nat [IP]");
    let sent = world.mock.last().json();
    assert_eq!(sent["messages"][0]["content"], "Call me: [PHONE]");
    assert_eq!(sent["messages"][1], body["messages"][1]);
    assert_eq!(sent["tools"][0], body["tools"][0]);
}

#[test]
fn i16_h10_what_is_personal_is_gone_before_an_answer_is_encoded() {
    let rows: Vec<Value> =
        (0..9).map(|n| json!({"id": n, "mail": format!("user{n}@example.com")})).collect();
    let body = serde_json::to_string_pretty(&rows).unwrap();
    let world = world("pii-filter", json!({}));
    for (name, value) in
        [("accept-encoding", "stc"), ("x-prefer-format", "toon"), ("accept", "*/*")]
    {
        let answer = asked(&world, &[(name, value)], JSON, &body);
        assert!(answer.text().contains("[EMAIL]"), "{name}: {}", answer.text());
        assert!(!answer.text().contains("@example.com"), "{name}: {}", answer.text());
        assert_eq!(answer.header("x-content-format"), if name == "accept" { "" } else { value });
    }
}

#[test]
fn s9_answers_are_filtered_though_compressed_or_of_unknown_length() {
    let world = world("pii-filter", json!({}));
    let reply = Reply::status(200, &[("content-type", JSON)], "{\"mail\":\"bob@example.com\"}");
    world.mock.reply_on("/", reply.encoded(Encoding::Gzip));
    let answer = world.send(Ask::new("GET", "/api/rows").header("accept-encoding", "gzip"));
    assert_eq!(answer.text(), "{\"mail\":\"[EMAIL]\"}");
    assert_eq!(answer.header("content-encoding"), "");

    let speaker = Speaker::of(JSON);
    let world = world_with(|settings| {
        api(settings, "/api", Format::Json);
        settings.routes.get_mut("/api").unwrap().url = speaker.url();
        settings.plugins = vec![plugin("pii-filter", json!({}))];
    });
    let mut open = world.open(&Ask::new("GET", "/api/rows"));
    speaker.say("{\"mail\":\"bob@exa");
    speaker.say("mple.com\"}");
    speaker.end();
    assert_eq!(open.rest_of_answer().text(), "{\"mail\":\"[EMAIL]\"}");
}

#[test]
fn s9_a_stream_of_events_passes_a_filter_at_once() {
    let speaker = Speaker::of("text/event-stream");
    let world = world_with(|settings| {
        api(settings, "/api", Format::Json);
        settings.routes.get_mut("/api").unwrap().url = speaker.url();
        settings.plugins = vec![plugin("pii-filter", json!({}))];
    });
    let mut open = world.open(&Ask::new("GET", "/api/events"));
    speaker.say("data: one\n\n");
    open.until("data: one");
    speaker.end();
}

#[test]
fn s9_a_request_with_a_secret_is_refused_before_any_upstream() {
    let world = world("secrets-detector", json!({"action": "refuse"}));
    let answer = world.send(messages(&conversation(&format!("token {TOKEN}"))));
    assert_eq!(answer.status, 403);
    assert!(answer.text().contains("github") && !answer.text().contains(&TOKEN[4..]));
    assert!(world.mock.requests().is_empty());
}

#[test]
fn s9_a_secret_in_an_answer_is_redacted_before_it_is_encoded() {
    let world = world("secrets-detector", json!({}));
    let body = json!([{"id": 1, "token": TOKEN}, {"id": 2, "token": "none"}]).to_string();
    let answer = asked(&world, &[("x-prefer-format", "auto")], JSON, &body);
    assert!(answer.text().contains("[REDACTED:") && !answer.text().contains(&TOKEN[4..]));
}

#[test]
fn h11_who_comes_from_elsewhere_reaches_no_upstream() {
    let closed = world("ip-allow", json!({"allow": ["10.0.0.0/8"]}));
    assert_eq!(closed.send(messages(&conversation("x"))).status, 403);
    assert_eq!(closed.get("/_forge/healthz").status, 403);
    assert_eq!(closed.mock.requests().len(), 0);
    let open = world("ip-allow", json!({"allow": ["127.0.0.0/8"]}));
    assert_eq!(open.send(messages(&conversation("x"))).status, 200);
}

#[test]
fn headers_are_injected_on_the_way_there_and_back() {
    let world = world(
        "header-inject",
        json!({
            "request": {"set": {"x-team": "forge"}, "remove": ["x-client-note"]},
            "response": {"set": {"x-served-by": "forge"}, "remove": ["x-powered-by"]},
        }),
    );
    world.mock.reply_on(
        "/",
        Reply::status(200, &[("content-type", JSON), ("x-powered-by", "php")], "{}"),
    );
    let answer = world.send(Ask::new("GET", "/api/rows").header("x-client-note", "hi"));
    assert_eq!(world.mock.last().header("x-team"), "forge");
    assert_eq!(world.mock.last().header("x-client-note"), "");
    assert_eq!(answer.header("x-served-by"), "forge");
    assert_eq!(answer.header("x-powered-by"), "");
}

#[test]
fn a_webassembly_module_is_a_plugin_like_any_other() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/plugin-wasm/stamp.wat");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stamp.wasm");
    std::fs::write(&file, wat::parse_file(example).unwrap()).unwrap();
    let mut registry = Registry::default();
    if !cfg!(feature = "wasm") {
        registry.register(tokenforge_plugin_wasm::factory()).unwrap();
    }
    let world = world_of(Arc::new(MemoryStore::default()), registry, |settings| {
        api(settings, "/api", Format::Json);
        settings.plugins = vec![plugin("wasm", json!({"module": file}))];
    });
    let answer = asked(&world, &[], JSON, "{}");
    assert_eq!((answer.status, answer.header("x-stamp")), (200, "wasm"));
    assert!(world.get("/_forge/metrics").text().contains("plugin=\"stamp\""));
}
