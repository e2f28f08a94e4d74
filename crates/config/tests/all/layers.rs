//! Flags over the environment over the file over the default.

use crate::kit::{file, load, variables};
use serde_json::json;
use tokenforge_config::{
    ConfigFile, Origins, Overrides, SETTINGS, SchemaCompression, Secret, SettingOrigin, Settings,
    StoreUrl, overview,
};
use tokenforge_engine::Mode;

#[test]
fn f2_each_layer_is_over_the_one_before() {
    let text = "pipes: {tool_output: {mode: safe}}";
    let mode = [("FORGE_TOOL_OUTPUT_COMPRESSION", "lossless")];
    let flag =
        Overrides { tool_output_compression: Some("aggressive".into()), ..Overrides::default() };
    assert_eq!(file(text).unwrap().tool_output.mode, Mode::Safe);
    let from_environment = load(text, &mode, &Overrides::default()).unwrap();
    assert_eq!(from_environment.tool_output.mode, Mode::Lossless);
    assert_eq!(load(text, &mode, &flag).unwrap().tool_output.mode, Mode::Aggressive);
}

#[test]
fn a_layer_leaves_what_it_does_not_name() {
    let text =
        "pipes: {tool_output: {mode: safe, api: {model: m, timeout: 5s}}}\ntoon: {min_bytes: 1}";
    let timeout = [("FORGE_TOOL_OUTPUT_API_TIMEOUT", "7s"), ("TOON_ENABLED", "1")];
    let settings = load(text, &timeout, &Overrides::default()).unwrap();
    assert_eq!(settings.tool_output.mode, Mode::Safe);
    assert_eq!(settings.tool_output.api.model.as_deref(), Some("m"));
    assert_eq!(settings.tool_output.api.timeout.as_secs(), 7);
    assert_eq!((settings.toon.enabled, settings.toon.min_bytes), (true, 1));
}

#[test]
fn every_flag_sets_its_setting() {
    let settings = load(
        "",
        &[],
        &Overrides {
            listen: Some("[::1]:9".into()),
            backend_url: Some("http://localhost:8080".into()),
            tool_output_compression: Some("observe".into()),
            tool_output_compression_method: Some("repair".into()),
            schema_compression: Some("minify".into()),
            redact_secrets: true,
            store: Some("disk:/var/lib/forge".into()),
            tls_cert: Some("shown.pem".into()),
            tls_key: Some("secret.pem".into()),
        },
    )
    .unwrap();
    assert_eq!(settings.listen.to_string(), "[::1]:9");
    assert_eq!(settings.upstreams.backend.unwrap().to_string(), "http://localhost:8080/");
    assert_eq!(settings.tool_output.mode, Mode::Observe);
    assert_eq!(settings.tool_output.method.name(), "repair");
    assert_eq!(settings.schema_compression, SchemaCompression::Minify);
    assert!(settings.redact_secrets);
    assert_eq!(settings.store.url, StoreUrl::Disk("/var/lib/forge".into()));
    assert_eq!(settings.tls.cert, Some("shown.pem".into()));
    assert_eq!(settings.tls.key, Some("secret.pem".into()));
}

#[test]
fn variables_hold_lists_and_keys_as_one_text() {
    let settings = variables(&[
        ("FORGE_TOOL_OUTPUT_SKIP_TOOLS", "read, get_invoice"),
        ("FORGE_TOOL_OUTPUT_JSON_FORMATS", "json,toon"),
        ("FORGE_KEYS", "team=sk-1, other=sk=2"),
        ("FORGE_LISTEN", "0.0.0.0:80"),
    ])
    .unwrap();
    assert_eq!(settings.tool_output.skip_tools, ["read", "get_invoice"]);
    assert_eq!(settings.tool_output.json_formats.len(), 2);
    let key = settings.keys.iter().find(|key| key.name == "other").unwrap();
    assert_eq!(key.key, Secret::new("sk=2"));
}

#[test]
fn an_empty_variable_is_not_set() {
    assert!(variables(&[("FORGE_LISTEN", ""), ("TOON_ENABLED", "")]).is_ok());
}

#[test]
fn variables_may_stand_in_any_value_of_a_file() {
    let text = "pipes: {tool_output: {min_bytes: \"${MIN}\", enabled: \"${ON:-false}\"}}\n\
                keys: {team: \"a${KEY}c\"}\nstore: {url: \"disk:$${x}\"}";
    let settings =
        load(text, &[("MIN", "77"), ("KEY", "b\": x"), ("ON", "")], &Overrides::default());
    let error = settings.unwrap_err();
    assert_eq!(error.iter().next().unwrap().key, "keys.team", "a key has no spaces: {error}");
    let settings = load(text, &[("MIN", "77"), ("KEY", "b")], &Overrides::default()).unwrap();
    assert_eq!(settings.tool_output.min_bytes, 77);
    assert!(!settings.tool_output.enabled);
    assert_eq!(settings.keys[0].key.expose(), "abc");
    assert_eq!(settings.store.url, StoreUrl::Disk("${x}".into()));
}

