//! What may change while the gateway runs, and what is shown of settings.

use crate::kit::file;
use serde_json::{Value, json};
use tokenforge_config::{SETTINGS, Settings, TakesEffect};

/// Settings with a secret wherever one can be.
fn with_secrets() -> Settings {
    file(
        "keys: {team: sk-canary-1}\nadmin_token: sk-canary-2\n\
         store: {url: \"rediss://user:sk-canary-3@redis.example:6380/1\", key: sk-canary-4}\n\
         routes: {/github: {url: \"https://api.github.com\", headers: {authorization: Bearer sk-canary-7}}}\n\
         plugins: [{name: header-inject, config: {headers: {x-key: sk-canary-8}, count: 3}}]\n\
         providers: {openai: {api_key: sk-canary-5, model: m}}\n\
         pipes: {tool_output: {api: {api_key: sk-canary-6}, mode: safe, provider: openai}}\n",
    )
    .expect("these are settings")
}

#[test]
fn l10_what_is_shown_has_no_secret() {
    let settings = with_secrets();
    let shown = [
        settings.show(),
        settings.to_json().to_string(),
        settings.changeable_json().to_string(),
        format!("{settings:?}"),
        format!("{settings:#?}"),
    ];
    for text in shown {
        assert!(!text.contains("canary"), "{text}");
    }
    assert_eq!(settings.to_json()["store"]["url"], "rediss://***@redis.example:6380/1");
}

#[test]
fn what_is_shown_is_what_is_in_effect() {
    let text = "pipes: {tool_output: {mode: safe}}\nlimits: {first_byte_timeout: 90s}\n\
                store: {max_bytes: 128MiB}";
    let shown = file(text).unwrap().show();
    assert!(shown.contains("mode: safe") && shown.contains("first_byte_timeout: 90s"), "{shown}");
    assert!(shown.contains("anthropic: https://api.anthropic.com\n"), "{shown}");
    assert!(shown.contains("max_bytes: 128MiB") && shown.contains("original_ttl: 24h"), "{shown}");
}

#[test]
fn a_change_changes_what_it_names_and_nothing_else() {
    let settings = with_secrets();
    let changed = settings
        .patched(&json!({"pipes": {"tool_output": {"mode": "lossless"}}, "toon": {"min_bytes": 9}}))
        .unwrap();
    let mut expected = settings.clone();
    expected.tool_output.mode = tokenforge_engine::Mode::Lossless;
    expected.toon.min_bytes = 9;
    assert_eq!(changed, expected);
}

#[test]
fn what_can_be_changed_can_be_given_back_as_it_was_shown() {
    let settings = with_secrets();
    assert_eq!(settings.patched(&settings.changeable_json()), Ok(settings.clone()));
    assert_eq!(settings.patched(&json!({})), Ok(settings));
}

#[test]
fn null_is_the_default() {
    let mut settings = with_secrets();
    settings.tool_output.target_ratio = Some(0.5);
    let patch = json!({"pipes": {"tool_output": {"mode": null, "target_ratio": null}}});
    let tool_output = settings.patched(&patch).unwrap().tool_output;
    assert_eq!(tool_output.mode, Settings::default().tool_output.mode);
    assert_eq!(tool_output.target_ratio, None);
    assert_eq!(tool_output.api, settings.tool_output.api, "what it does not name stays");
}

