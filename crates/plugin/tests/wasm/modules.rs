//! What modules are told, and what they can do.

use crate::kit::{EVERYWHERE, SMALL, chain, chain_of, exchange, mirror, replying};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use tokenforge_plugin::wasm::{Limits, WasmPlugin};
use tokenforge_plugin::{BodyNeed, Chain, Outcome, Phase, Registry};

/// What a module that is called in a phase is told, and the body that it is shown.
async fn told(chain: &Chain, phase: Phase) -> (Value, String) {
    let Outcome::Terminate(response) = chain.run(phase, &mut exchange()).await else {
        panic!("the mirror answers everything");
    };
    let message = String::from_utf8(response.body().to_vec()).unwrap();
    let (head, body) = message.split_once('\n').unwrap();
    (serde_json::from_str(head).unwrap(), body.to_owned())
}

#[tokio::test]
async fn h14_a_module_is_told_what_its_phase_shows() {
    let chain = chain(&mirror(EVERYWHERE));
    let request = json!({
        "settings": {"a": 1}, "remote": "127.0.0.1:50000", "tenant": "acme", "project": null, "method": "POST",
        "uri": "/v1/messages?x=1", "request_headers": [["x-from", "client"]], "tool": {"server": "files", "name": "read"},
    });
    for (phase, has_response, expected) in [
        (Phase::PreAuth, false, None),
        (Phase::PostAuth, false, None),
        (Phase::PreUpstream, false, Some("question")),
        (Phase::PostUpstream, true, Some("answer")),
        (Phase::ToolCall, false, Some("{\"path\":1}")),
        (Phase::ToolResult, false, Some("{\"content\":[]}")),
        (Phase::OnError, true, Some("answer")),
    ] {
        let (mut head, body) = told(&chain, phase).await;
        assert_eq!(body, expected.unwrap_or_default(), "{phase}");
        let members = head.as_object_mut().unwrap();
        assert_eq!(members.remove("phase").unwrap(), phase.name());
        assert_eq!(members.remove("body").unwrap(), expected.is_some(), "{phase}");
        let (status, headers) =
            (members.remove("status").unwrap(), members.remove("response_headers").unwrap());
        assert_eq!(status, if has_response { json!(201) } else { Value::Null }, "{phase}");
        assert_eq!(
            headers,
            if has_response { json!([["x-from", "upstream"]]) } else { Value::Null },
            "{phase}"
        );
        assert_eq!(head, request, "{phase}");
    }
}