#[test]
fn an_error_says_which_layer_is_wrong() {
    let wrong = Overrides { listen: Some("nowhere".into()), ..Overrides::default() };
    let error = load("", &[], &wrong).unwrap_err();
    assert_eq!(error.iter().next().unwrap().place, SettingOrigin::Flag("--listen"));
    let error = variables(&[("TOON_MIN_BYTES", "many")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "variable TOON_MIN_BYTES: toon.min_bytes: expected a number of bytes, such as 65536, 64KiB or 64MiB, found `many`"
    );
}

#[test]
fn a_value_is_the_text_that_is_written() {
    let text = "\u{feff}# é\nkeys: {a: 007, b: 1e3, c: &c 0x1F, d: \"008\"}\nadmin_token: true\nstore: {key: *c}";
    // An alias of a key is a key; only clients' keys must differ.
    let settings = file(text).unwrap();
    let keys: Vec<&str> = settings.keys.iter().map(|key| key.key.expose()).collect();
    assert_eq!(keys, ["007", "1e3", "0x1F", "008"]);
    assert_eq!(settings.admin_token.unwrap().expose(), "true");
    assert_eq!(settings.store.key.unwrap().expose(), "0x1F");
}

#[test]
fn each_value_is_told_where_it_is_from() {
    let text =
        "pipes:\n  tool_output:\n    mode: safe\n    min_bytes: 4KiB\n    dedup:\nkeys: {me: k}\n";
    let file = ConfigFile { name: "tokenforge.yaml", text };
    let environment =
        |name: &str| (name == "FORGE_TOOL_OUTPUT_MIN_BYTES").then(|| "8KiB".to_owned());
    let flags = Overrides { listen: Some("127.0.0.1:1".to_owned()), ..Overrides::default() };
    let mut origins = Origins::read(Some(file), &environment, &flags).unwrap();
    let said = |origins: &Origins, path: &str| origins.of(path).map(ToString::to_string);
    let expected = [
        ("pipes.tool_output.mode", Some("tokenforge.yaml:3:5")),
        ("pipes.tool_output.min_bytes", Some("variable FORGE_TOOL_OUTPUT_MIN_BYTES")),
        ("pipes.tool_output.dedup", None),
        ("keys", Some("tokenforge.yaml:6:1")),
        ("listen", Some("flag --listen")),
        ("redact_secrets", None),
    ];
    for (path, place) in expected {
        assert_eq!(said(&origins, path).as_deref(), place, "{path}");
    }
    origins.change(&json!({"pipes": {"tool_output": {"mode": "lossless", "min_bytes": null}}}));
    origins.change(&json!({"listen": "127.0.0.1:2"}));
    assert_eq!(said(&origins, "pipes.tool_output.mode").as_deref(), Some("change"));
    assert_eq!(said(&origins, "pipes.tool_output.min_bytes"), None);
    assert_eq!(said(&origins, "listen").as_deref(), Some("flag --listen"));
}

#[test]
fn the_overview_says_what_a_value_is_may_be_and_comes_from() {
    let settings = Settings { redact_secrets: true, ..Settings::default() };
    let all = overview(&settings, &Origins::default());
    assert_eq!(all.len(), SETTINGS.len());
    let of = |path: &str| all.iter().find(|setting| setting["path"] == path).unwrap();
    let mode = of("pipes.tool_output.mode");
    assert_eq!((&mode["kind"], &mode["change"]), (&json!("choice"), &json!("at_once")));
    assert_eq!(mode["choices"].as_array().unwrap().len(), 6);
    assert_eq!(of("redact_secrets")["kind"], "flag");
    assert_eq!(of("redact_secrets")["origin"]["from"], "program");
    assert_eq!(of("pipes.tool_output.skip_tools")["kind"], "list");
    assert_eq!(of("pipes.tool_output.min_bytes")["kind"], "text");
    assert_eq!(of("listen")["origin"]["from"], "default");
}

#[test]
fn texts_are_kept_by_default_only_on_loopback_without_keys() {
    let bytes = |text: &str| file(text).unwrap().content_bytes();
    assert_eq!(bytes(""), 16 << 20);
    assert_eq!(bytes("listen: \"[::1]:8787\""), 16 << 20);
    assert_eq!(bytes("listen: \"0.0.0.0:8787\"\nallow_public: true"), 0);
    assert_eq!(bytes("keys: {team: 0123456789abcdef}"), 0);
    assert_eq!(bytes("monitoring: {content_bytes: 0}"), 0);
    assert_eq!(bytes("keys: {team: 0123456789abcdef}\nmonitoring: {content_bytes: 1MiB}"), 1 << 20);
}