#[test]
fn what_cannot_change_is_refused_and_told_what_can() {
    let cases = [
        (
            json!({"listen": "127.0.0.1:1"}),
            "listen: cannot be changed here, edit the file; only settings that apply at once",
        ),
        (json!({"store": {"url": "memory:"}}), "store.url: cannot be changed here"),
        (
            json!({"monitoring": {"compression_log": "/etc/passwd"}}),
            "monitoring.compression_log: cannot",
        ),
        (json!({"keys": {"me": "mine"}}), "keys: cannot"),
        (json!({"upstreams": {"openai": "http://evil"}}), "upstreams.openai: cannot"),
        (json!({"tool_output": {}}), "tool_output: there is no such setting"),
        (
            json!({"pipes": {"tool_output": {"mode": "turbo"}}}),
            "pipes.tool_output.mode: expected disabled",
        ),
        (json!({"pipes": {"tool_output": {"min_bytes": 99_999_999}}}), "is not below"),
        (
            json!({"pipes": {"tool_output": {"provider": "unknown"}}}),
            "pipes.tool_output.provider: cannot",
        ),
        (json!({"pipes": null}), "pipes: expected an object"),
        (json!([1]), "expected an object"),
        (json!("mode"), "expected an object"),
    ];
    for (patch, expected) in cases {
        let message = Settings::default().patched(&patch).unwrap_err().to_string();
        assert!(message.contains(expected), "{patch}: {message}");
    }
}

#[test]
fn only_what_needs_a_restart_is_said_to_need_one() {
    let old = with_secrets();
    let mut new = old.clone();
    assert_eq!(old.restart_needed(&new), Vec::<&str>::new());
    new.tool_output.min_bytes = 1;
    new.limits.first_byte_timeout *= 2;
    assert_eq!(old.restart_needed(&new), Vec::<&str>::new());
    new.listen.set_port(1);
    new.store.key = None;
    new.store.url =
        file("store: {url: \"rediss://user:other@redis.example:6380/1\"}").unwrap().store.url;
    assert_eq!(old.restart_needed(&new), ["listen", "store.url", "store.key"]);
}

#[test]
fn what_is_changeable_is_what_the_table_says() {
    let changeable = Settings::default().changeable_json();
    let found =
        |path: &str| path.split('.').try_fold(&changeable, |tree: &Value, key| tree.get(key));
    for setting in SETTINGS {
        let is_changeable = setting.change == TakesEffect::AtOnce;
        assert_eq!(found(setting.path).is_some(), is_changeable, "{}", setting.path);
    }
}

/// What may be changed over HTTP. A new setting is not: add one here only if it names no host, no key, no file and no
/// safety switch.
const CHANGEABLE: &[&str] = &[
    "pipes.tool_output.enabled",
    "pipes.tool_output.mode",
    "pipes.tool_output.method",
    "pipes.tool_output.max_output_bytes",
    "pipes.tool_output.json_formats",
    "pipes.tool_output.model_class",
    "pipes.tool_output.dedup",
    "pipes.tool_output.skip_tools",
    "pipes.tool_output.min_bytes",
    "pipes.tool_output.max_bytes",
    "pipes.tool_output.target_ratio",
    "pipes.tool_output.enable_expand_context",
    "pipes.tool_output.include_expand_hint",
    "pipes.tool_output.expand_injection",
    "pipes.tool_output.expand_by",
    "pipes.tool_output.old_results",
    "pipes.tool_output.rate_per_second",
    "pipes.tool_output.max_concurrent",
    "schema_compression",
    "toon.enabled",
    "toon.min_bytes",
    "toon.fail_open",
    "toon.log_stats",
    "monitoring.log_level",
];

#[test]
fn d61_nothing_that_names_a_host_a_key_or_a_safety_switch_can_be_changed() {
    let changeable = SETTINGS.iter().filter(|setting| setting.change == TakesEffect::AtOnce);
    assert_eq!(changeable.map(|setting| setting.path).collect::<Vec<_>>(), CHANGEABLE);
    for setting in SETTINGS.iter().filter(|setting| setting.change != TakesEffect::AtOnce) {
        let keys = setting.path.split('.').rev();
        for value in [json!("x"), Value::Null] {
            let patch = keys.clone().fold(value, |inner, key| json!({ key: inner }));
            let message = with_secrets().patched(&patch).unwrap_err().to_string();
            let expected = format!("{}: cannot be changed here, edit the file", setting.path);
            assert!(message.contains(&expected), "{message}");
        }
    }
}
