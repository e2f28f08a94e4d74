//! A key that does not exist or a value that is not allowed stops with a message that helps.

use crate::kit::{file, load, variables};
use tokenforge_config::{ConfigFile, Overrides, Settings};

/// What a file that is wrong is told.
fn told(text: &str) -> String {
    file(text).expect_err(text).to_string()
}

#[test]
fn the_message_names_file_line_key_and_what_is_allowed() {
    let message = told("# settings\npipes:\n  tool_output:\n    enabled: true\n    mode: turbo\n");
    assert_eq!(
        message,
        "tokenforge.yaml:5:5: pipes.tool_output.mode: expected disabled, observe, safe, lossless, standard or \
         aggressive, found `turbo`"
    );
}

#[test]
fn a_key_that_does_not_exist_is_told_the_nearest() {
    let cases = [
        (
            "lisen: 1",
            "tokenforge.yaml:1:1: lisen: there is no such setting; did you mean `listen`?",
        ),
        (
            "\n\npipes: {tool_output: {minbytes: 1}}",
            "tokenforge.yaml:3:23: pipes.tool_output.minbytes: there is no such setting; did you mean `min_bytes`?",
        ),
        (
            "pipes: {tool_output: {api: {key: x}}}",
            "pipes.tool_output.api.key: there is no such setting",
        ),
        (
            "providers: {openai: {modle: x}}",
            "providers.openai.modle: there is no such setting; did you mean `model`?",
        ),
        ("pipes: {zzz: 1}", "pipes.zzz: there is no such setting; this section has tool_output"),
    ];
    for (text, expected) in cases {
        let message = told(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn every_bad_value_is_refused() {
    let cases = [
        ("listen: 8787", "listen: expected an address and a port"),
        ("allow_public: yes", "expected true or false, found `yes`"),
        (
            "pipes: {tool_output: {target_ratio: 0.95}}",
            "expected a number from 0.1 to 0.9, found `0.95`",
        ),
        ("pipes: {tool_output: {min_bytes: -1}}", "expected a number of bytes"),
        ("pipes: {tool_output: {max_output_bytes: 0}}", "expected a number of bytes of 1 or more"),
        ("pipes: {tool_output: {api: {timeout: 30}}}", "expected a time such as"),
        ("pipes: {tool_output: {rate_per_second: 0}}", "expected a positive integer"),
        (
            "pipes: {tool_output: {strategy: magic}}",
            "expected passthrough, simple, api or external_provider",
        ),
        ("pipes: {tool_output: {fallback_strategy: api}}", "expected passthrough, simple or error"),
        (
            "pipes: {tool_output: {expand_injection: later}}",
            "expected when_it_pays, from_start or when_referenced",
        ),
        (
            "pipes: {tool_output: {json_formats: [xml]}}",
            "pipes.tool_output.json_formats[0]: expected json, toon, stc, stc1, stc2, stc2_shared or table",
        ),
        ("pipes: {tool_output: {json_formats: []}}", "at least one of"),
        ("pipes: {tool_output: {skip_tools: {a: b}}}", "expected a list"),
        ("pipes: [a]", "pipes: expected keys with values, found a list"),
        ("pipes: 5", "expected a section"),
        ("toon: [true, 1, true, true]", "toon: expected keys with values, found a list"),
        ("prices: {m: [1, 2, 3, 4]}", "prices.m: expected keys with values, found a list"),
        ("true", "expected a file of settings"),
        ("[1, 2]", "expected keys with values, found a list"),
        ("upstreams: {openai: ftp://x}", "upstreams.openai: expected http:// or https://"),
        ("upstreams: {openai: api.openai.com}", "expected http:// or https://"),
        ("upstreams: {target_allow: [http://x]}", "expected a host or host:port"),
        ("upstreams: {aws_signing: all}", "expected own_key, callers or never, found `all`"),
        ("store: {url: \"mysql://x\"}", "expected memory:, disk:PATH"),
        ("store: {url: \"redis:\"}", "expected memory:, disk:PATH"),
        ("store: {original_ttl: 0s}", "expected a time"),
        ("schema_compression: zip", "expected disabled, minify or compact, found `zip`"),
        ("monitoring: {log_level: loud}", "expected off, error, warn, info, debug or trace"),
        ("prices: {m: {input: 3}}", "missing field `output`"),
        ("prices: {m: {input: -3, output: 1}}", "expected dollars per million tokens"),
        ("providers: {mine: {model: m}}", "providers.mine.kind: is required"),
        ("providers: {openai: {auth: api_key}}", "providers.openai.api_key: is required"),
        ("keys: {team: \"\"}", "keys.team: expected a key"),
        ("keys: {team: \"***\"}", "not the mask ***"),
        ("admin_token: ${", "admin_token: `${` without `}`"),
    ];
    for (text, expected) in cases {
        let message = told(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn values_that_do_not_go_together_are_refused() {
    let cases = [
        (
            "listen: 0.0.0.0:8787",
            "can be reached from other machines: set `keys`, or `allow_public: true`",
        ),
        ("keys: {a: k, b: k}", "keys.b: has the same key as `a`"),
        ("tls: {cert: a.pem}", "tls.key: is required by `tls.cert`"),
        ("tls: {key: a.pem}", "tls.cert: is required by `tls.key`"),
        ("upstreams: {aws_signing: callers}", "upstreams.aws_signing: `callers` needs `keys`"),
        ("pipes: {tool_output: {min_bytes: 9, max_bytes: 9}}", "9 is not below 9"),
        ("pipes: {tool_output: {strategy: api}}", "pipes.tool_output.api.endpoint: is required"),
        (
            "pipes: {tool_output: {strategy: external_provider}}",
            "pipes.tool_output.provider: is required",
        ),
        ("pipes: {tool_output: {provider: x}}", "`x` is not in `providers`, which has none"),
        (
            "providers: {openai: {api_key: k}}\npipes: {tool_output: {strategy: external_provider, provider: openai}}",
            "providers.openai.model: is required",
        ),
    ];
    for (text, expected) in cases {
        let message = told(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert!(file("listen: 0.0.0.0:1\nallow_public: true").is_ok());
    assert!(file("listen: 0.0.0.0:1\nkeys: {a: k}").is_ok());
}

#[test]
fn every_mistake_is_listed_with_its_line_and_column() {
    let text = "lisen: 127.0.0.1:1
pipes:
  tool_output:
    mode: turbo
    skip_tools: [edit, \"${NOT_SET}\", \"\", read, \" \"]
    json_formats: [xml, json, yaml]
prices:
  gpt-4.1: {input: cheap, output: 1}
routes:
  /github: {url: \"${NOT_SET}\"}
store: {original_ttl: 0s}
keys: {a: same, b: same}
";
    let environment = |name: &str| (name == "TOON_MIN_BYTES").then(|| "many".to_owned());
    let flags = Overrides { store: Some("mysql:".to_owned()), ..Overrides::default() };
    let file = ConfigFile { name: "tokenforge.yaml", text };
    let errors = Settings::load(Some(file), &environment, &flags).unwrap_err();
    let found: Vec<String> =
        errors.iter().map(|error| format!("{} {}", error.place, error.key)).collect();
    assert_eq!(
        found,
        [
            "tokenforge.yaml:1:1 lisen",
            "tokenforge.yaml:4:5 pipes.tool_output.mode",
            "tokenforge.yaml:5:24 pipes.tool_output.skip_tools[1]",
            "tokenforge.yaml:5:38 pipes.tool_output.skip_tools[2]",
            "tokenforge.yaml:5:48 pipes.tool_output.skip_tools[4]",
            "tokenforge.yaml:6:20 pipes.tool_output.json_formats[0]",
            "tokenforge.yaml:6:31 pipes.tool_output.json_formats[2]",
            "tokenforge.yaml:8:13 prices.gpt-4.1.input",
            "tokenforge.yaml:10:13 routes./github.url",
            "tokenforge.yaml:11:9 store.original_ttl",
            "variable TOON_MIN_BYTES toon.min_bytes",
            "flag --store store.url",
            "tokenforge.yaml:12:17 keys.b",
        ],
        "{errors}"
    );
    assert_eq!(errors.to_string().lines().count(), found.len());
}

#[test]
fn what_depends_on_a_mistake_is_not_reported_as_another() {
    let text = "listen: 0.0.0.0:1\nkeys: {a: \"\"}\npipes: {tool_output: {provider: mine}}\nproviders: {mine: {}}";
    let errors = file(text).unwrap_err();
    let keys: Vec<&str> = errors.iter().map(|error| error.key.as_str()).collect();
    assert_eq!(keys, ["keys.a", "providers.mine.kind"], "{errors}");
}

#[test]
fn values_that_do_not_go_together_are_located_where_they_were_set() {
    let flags = Overrides { listen: Some("0.0.0.0:1".to_owned()), ..Overrides::default() };
    let said = |text: &str, flags: &Overrides| load(text, &[], flags).unwrap_err().to_string();
    let in_file = said("allow_public: false\nlisten: 0.0.0.0:1", &Overrides::default());
    assert!(in_file.starts_with("tokenforge.yaml:2:1: listen: 0.0.0.0:1 can"), "{in_file}");
    let by_flag = said("listen: 127.0.0.1:1", &flags);
    assert!(by_flag.starts_with("flag --listen: listen: 0.0.0.0:1 can"), "{by_flag}");
}

#[test]
fn text_that_is_no_yaml_is_told_its_line() {
    let cases = ["listen: 127.0.0.1:1\nkeys: [", "a: 1\nb: *x", "listen: a\nlisten: b"];
    for text in cases {
        let message = told(text);
        assert!(message.contains("tokenforge.yaml:2:"), "{text}: {message}");
    }
}

#[test]
fn l10_no_secret_is_in_a_message() {
    let text = "keys: {a: \"sk-can ary\"}\nadmin_token: {x: sk-canary}";
    let url = "store: {url: \"rediz://u:sk-canary@h\"}";
    let web = "upstreams: {openai: \"https://u:sk-canary@h\"}";
    let broken = "admin_token: \"sk-canary\n";
    for text in [text, url, web, broken] {
        let message = told(text);
        assert!(!message.contains("canary") && !message.contains("sk-can"), "{message}");
    }
    let keys = variables(&[("FORGE_KEYS", "sk-canary")]).unwrap_err().to_string();
    assert!(!keys.contains("canary"), "{keys}");
}

#[test]
fn anchors_and_depth_do_not_grow_without_bound() {
    let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x,x]\n");
    for (this, last) in
        ["b", "c", "d", "e", "f", "g", "h"].iter().zip(["a", "b", "c", "d", "e", "f", "g"])
    {
        bomb += &format!("{this}: &{this} [{}]\n", vec![format!("*{last}"); 10].join(","));
    }
    assert!(file(&bomb).is_err());
    assert!(file(&"[".repeat(100_000)).is_err());
    let nested: String = (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(file(&nested).is_err());
}

#[test]
fn an_empty_section_is_no_section() {
    for text in ["", "# nothing\n", "---\n", "pipes:\n", "pipes:\n  tool_output:\n", "null"] {
        assert!(load(text, &[], &Overrides::default()).is_ok(), "{text}");
    }
}
