//! Secret redaction fails closed: whatever the path, its spelling, the method and the coding, no secret goes out.

use crate::kit::{Answer, Ask, World, world_with};
use crate::passing::codings;
use crate::routes::api;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokenforge_formats::negotiate::Format;
use tokenforge_mock::Recorded;

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

/// A part of the token that no other text has.
const TAIL: &str = "k1L2m3N4o5P6q7R8";

fn strict() -> World {
    world_with(|settings| settings.redact_secrets = true)
}

/// Does a request hold the token, in whatever form a reader could take it from there?
fn leaks(request: &Recorded) -> bool {
    let texts = [request.body.to_vec(), request.plain().to_vec()];
    texts.iter().any(|text| String::from_utf8_lossy(text).contains(TAIL))
        || holds(&request.json())
        || request.path_and_query.contains(TAIL)
}

fn holds(value: &Value) -> bool {
    let is_in = |text: &str| {
        let data = text.rsplit_once(";base64,").map_or(text, |(_, data)| data);
        let decoded = BASE64_STANDARD.decode(data).unwrap_or_default();
        let nested = || serde_json::from_str::<Value>(text).is_ok_and(|inner| holds(&inner));
        text.contains(TAIL)
            || String::from_utf8_lossy(&decoded).contains(TAIL)
            || (text.starts_with(['{', '[']) && nested())
    };
    match value {
        Value::String(text) => is_in(text),
        Value::Array(values) => values.iter().any(holds),
        Value::Object(members) => members.iter().any(|(key, value)| is_in(key) || holds(value)),
        _ => false,
    }
}

/// Nothing went out with the token in it: the request was redacted, or refused in a provider's shape.
#[track_caller]
fn assert_kept_in(world: &World, answer: &Answer, what: &str) {
    let requests = world.mock.requests();
    assert!(!requests.iter().any(leaks), "{what}: the token went out");
    match answer.status {
        503 => {
            assert_eq!(requests.len(), 0, "{what}: it was refused and sent");
            let told = answer.text();
            assert!(told.contains("secrets") && !told.contains(TAIL), "{what}: {told}");
            assert!(is_shaped(&answer.json()), "{what}: {told}");
        }
        // What has no target is not sent either.
        400 => assert!(requests.len() <= 1, "{what}: {}", answer.text()),
        _ => assert_eq!(requests.len(), 1, "{what}: {} {}", answer.status, answer.text()),
    }
    world.mock.clear();
}

/// Is an error in the shape of some provider?
fn is_shaped(document: &Value) -> bool {
    let error = &document["error"];
    error["message"].is_string() || error.is_string() || document["message"].is_string()
}

fn escaped(text: &str) -> String {
    text.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect()
}

