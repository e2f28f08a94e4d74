//! Plugins that settings ask for.

use crate::kit::{world_of, world_with};
use crate::negotiation::{asked, tools};
use crate::routes::api;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokenforge_config::{PluginConfig, PluginSettings, Settings};
use tokenforge_formats::negotiate::Format;
use tokenforge_gateway::Gateway;
use tokenforge_mock::Reply;
use tokenforge_mock::client::{Ask, Open};
use tokenforge_plugin::{
    BodyNeed, BoxFuture, Context, Error, Flow, Phase, Phases, Plugin, Registry, factory,
};
use tokenforge_store::MemoryStore;

/// Takes a word out of answers, and writes down what it saw of them.
struct Redactor;

impl Plugin for Redactor {
    fn name(&self) -> &str {
        "redactor"
    }

    fn phases(&self) -> Phases {
        Phase::PostUpstream.into()
    }

    fn body(&self, _: Phase) -> BodyNeed {
        BodyNeed::Buffered { up_to: 1 << 20 }
    }

    fn call<'a>(&'a self, mut context: Context<'a>) -> BoxFuture<'a, Result<Flow, Error>> {
        Box::pin(async move {
            let text = String::from_utf8(context.response_body()?.to_vec())?;
            let is_json = text.starts_with(['[', '{']) && text.contains("\"key\"");
            context.response_headers_mut()?.insert("x-saw-json", is_json.to_string().parse()?);
            context.set_response_body(text.replace("sk-secret", "[removed]"))?;
            Ok(Flow::Continue)
        })
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn redactors() -> Registry {
    let mut registry = Registry::default();
    registry.register(factory("redactor", |_: Nothing| Ok(Redactor))).unwrap();
    registry
}

fn plugin(name: &str, priority: i32) -> PluginSettings {
    PluginSettings { priority, ..PluginSettings::named(name) }
}

#[test]
fn h10_redaction_comes_before_encoding_whatever_the_priorities() {
    let body =
        json!([{"key": "sk-secret", "n": 1}, {"key": "sk-secret", "n": 2}, {"key": "x", "n": 3}]);
    for (redactor, encoder) in [(-5, 5), (5, -5)] {
        let world = world_of(Arc::new(MemoryStore::default()), redactors(), |settings| {
            api(settings, "/api", Format::Json);
            settings.plugins =
                vec![plugin("toon", encoder), plugin("stc", encoder), plugin("redactor", redactor)];
        });
        for headers in [("accept-encoding", "stc"), ("x-prefer-format", "stc")] {
            let answer = asked(&world, &[headers], "application/json", &body.to_string());
            assert_eq!(answer.header("x-content-format"), "stc", "{headers:?}");
            assert_eq!(answer.header("x-saw-json"), "true");
            assert!(answer.text().contains("[removed]"), "{}", answer.text());
            assert!(!answer.text().contains("sk-secret"), "{}", answer.text());
        }
        let answer = asked(&world, &[], "application/json", &body.to_string());
        assert_eq!(answer.text(), body.to_string().replace("sk-secret", "[removed]"));
    }
}

#[test]
fn another_body_does_not_keep_the_tag_and_the_digest_of_the_first() {
    let world = world_of(Arc::new(MemoryStore::default()), redactors(), |settings| {
        api(settings, "/api", Format::Json);
        settings.plugins = vec![plugin("redactor", 0)];
    });
    let headers = [
        ("content-type", "application/json"),
        ("etag", "\"v1\""),
        ("content-digest", "sha-256=:x:"),
        ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
    ];
    for (body, tag) in [("{\"key\":\"sk-secret\"}", ""), ("{\"key\":1}", "\"v1\"")] {
        world.mock.reply_on("/", Reply::status(200, &headers, body));
        let answer = world.get("/api/rows");
        assert_eq!(answer.text(), body.replace("sk-secret", "[removed]"));
        assert_eq!(answer.header("etag"), tag);
        assert_eq!(answer.header("content-digest").is_empty(), tag.is_empty());
        assert_ne!(answer.header("last-modified"), "");
    }
}

/// How many requests each of the clients sends.
const EACH: usize = 60;

#[test]
fn h12_no_request_fails_while_plugins_and_routes_are_swapped() {
    let world = tools();
    let rows = crate::kit::rows();
    for _ in 0..4 * EACH {
        let reply = Reply::status(200, &[("content-type", "application/json")], rows.clone());
        world.mock.reply_on("/rows", reply);
    }
    let settings = world.gateway.settings();
    let mut off = settings.clone();
    off.plugins = ["stc", "toon"]
        .map(|name| PluginSettings { enabled: false, ..PluginSettings::named(name) })
        .to_vec();
    let mut capped = settings.clone();
    let config = PluginConfig::new(json!({"max_bytes": 10}));
    capped.plugins = vec![PluginSettings { config, ..plugin("stc", 3) }];
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking = || {
            for _ in 0..EACH {
                let ask = Ask::new("GET", "/api/rows").header("accept-encoding", "stc");
                let answer = Open::asking(world.address, &ask).answer();
                assert!(answer.is_whole && answer.status == 200, "{answer:?}");
                match answer.header("content-encoding") {
                    "stc" => assert!(answer.body.len() < rows.len()),
                    _ => assert_eq!(answer.text(), rows),
                }
            }
        };
        let askers: Vec<_> = (0..4).map(|_| scope.spawn(asking)).collect();
        scope.spawn(|| {
            for next in [&off, &capped, &settings].into_iter().cycle() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                world.gateway.reconfigure(next.clone()).unwrap();
                std::thread::yield_now();
            }
        });
        let results: Vec<_> = askers.into_iter().map(|asker| asker.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(results.iter().all(Result::is_ok));
    });
}