#[tokio::test]
async fn h14_a_body_is_shown_to_a_module_that_declared_a_need_for_its_size() {
    for (declared, expected) in [("0", ""), ("7", ""), ("8", "question")] {
        let description =
            format!(r#"{{"abi":1,"name":"m","phases":{{"pre_upstream":{declared}}}}}"#);
        let chain = chain(&mirror(&description));
        let (head, body) = told(&chain, Phase::PreUpstream).await;
        assert_eq!(body, expected, "{declared}");
        assert_eq!(head["body"], !expected.is_empty());
        let need = chain.body_need(Phase::PreUpstream);
        assert_eq!(need == BodyNeed::None, declared == "0");
    }
}

#[tokio::test]
async fn a_module_changes_what_its_phase_lets_it_change() {
    let reply =
        b"{\"headers\":{\"x-new\":\"1\",\"x-from\":null},\"body\":true}\n{\"new\":1}\nand more";
    let chain = chain(&replying(&reply[..reply.len() - 9]));
    let mut changed = exchange();
    for phase in [Phase::PreUpstream, Phase::PostUpstream] {
        assert!(matches!(chain.run(phase, &mut changed).await, Outcome::Continue));
    }
    assert_eq!(changed.take_failures().len(), 0);
    assert_eq!(changed.take_request_body().unwrap(), "{\"new\":1}");
    assert_eq!(changed.take_response_body().unwrap(), "{\"new\":1}");
    for headers in [&changed.request().headers, &changed.response().unwrap().headers] {
        assert_eq!(headers["x-new"], "1");
        assert!(!headers.contains_key("x-from"));
    }
    let chain = crate::kit::chain(&replying(b"{\"body\":true}\n{\"new\":1}"));
    for phase in [Phase::ToolCall, Phase::ToolResult] {
        assert!(matches!(chain.run(phase, &mut changed).await, Outcome::Continue));
    }
    assert_eq!(changed.take_tool_arguments().unwrap(), "{\"new\":1}");
    assert_eq!(changed.take_tool_result().unwrap(), "{\"new\":1}");
    let chain = crate::kit::chain(&replying(b"{\"status\":418}"));
    assert!(matches!(chain.run(Phase::OnError, &mut changed).await, Outcome::Continue));
    assert_eq!(changed.response().unwrap().status, 418);
}

#[tokio::test]
async fn a_module_answers_itself_or_skips_the_rest() {
    let chain =
        chain(&replying(b"{\"flow\":\"terminate\",\"headers\":{\"x-a\":\"b\"},\"body\":true}\nno"));
    let Outcome::Terminate(response) = chain.run(Phase::PreAuth, &mut exchange()).await else {
        panic!()
    };
    assert_eq!(
        (response.status().as_u16(), &response.headers()["x-a"]),
        (403, &"b".parse().unwrap())
    );
    assert_eq!(response.body(), "no");

    let skipping =
        std::sync::Arc::new(crate::kit::plugin(&replying(b"{\"flow\":\"skip_rest\"}")).unwrap());
    let answering = std::sync::Arc::new(crate::kit::plugin(&mirror(EVERYWHERE)).unwrap());
    let chain = Chain::new(vec![(skipping, Default::default()), (answering, Default::default())]);
    assert!(matches!(chain.run(Phase::PreAuth, &mut exchange()).await, Outcome::Continue));
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plugin-wasm")
}

#[tokio::test]
async fn the_example_in_text_form_stamps_responses() {
    let wasm = wat::parse_file(examples().join("stamp.wat")).unwrap();
    let chain = chain_of(WasmPlugin::new(&wasm, SMALL, json!({})).unwrap());
    let mut exchange = exchange();
    assert!(matches!(chain.run(Phase::PostUpstream, &mut exchange).await, Outcome::Continue));
    assert_eq!(exchange.response().unwrap().headers["x-stamp"], "wasm");
}

/// The example in Rust, built for WebAssembly; nothing where that target is not installed.
fn built() -> Option<Vec<u8>> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let libraries = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .unwrap();
    if !Path::new(String::from_utf8(libraries.stdout).unwrap().trim()).is_dir() {
        println!("skipped: `rustup target add {TARGET}` installs what this test needs");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin-wasm");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--quiet", "--target", TARGET, "--target-dir"])
        .arg(&folder)
        .current_dir(examples())
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .unwrap();
    assert!(status.success());
    Some(std::fs::read(folder.join(TARGET).join("release/word_guard.wasm")).unwrap())
}

#[tokio::test]
async fn the_example_in_rust_is_built_loaded_from_its_file_and_guards_words() {
    let Some(wasm) = built() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("word_guard.wasm");
    std::fs::write(&file, &wasm).unwrap();
    let mut registry = Registry::default();
    registry.register(tokenforge_plugin::wasm::factory()).unwrap();
    let config = |words: Value| json!({"module": file, "settings": {"words": words}});

    let plugin = registry.build("wasm", &config(json!(["quest"]))).unwrap();
    assert_eq!(plugin.name(), "word-guard");
    let chain = Chain::new(vec![(plugin, Default::default())]);
    let Outcome::Terminate(response) = chain.run(Phase::PreUpstream, &mut exchange()).await else {
        panic!()
    };
    assert_eq!(response.status(), 403);
    assert!(str::from_utf8(response.body()).unwrap().contains("quest is not for everybody"));
    assert!(matches!(chain.run(Phase::ToolResult, &mut exchange()).await, Outcome::Continue));

    let refused = registry.build("wasm", &config(json!(7))).err().unwrap().to_string();
    assert!(refused.contains("expected {\"words\": [...]}"), "{refused}");
}

#[test]
fn h13_settings_are_checked_when_a_module_is_loaded() {
    let mut registry = Registry::default();
    registry.register(tokenforge_plugin::wasm::factory()).unwrap();
    let refused = |config: Value| registry.build("wasm", &config).err().unwrap().to_string();
    assert!(refused(json!({})).contains("missing field `module`"));
    assert!(refused(json!({"module": "/does/not/exist.wasm"})).contains("/does/not/exist.wasm: "));
    assert!(refused(json!({"module": "x", "modul": 1})).contains("unknown key `modul`"));
    assert!(refused(json!({"module": "x", "limits": {"feul": 1}})).contains("feul"));
    let schema = registry.factories().next().unwrap().schema();
    assert!(schema["properties"]["limits"].is_object());
    assert_eq!(Limits::default(), serde_json::from_value(json!({})).unwrap());
}