/// Paths of every known dialect and of none, with a body for each into which the token is put for `@`.
const REQUESTS: &[(&str, &str)] = &[
    (
        "/v1/messages",
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"key @ here"}]}"#,
    ),
    ("/v1/messages/count_tokens", r#"{"model":"m","messages":[{"role":"user","content":"@"}]}"#),
    (
        "/v1/messages/batches",
        r#"{"requests":[{"custom_id":"a","params":{"messages":[{"role":"user","content":"@"}]}}]}"#,
    ),
    ("/v1/chat/completions", r#"{"model":"m","messages":[{"role":"user","content":"@"}]}"#),
    (
        "/v1/chat/completions",
        r#"{"model":"m","messages":[],"prediction":{"type":"content","content":"x @"}}"#,
    ),
    (
        "/v1/chat/completions",
        r#"{"model":"m","messages":[{"role":"assistant","content":"it is @"},{"role":"user","content":"so?"}]}"#,
    ),
    ("/v1/completions", r#"{"model":"m","prompt":["a","b @"]}"#),
    ("/v1/embeddings", r#"{"model":"m","input":"@"}"#),
    ("/v1/moderations", r#"{"input":[{"type":"text","text":"@"}]}"#),
    ("/v1/responses", r#"{"model":"m","input":"@"}"#),
    (
        "/v1/responses",
        r#"{"model":"m","input":"x","prompt":{"id":"pmpt_1","variables":{"id":"@"}}}"#,
    ),
    (
        "/v1/responses",
        r#"{"model":"m","input":"x","prompt":{"id":"pmpt_1","variables":{"a":{"type":"input_text","text":"@"}}}}"#,
    ),
    (
        "/v1/responses",
        r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_file","filename":"@.txt","file_data":"x"}]}]}"#,
    ),
    (
        "/v1/responses",
        r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_file","file_data":"data:text/plain;base64,%"}]}]}"#,
    ),
    ("/v1/responses/compact", r#"{"model":"m","input":"@"}"#),
    ("/v1beta/interactions", r#"{"model":"m","input":"@"}"#),
    (
        "/v1beta/interactions",
        r#"{"model":"m","input":[{"type":"function_result","call_id":"c","result":{"type":"@"}}]}"#,
    ),
    (
        "/v1beta/interactions",
        r#"{"model":"m","system_instruction":"@","input":[{"type":"model_output","content":[{"type":"text","text":"x"}]}]}"#,
    ),
    (
        "/v1/messages/batches",
        r#"{"x":"@","requests":[{"custom_id":"a","params":{"model":"m","messages":[]}}]}"#,
    ),
    (
        "/v1/messages/batches",
        r#"{"requests":[{"custom_id":"a","params":{"model":"m","messages":[],"messages":"@"}}]}"#,
    ),
    ("/v1/conversations/c/items", r#"{"items":[{"role":"user","content":"@"}]}"#),
    ("/v1/threads/t/messages", r#"{"role":"user","content":"@"}"#),
    (
        "/v1beta/models/m:generateContent",
        r#"{"contents":[{"role":"user","parts":[{"text":"@"}]}]}"#,
    ),
    (
        "/v1beta/models/m:generateContent",
        r#"{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"text/plain","data":"%"}}]}]}"#,
    ),
    (
        "/v1beta/models/m:batchEmbedContents",
        r#"{"requests":[{"content":{"parts":[{"text":"@"}]}}]}"#,
    ),
    ("/model/m/converse", r#"{"messages":[{"role":"user","content":[{"text":"@"}]}]}"#),
    (
        "/model/m/converse",
        r#"{"messages":[{"role":"user","content":[{"document":{"format":"txt","name":"n","source":{"bytes":"%"}}}]}]}"#,
    ),
    ("/model/amazon.titan-text/invoke", r#"{"inputText":"@"}"#),
    (
        "/model/m/count-tokens",
        r#"{"input":{"converse":{"messages":[{"role":"user","content":[{"text":"@"}]}]}}}"#,
    ),
    ("/api/chat", r#"{"model":"m","messages":[{"role":"user","content":"@"}]}"#),
    ("/api/generate", r#"{"model":"m","prompt":"@"}"#),
    ("/v1/rerank", r#"{"query":"q","documents":{"@":1}}"#),
    ("/any/thing", r#"["{\"a\":\"~\"}"]"#),
    ("/any/thing", r#""@""#),
];

/// The path as another reader would still understand it.
fn spellings(path: &str) -> Vec<String> {
    let last = path.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, name) = path.split_at(last);
    let coded = name.chars().next().map_or(String::new(), |first| {
        format!("{folder}%{:02x}{}", u32::from(first), &name[first.len_utf8()..])
    });
    vec![
        path.to_owned(),
        coded,
        format!("/{path}"),
        path.replacen("/v1", "/v1/", 1),
        path.to_uppercase(),
        format!("{path};a=b"),
        format!("{path}/"),
        format!("{path}?beta=true"),
        format!("/p/web{path}"),
        format!("{folder}./{name}"),
    ]
}

#[test]
fn d20_d63_no_path_spelling_method_or_coding_lets_a_secret_out() {
    let world = strict();
    for (path, body) in REQUESTS {
        let plain = body.replace('@', TOKEN).replace('%', &BASE64_STANDARD.encode(TOKEN));
        let plain = plain.replace('~', &escaped(TOKEN).replace('\\', r"\\"));
        let hidden = plain.replace(TOKEN, &escaped(TOKEN));
        for path in spellings(path) {
            for body in [&plain, &hidden] {
                let what = format!("POST {path} {body}");
                assert_kept_in(&world, &world.post(&path, body), &what);
            }
        }
        for method in ["PUT", "PATCH", "GET", "DELETE", "OPTIONS", "REPORT"] {
            let ask = Ask::new(method, path).body(&plain);
            assert_kept_in(&world, &world.send(ask), &format!("{method} {path} {plain}"));
        }
        for (coding, code) in codings() {
            for coding in [coding.to_owned(), format!("{coding}, {coding}")] {
                let ask = Ask::post(path, code(plain.as_bytes()));
                let answer = world.send(ask.header("content-encoding", &coding));
                assert_kept_in(&world, &answer, &format!("{coding} {path} {plain}"));
            }
        }
    }
}

#[test]
fn d20_what_cannot_be_checked_is_refused_in_the_shape_of_its_provider() {
    let world = strict();
    let bodies: [(&str, Vec<u8>); 8] = [
        ("multipart/form-data; boundary=x", format!("--x\r\n\r\n{TOKEN}\r\n--x--").into()),
        ("application/x-www-form-urlencoded", format!("prompt={TOKEN}").into()),
        ("application/octet-stream", vec![0, 159, 146, 150]),
        ("application/x-ndjson", "{\"a\":1}\n{\"a\":2}\n".into()),
        ("application/json", b"{\"a\":\"\xff\"}".to_vec()),
        ("application/json", br#"{"a":"\ud800"}"#.to_vec()),
        ("application/json", "{".into()),
        ("text/plain", "nothing to hide".into()),
    ];
    for (path, place) in [
        ("/v1/messages", "/error/message"),
        ("/v1/chat/completions", "/error/message"),
        ("/v1beta/models/m:generateContent", "/error/status"),
        ("/v1beta/interactions", "/error/code"),
        ("/model/m/converse", "/message"),
        ("/api/chat", "/error"),
        ("/v1/files", "/error/message"),
        ("/v1/messages/batches", "/error/message"),
    ] {
        for (kind, body) in &bodies {
            let ask = Ask::new("POST", path).header("content-type", kind).body(body);
            let answer = world.send(ask);
            assert_eq!(answer.status, 503, "{path} {kind}");
            let told = answer.json();
            assert!(told.pointer(place).is_some_and(Value::is_string), "{path} {kind}: {told}");
        }
        let coded = Ask::post(path, "{}").header("content-encoding", "zip");
        assert_eq!(world.send(coded).status, 503, "{path}");
        let broken = Ask::post(path, "no gzip").header("content-encoding", "gzip");
        assert_eq!(world.send(broken).status, 503, "{path}");
    }
    assert_eq!(world.mock.requests().len(), 0);
}

#[test]
fn d20_a_body_beyond_the_limit_is_refused() {
    let world = world_with(|settings| {
        settings.redact_secrets = true;
        settings.limits.max_body_bytes = 1000;
    });
    let body = format!(r#"{{"input":"{}{TOKEN}"}}"#, "x".repeat(1000));
    assert_kept_in(&world, &world.post("/v1/embeddings", &body), "a long body");
    assert_kept_in(&world, &world.post("/v1/responses", &body), "a long body");
}

#[test]
fn d20_what_is_clean_or_empty_passes_as_it_came() {
    let world = strict();
    let body = "{ \"input\" : [ \"caf\\u00e9\", \"\\/\" ], \"n\":1.0e2 }";
    for (method, path) in [("POST", "/v1/embeddings"), ("PUT", "/v1/V1//x"), ("PATCH", "/a;b=c")] {
        world.send(Ask::new(method, path).body(body));
        assert_eq!(world.mock.last().body, body.as_bytes(), "{method} {path}");
    }
    for method in ["GET", "DELETE", "POST", "PUT"] {
        world.mock.clear();
        assert_ne!(world.send(Ask::new(method, "/v1/models")).status, 503, "{method}");
        assert_eq!(world.mock.requests().len(), 1, "{method}");
    }
    for (coding, code) in codings() {
        let coded = code(body.as_bytes());
        world.send(Ask::post("/v1/embeddings", &coded).header("content-encoding", coding));
        assert_eq!(world.mock.last().body, coded, "{coding}");
    }
}

#[test]
fn d20_only_the_secret_changes_on_a_path_of_no_known_dialect() {
    let world = strict();
    let body = format!("{{ \"a\" :[1.0e2, \"x {TOKEN} \\u00e9\"], \"b\":\"\\u00e9\" }}");
    world.post("/v1/completions", &body);
    let expected = body.replace(TOKEN, "[REDACTED:github-token]").replacen("\\u00e9", "é", 1);
    assert_eq!(world.mock.last().body, expected.as_bytes());
}

#[test]
fn d20_a_signed_body_is_passed_untouched_or_refused() {
    let world = strict();
    let signed = |path: &str, text: &str| {
        let body = format!(r#"{{"messages":[{{"role":"user","content":[{{"text":"{text}"}}]}}]}}"#);
        let ask = Ask::post(path, body).header("authorization", "AWS4-HMAC-SHA256 Credential=x");
        world.send(ask)
    };
    for path in ["/model/m/converse", "/model/m/count-tokens"] {
        assert_kept_in(&world, &signed(path, TOKEN), path);
        assert_ne!(signed(path, "hello").status, 503);
        assert!(world.mock.last().plain().ends_with(br#""hello"}]}]}"#), "{path}");
        world.mock.clear();
    }
}

#[test]
fn d20_a_signed_body_with_a_secret_in_a_tool_result_is_refused() {
    let world = strict();
    let result =
        json!({"toolResult": {"toolUseId": "t", "content": [{"text": format!("key {TOKEN}")}]}});
    let body = json!({"messages": [{"role": "user", "content": [result]}]}).to_string();
    let signature = "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c";
    let ask = Ask::post("/model/m/converse", body).header("authorization", signature);
    let answer = world.send(ask);
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert_kept_in(&world, &answer, "a signed result");
}

#[test]
fn d20_f14_ids_names_arguments_schemas_and_what_the_provider_made_stay() {
    let world = strict();
    let says = format!("the key is {TOKEN}");
    let body = json!({
        "model": "m", "max_tokens": 9,
        "tools": [{"name": "Bash", "description": says, "input_schema": {"type": "object"}}],
        "mcp_servers": [{"type": "url", "url": "https://a.b", "name": "n", "authorization_token": TOKEN}],
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": says, "signature": "c2ln"},
                {"input": {"command": says}, "type": "tool_use", "id": "toolu_1", "name": "Bash"},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}]},
        ],
    });
    world.post("/v1/messages", body.to_string());
    let mut forwarded = world.mock.last().json();
    forwarded["tools"].as_array_mut().unwrap().truncate(1);
    assert_eq!(forwarded, body);
}

#[test]
fn d20_files_in_base64_pass_unless_they_are_text_with_a_secret() {
    let world = strict();
    let document = |kind: &str, data: &[u8]| {
        let source =
            json!({"type": "base64", "media_type": kind, "data": BASE64_STANDARD.encode(data)});
        json!({"model": "m", "max_tokens": 9, "messages": [
            {"role": "user", "content": [{"type": "document", "source": source}]},
        ]})
    };
    let noise: Vec<u8> =
        (0..9000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let body = document("application/pdf", &noise);
    world.post("/v1/messages", body.to_string());
    assert_eq!(world.mock.last().json(), body);
    world.mock.clear();
    let secret = document("text/plain", format!("a text with {TOKEN} in it").as_bytes());
    let answer = world.post("/v1/messages", secret.to_string());
    assert_eq!(answer.status, 503);
    assert_kept_in(&world, &answer, "text in base64");
}

#[test]
fn d20_operators_routes_are_no_model_traffic() {
    let world = world_with(|settings| {
        settings.redact_secrets = true;
        api(settings, "/tools", Format::Json);
    });
    for body in [format!("\"{TOKEN}\""), format!("no JSON {TOKEN}")] {
        world.post("/tools/x", &body);
        assert_eq!(world.mock.last().body, body.as_bytes(), "a tool gets what it is called with");
        world.mock.clear();
        assert_kept_in(&world, &world.post("/tool/x", &body), "no route");
    }
}

/// A random JSON value in which `place` counts down over its strings to the one that is replaced by the token.
fn planted(value: &mut Value, place: &mut usize, spelled: &str) -> bool {
    match value {
        Value::String(text) if *place == 0 => {
            *text = spelled.to_owned();
            true
        }
        Value::String(_) => {
            *place -= 1;
            false
        }
        Value::Array(values) => values.iter_mut().any(|value| planted(value, place, spelled)),
        Value::Object(members) => {
            members.iter_mut().any(|(_, value)| planted(value, place, spelled))
        }
        _ => false,
    }
}

fn strings(value: &Value) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(values) => values.iter().map(strings).sum(),
        Value::Object(members) => members.values().map(strings).sum(),
        _ => 0,
    }
}

/// Names of members as requests have them, but for those of ids, names, calls and schemas.
fn any_body() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        Just("messages"),
        Just("content"),
        Just("text"),
        Just("input"),
        Just("prompt"),
        Just("variables"),
        Just("system"),
        Just("instructions"),
        Just("parts"),
        Just("contents"),
        Just("source"),
        Just("data"),
        Just("file_data"),
        Just("metadata"),
        Just("prediction"),
        Just("documents"),
        Just("output"),
        Just("title"),
    ];
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<i32>().prop_map(|number| json!(number)),
        "[ -~\u{e9}\u{1f600}\n]{0,30}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((name.clone(), inner), 0..5)
                .prop_map(|members| members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

#[test]
fn d20_d63_a_token_at_any_string_of_any_body_never_goes_out() {
    let world = strict();
    let paths = [
        "/v1/messages",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1beta/models/m:generateContent",
        "/model/m/converse",
        "/model/m/invoke",
        "/api/chat",
        "/v1/%6dessages",
        "/v1/completions",
        "/x",
    ];
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(300));
    let any =
        (any_body(), any::<prop::sample::Index>(), prop::sample::select(paths.to_vec()), 0..4u8);
    let run = runner.run(&any, |(mut body, place, path, form)| {
        let count = strings(&body);
        prop_assume!(count > 0);
        let spelled = match form {
            0 => TOKEN.to_owned(),
            1 => format!("before {TOKEN}, after"),
            2 => json!({"inner": TOKEN}).to_string().replace(TOKEN, &escaped(TOKEN)),
            _ => BASE64_STANDARD.encode(TOKEN),
        };
        prop_assert!(planted(&mut body, &mut place.index(count), &spelled));
        let answer = world.post(path, body.to_string());
        let requests = world.mock.requests();
        world.mock.clear();
        prop_assert!(!requests.iter().any(leaks), "{path} {body}");
        prop_assert!(answer.status == 503 || requests.len() == 1, "{path} {body}");
        Ok(())
    });
    run.unwrap();
}

#[test]
fn d22_our_member_never_reaches_the_upstream_on_any_path() {
    for redacts in [false, true] {
        let world = world_with(|settings| settings.redact_secrets = redacts);
        for path in ["/v1/embeddings", "/v1/messages/batches", "/v1/%6dessages", "/any"] {
            for method in ["POST", "PUT"] {
                let body = r#"{ "a" : 1.0e2, "_forge": {"debug":{"run":1}}, "b":[ ] }"#;
                world.send(
                    Ask::new(method, path).header("content-type", "application/json").body(body),
                );
                assert_eq!(
                    world.mock.last().body,
                    r#"{ "a" : 1.0e2, "b":[ ] }"#,
                    "{method} {path}"
                );
                world.send(Ask::new(method, path).body(body));
                assert_eq!(
                    world.mock.last().body,
                    r#"{ "a" : 1.0e2, "b":[ ] }"#,
                    "{method} {path}"
                );
            }
            world.post(path, r#"{"_f\u006frge":{},"a":1}"#);
            assert_eq!(world.mock.last().body, r#"{"a":1}"#, "{path}");
            for (coding, code) in codings() {
                let coded = code(br#"{"\u005ff\u006Frge":{},"a":1}"#);
                world.send(Ask::post(path, coded).header("content-encoding", coding));
                assert_eq!(world.mock.last().plain(), r#"{"a":1}"#, "{path} {coding}");
            }
            world.mock.clear();
            for wrong in [
                r#"{"_forge":{},"_forge":{}}"#,
                r#"{"_forge":{"tool_output_compression":"fast"}}"#,
                r#"{"_forge":{"unheard_of":1}}"#,
            ] {
                assert_eq!(world.post(path, wrong).status, 400, "{path} {wrong}");
            }
            assert_eq!(world.mock.requests().len(), 0, "{path}");
        }
    }
}

#[test]
fn d22_our_member_is_cut_out_of_bodies_that_are_left_alone_on_known_paths() {
    let world = world_with(|settings| settings.tool_output.enabled = false);
    world.post("/v1/messages", r#"{"_forge":{},"model":"a","model":"b"}"#);
    assert_eq!(world.mock.last().body, r#"{"model":"a","model":"b"}"#);
    let world = world_with(|_| {});
    world.post("/v1/messages", r#"{"_forge":{},"model":"a","model":"b"}"#);
    assert_eq!(world.mock.last().body, r#"{"model":"a","model":"b"}"#);
    world.mock.clear();
    let ask = Ask::post("/model/m/converse", r#"{"_forge":{},"messages":[]}"#);
    let signed = ask.header("authorization", "AWS4-HMAC-SHA256 Credential=x");
    assert_eq!(world.send(signed).status, 400, "what is signed cannot be cut");
    assert_eq!(world.mock.requests().len(), 0);
}

#[test]
fn d22_uploads_of_other_kinds_stream_by_unread() {
    let world = world_with(|settings| settings.limits.max_body_bytes = 10);
    let body = r#"--x {"_forge":{}} --x--"#;
    for kind in ["multipart/form-data; boundary=x", "application/octet-stream", "text/plain"] {
        world.send(Ask::new("POST", "/v1/files").header("content-type", kind).body(body));
        assert_eq!(world.mock.last().body, body, "{kind}");
    }
    // The upstream is asked before the body has arrived.
    let world = world_with(|_| {});
    let mut open = world.open(
        &Ask::new("POST", "/v1/files")
            .header("content-type", "text/plain")
            .header("content-length", "100"),
    );
    open.write(b"the first bytes");
    world.mock.wait_for_connections(1);
}