#[test]
fn h12_settings_that_make_no_plugin_change_nothing() {
    let world = tools();
    let mut settings = world.gateway.settings();
    settings.plugins.push(PluginSettings::named("unheard-of"));
    settings.routes.clear();
    assert!(world.gateway.reconfigure(settings).is_err());
    assert!(world.gateway.settings().routes.contains_key("/api"));
    assert!(world.gateway.settings().plugins.is_empty());
}

/// Why a gateway does not start with such a plugin.
fn refused(name: &str, config: serde_json::Value) -> String {
    let mut settings = Settings::default();
    let config = PluginConfig::new(config);
    settings.plugins.push(PluginSettings { config, ..PluginSettings::named(name) });
    let checked = Gateway::check(&settings).unwrap_err().to_string();
    let error = Gateway::new(settings, Arc::new(MemoryStore::default())).err().unwrap();
    assert_eq!(error.to_string(), checked);
    checked
}

#[test]
fn h13_an_unknown_plugin_or_key_stops_the_start_and_is_named() {
    let unknown = refused("pii-filtr", json!({}));
    assert!(unknown.contains("no plugin is called `pii-filtr`"), "{unknown}");
    assert!(unknown.contains("`stc`") && unknown.contains("`toon`"), "{unknown}");
    let key = refused("stc", json!({"max_byte": 1}));
    assert_eq!(key, "plugin `stc`: unknown key `max_byte`; it takes `max_bytes`");
    let value = refused("toon", json!({"max_bytes": "sk-canary"}));
    assert!(value.contains("plugin `toon`") && !value.contains("canary"), "{value}");
}

#[test]
fn h13_a_plugin_that_is_off_is_checked_too() {
    let mut settings = Settings::default();
    let config = PluginConfig::new(json!({"no": 1}));
    settings.plugins.push(PluginSettings {
        enabled: false,
        config,
        ..PluginSettings::named("stc")
    });
    assert!(Gateway::check(&settings).is_err());
}

#[test]
fn calls_are_counted_by_plugin_and_phase_and_go_on_over_a_reload() {
    let world = world_with(|settings| api(settings, "/api", Format::Json));
    let count = || {
        let metrics = world.get("/_forge/metrics").text();
        let line = metrics.lines().find(|line| {
            line.contains("plugin=\"stc\"")
                && line.contains("post_upstream")
                && line.contains("calls")
        });
        let line = line.unwrap_or_else(|| panic!("{metrics}"));
        line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    asked(&world, &[], "application/json", "{}");
    assert_eq!(count(), 0, "no request asked for its format");
    asked(&world, &[("accept-encoding", "stc")], "application/json", "{}");
    assert_eq!(count(), 1);
    world.gateway.reconfigure(world.gateway.settings()).unwrap();
    asked(&world, &[("accept-encoding", "stc")], "application/json", "{}");
    assert_eq!(count(), 2);
}

#[test]
fn h2_what_an_answer_varies_by_is_said_whatever_a_plugin_writes_there() {
    let world = world_with(|settings| {
        api(settings, "/api", Format::Json);
        let config = PluginConfig::new(json!({"response": {"set": {"vary": "Origin"}}}));
        settings.plugins.push(PluginSettings { config, ..PluginSettings::named("header-inject") });
    });
    let answer = asked(&world, &[], "application/json", "{}");
    let lines = answer.headers.iter().filter(|(name, _)| name == "vary");
    let lines: Vec<&str> = lines.map(|(_, value)| value.as_str()).collect();
    let ours = "Accept, Accept-Encoding, X-Prefer-Format, X-STC-Version";
    assert_eq!(lines, ["Origin", ours]);
}
