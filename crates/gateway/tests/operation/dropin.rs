//! The interface that other gateways' guardrails call.

use crate::kit::{Ask, conversation, rows, test_run, world, world_with};
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_config::Settings;
use tokenforge_conversation::{Compressor, OriginalsReader};
use tokenforge_providers::Dialect;
use tokenforge_store::MemoryStore;

fn compress(body: &Value) -> Ask {
    Ask::post("/v1/compress", body.to_string())
}

#[test]
fn messages_come_back_as_many_in_the_same_roles_with_smaller_results() {
    let world = world();
    let chat = json!({"model": "gpt-5", "config": {"mode": "ccr"}, "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": "{\"command\":\"cargo test\"}"}},
            {"id": "c2", "type": "function", "function": {"name": "list", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": test_run()},
        {"role": "tool", "tool_call_id": "c2", "content": rows()},
        {"role": "user", "content": "And?"},
    ]});
    let answer = world.send(compress(&chat));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    let (sent, got) =
        (chat["messages"].as_array().unwrap(), answer["messages"].as_array().unwrap());
    assert_eq!(sent.len(), got.len());
    for (index, (sent, got)) in sent.iter().zip(got).enumerate() {
        assert_eq!(sent["role"], got["role"]);
        assert_eq!(sent["tool_call_id"], got["tool_call_id"]);
        if !matches!(index, 3 | 4) {
            assert_eq!(sent, got);
        }
    }
    let figure = |name: &str| answer[name].as_i64().unwrap();
    assert!(figure("tokens_after") < figure("tokens_before") / 2);
    assert_eq!(figure("tokens_saved"), figure("tokens_before") - figure("tokens_after"));
    let ratio = figure("tokens_after") as f64 / figure("tokens_before") as f64;
    assert_eq!(answer["compression_ratio"], ratio);
    assert!(!answer["transforms_applied"].as_array().unwrap().is_empty());
    assert!(world.mock.requests().is_empty());
    // What was left out of the test run can be had; the list is whole.
    let [hash] = answer["ccr_hashes"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    let hash = hash.as_str().unwrap();
    assert!(hash.len() == 24 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()), "{hash}");
    assert_eq!(answer["hashes"], answer["ccr_hashes"]);
    let shown = got[3]["content"].as_str().unwrap();
    assert!(shown.starts_with(&format!("[Forge original: hash={hash}]\n")), "{shown}");
    assert!(!answer.to_string().contains("SHADOW"), "{answer}");
    let original = world.get(&format!("/v1/retrieve/{hash}?query=x")).json();
    assert_eq!(original["original_content"], test_run());
    let another = Ask::new("GET", &format!("/v1/retrieve/{hash}")).header("x-api-key", "b");
    assert_eq!(world.send(another).status, 404);
}

#[test]
fn anthropic_messages_are_understood_too_and_the_same_request_gives_the_same_bytes() {
    let world = world();
    let body =
        json!({"messages": conversation(&test_run())["messages"], "config": {"mode": "ccr"}});
    let (first, second) = (world.send(compress(&body)), world.send(compress(&body)));
    assert_eq!(first.body, second.body);
    assert!(first.json()["messages"][2]["content"][0]["content"].as_str().unwrap().len() < 2000);
}

#[test]
fn what_is_unknown_is_a_404_and_what_is_wrong_a_400() {
    let world = world();
    for hash in ["0123456789abcdef01234567", "shadow_a", "..%2F..%2Fetc%2Fpasswd", "%00", "a/b"] {
        assert_eq!(world.get(&format!("/v1/retrieve/{hash}")).status, 404, "{hash}");
    }
    for body in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"messages": 1, "#,
        r#"{"messages": 1}"#,
        r#"{"contents": {}}"#,
        r#"{"messages": [], "messages": []}"#,
        r#"{"request": 1, "eventType": "beforeRequestHook"}"#,
        r#"{"messages": [], "_forge": {"no such": 1}}"#,
    ] {
        let answer = world.post("/v1/compress", body);
        assert_eq!(answer.status, 400, "{body}: {}", answer.text());
        assert!(answer.json()["error"]["message"].is_string(), "{body}");
    }
    assert_eq!(world.get("/v1/compress").status, 405);
    assert_eq!(world.post("/v1/retrieve/a", "{}").status, 405);
    assert!(world.mock.requests().is_empty());
}

/// A conversation with these results in each dialect: its member, its list, and the place of the first result's text.
fn conversations(first: &str, second: &str) -> Vec<(Dialect, &'static str, Value, String)> {
    let arguments = json!({"command": "list --all"});
    let spelled = arguments.to_string();
    vec![
        (
            Dialect::Anthropic,
            "messages",
            json!([
                {"role": "user", "content": "Go on."},
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "t1", "name": "Bash", "input": arguments},
                    {"type": "tool_use", "id": "t2", "name": "look", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": first},
                    {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": second}],
                     "cache_control": {"type": "ephemeral"}},
                ]},
            ]),
            "/2/content/0/content".to_owned(),
        ),
        (
            Dialect::OpenAiChat,
            "messages",
            json!([
                {"role": "user", "content": "Go on."},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": spelled}},
                    {"id": "c2", "type": "function", "function": {"name": "look", "arguments": "{}"}},
                ]},
                {"role": "tool", "tool_call_id": "c1", "content": first},
                {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": second}]},
            ]),
            "/2/content".to_owned(),
        ),
        (
            Dialect::OpenAiResponses,
            "input",
            json!([
                {"role": "user", "content": "Go on."},
                {"type": "function_call", "call_id": "c1", "name": "Bash", "arguments": spelled},
                {"type": "function_call", "call_id": "c2", "name": "look", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": first},
                {"type": "function_call_output", "call_id": "c2", "output": second},
            ]),
            "/3/output".to_owned(),
        ),
        (
            Dialect::GeminiInteractions,
            "input",
            json!([
                {"type": "user_input", "content": [{"type": "text", "text": "Go on."}]},
                {"type": "thought", "signature": "c2ln"},
                {"type": "function_call", "id": "c1", "name": "Bash", "arguments": arguments},
                {"type": "function_call", "id": "c2", "name": "look", "arguments": {}},
                {"type": "function_result", "call_id": "c1", "name": "Bash", "result": first},
                {"type": "function_result", "call_id": "c2", "name": "look", "result": [{"type": "text", "text": second}]},
            ]),
            "/4/result".to_owned(),
        ),
        (
            Dialect::Gemini,
            "contents",
            json!([
                {"role": "user", "parts": [{"text": "Go on."}]},
                {"role": "model", "parts": [
                    {"functionCall": {"name": "Bash", "args": arguments}, "thoughtSignature": "c2ln"},
                    {"functionCall": {"name": "look", "args": {}}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "Bash", "response": {"output": first}}},
                    {"functionResponse": {"name": "look", "response": {"output": second}}},
                ]},
            ]),
            "/2/parts/0/functionResponse/response/output".to_owned(),
        ),
        (
            Dialect::BedrockConverse,
            "messages",
            json!([
                {"role": "user", "content": [{"text": "Go on."}]},
                {"role": "assistant", "content": [
                    {"toolUse": {"toolUseId": "t1", "name": "Bash", "input": arguments}},
                    {"toolUse": {"toolUseId": "t2", "name": "look", "input": {}}},
                ]},
                {"role": "user", "content": [
                    {"toolResult": {"toolUseId": "t1", "content": [{"text": first}], "status": "success"}},
                    {"toolResult": {"toolUseId": "t2", "content": [{"text": second}]}},
                ]},
            ]),
            "/2/content/0/toolResult/content/0/text".to_owned(),
        ),
        (
            Dialect::Ollama,
            "messages",
            json!([
                {"role": "user", "content": "Go on."},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"function": {"name": "Bash", "arguments": arguments}},
                    {"function": {"name": "look", "arguments": {}}},
                ]},
                {"role": "tool", "tool_name": "Bash", "content": first},
                {"role": "tool", "tool_name": "look", "content": second},
            ]),
            "/2/content".to_owned(),
        ),
    ]
}

/// What a program makes of the same conversation in its own process.
fn compressed_here(dialect: Dialect, list: &Value, model: &str) -> Value {
    let store = Arc::new(MemoryStore::default());
    let compressor = Compressor::new(Settings::default(), store).unwrap();
    let mut body: Value =
        serde_json::from_str(&dialect.conversation_body(&list.to_string())).unwrap();
    body["model"] = model.into();
    let made =
        compressor.compress(dialect, body.to_string(), OriginalsReader::Model, None).unwrap();
    let made: Value = serde_json::from_slice(&made.body).unwrap();
    ["messages", "input", "contents"].iter().find_map(|member| made.get(member)).unwrap().clone()
}

#[test]
fn g11_conversations_of_every_provider_come_back_in_their_own_shape_with_nothing_but_smaller_results()
 {
    let world = world();
    for (dialect, member, list, first) in conversations(&rows(), &test_run()) {
        // agentgateway calls every provider's list `messages`.
        for member in [member, "messages"] {
            let body = json!({member: list, "model": "some-model", "tools": [], "stream": true});
            let answer = world.send(compress(&body)).json();
            let got = &answer[member];
            assert_eq!(*got, compressed_here(dialect, &list, "some-model"), "{dialect:?}");
            let result = got.pointer(&first).and_then(Value::as_str).unwrap();
            assert!(result.len() < much_less_than(&rows(), dialect), "{dialect:?}: {result}");
            // Nothing is left out for a caller that does not say that it can fetch.
            assert_eq!(answer["hashes"], json!([]), "{dialect:?}");
            let text = got.to_string();
            assert!(!text.contains("hash=") && !text.contains("SHADOW"), "{dialect:?}");
            assert!(answer["tokens_saved"].as_i64().unwrap() > 0, "{dialect:?}");
            // Beside the texts of the results everything is as it came.
            let mut with_texts = got.clone();
            put_back(&mut with_texts, &list);
            assert_eq!(with_texts, list, "{dialect:?}");
            // What was made is left as it is.
            let again = world.send(compress(&json!({member: got, "model": "some-model"}))).json();
            assert_eq!(again[member], *got, "{dialect:?}");
        }
    }
    assert!(world.mock.requests().is_empty());
}

/// Small models are shown plain JSON.
fn much_less_than(text: &str, dialect: Dialect) -> usize {
    if dialect == Dialect::Ollama { text.len() * 3 / 4 } else { text.len() / 2 }
}

/// Puts long texts back in the place of what became of them.
fn put_back(made: &mut Value, came: &Value) {
    match (made, came) {
        (Value::String(made), Value::String(came)) if came.len() > 1000 => made.clone_from(came),
        (Value::Array(made), Value::Array(came)) => {
            made.iter_mut().zip(came).for_each(|(made, came)| put_back(made, came));
        }
        (Value::Object(made), Value::Object(came)) => {
            for (name, made) in made {
                put_back(made, &came[name]);
            }
        }
        _ => {}
    }
}

#[test]
fn results_whose_calls_the_caller_keeps_to_itself_become_smaller_too() {
    let world = world();
    // LiteLLM holds back all that the model said.
    let body = json!({"messages": [
        {"role": "tool", "tool_call_id": "c1", "content": rows()},
        {"role": "user", "content": "And?"},
    ]});
    let answer = world.send(compress(&body)).json();
    let shown = answer["messages"][0]["content"].as_str().unwrap();
    assert!(shown.len() < rows().len() / 2, "{shown}");
    assert_eq!(answer["messages"][0]["tool_call_id"], "c1");
    assert_eq!(answer["messages"][1], body["messages"][1]);
}

#[test]
fn an_interaction_of_one_step_comes_back_as_one_step() {
    let world = world();
    let step =
        json!({"type": "function_result", "call_id": "c1", "name": "Bash", "result": rows()});
    let mut answer = world.send(compress(&json!({"input": step}))).json();
    let result = answer["input"]["result"].take();
    assert!(result.as_str().unwrap().len() < rows().len() / 2, "{result}");
    answer["input"]["result"] = json!(rows());
    assert_eq!(answer["input"], step);
    let text = r#"{"type" : "text", "text": "h\u0069"}"#;
    let answer = world.post("/v1/compress", format!(r#"{{"input":{text}}}"#));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.text().starts_with(&format!(r#"{{"input":{text},"#)), "{}", answer.text());
}

#[test]
fn what_cannot_be_read_or_has_no_results_comes_back_byte_for_byte() {
    let world = world();
    let long = "x".repeat(3000);
    for list in [
        "[]".to_owned(),
        "[ ]".to_owned(),
        r#"[ 1, "a", null, {"role" : "user" , "content" : "\u0061\/"} ]"#.to_owned(),
        // Two readers could understand it in two ways.
        format!(r#"[{{"role":"tool","tool_call_id":"c","content":"{long}","content":"{long}"}}]"#),
        // Half a surrogate pair is no text.
        format!(r#"[{{"role":"tool","tool_call_id":"c","content":"\ud800{long}"}}]"#),
        format!(r#"[{{"type":"no_such_output","call_id":"c","output":"{long}"}}]"#),
        format!("{}1{}", "[".repeat(100), "]".repeat(100)),
    ] {
        for member in ["messages", "input", "contents"] {
            let answer = world.post("/v1/compress", format!(r#"{{"{member}":{list},"more":[1]}}"#));
            assert_eq!(answer.status, 200, "{list}: {}", answer.text());
            let begin = format!(r#"{{"{member}":{list},""#);
            assert!(answer.text().starts_with(&begin), "{list}: {}", answer.text());
            assert!(answer.text().contains(r#""tokens_saved":0,"#), "{list}: {}", answer.text());
        }
    }
    // Of the Responses API a text alone is a conversation.
    let text = world.post("/v1/compress", r#"{"input":"hi"}"#);
    assert_eq!(text.json()["input"], "hi");
}

#[test]
fn portkey_s_webhook_gets_the_whole_request_back_with_smaller_results() {
    let world = world();
    for (dialect, member, list, first) in conversations(&rows(), &test_run()) {
        let request = json!({
            member: list, "model": "some-model", "temperature": 0.5,
            "tools": [{"type": "function", "function": {"name": "Bash", "parameters": {"type": "object"}}}],
        });
        let hook = |event: &str| {
            json!({
                "request": {"json": request, "text": rows(), "isStreamingRequest": false},
                "response": {"json": {}, "text": "", "statusCode": null},
                "provider": "openai", "requestType": "chatComplete", "metadata": {"user": "u"},
                "eventType": event,
            })
        };
        let answer = world.send(compress(&hook("beforeRequestHook"))).json();
        assert_eq!(answer["verdict"], true, "{answer}");
        let mut made = answer["transformedData"]["request"]["json"].clone();
        assert_eq!(made[member], compressed_here(dialect, &list, "some-model"), "{dialect:?}");
        let result = made[member].pointer(&first).and_then(Value::as_str).unwrap();
        assert!(result.len() < much_less_than(&rows(), dialect), "{dialect:?}: {result}");
        assert!(answer["data"]["tokens_saved"].as_i64().unwrap() > 0);
        made[member] = list;
        assert_eq!(made, request, "{dialect:?}");
        let after = world.send(compress(&hook("afterRequestHook"))).json();
        assert_eq!((&after["verdict"], after.get("transformedData")), (&json!(true), None));
    }
    for json in [json!(null), json!({"prompt": "a"}), json!({"input": ["a", "b"]}), json!("a")] {
        let hook = json!({"request": {"json": json}, "eventType": "beforeRequestHook"});
        let answer = world.send(compress(&hook)).json();
        assert_eq!((&answer["verdict"], answer.get("transformedData")), (&json!(true), None));
    }
}

#[test]
fn agentgateway_s_webhook_gets_messages_back_only_if_their_results_keep_their_calls() {
    let world = world();
    let action = |messages: Value| {
        let body = json!({"body": {"messages": messages}});
        world.send(compress(&body)).json()["action"].clone()
    };
    for (dialect, _, list, first) in conversations(&rows(), &test_run()) {
        let action = action(list.clone());
        // Neither of these two names the calls in its results.
        if matches!(dialect, Dialect::Gemini | Dialect::Ollama) {
            assert_eq!(action.get("body"), None, "{dialect:?}");
            continue;
        }
        let made = &action["body"]["messages"];
        assert!(made.pointer(&first).unwrap().as_str().unwrap().len() < rows().len() / 2);
        assert!(action["reason"].as_str().unwrap().contains("tokens of tool results became"));
    }
    // In its usual format a message has a role and a text.
    let plain = json!([{"role": "user", "content": "Go on."}, {"role": "tool", "content": rows()}]);
    assert_eq!(action(plain), json!({"reason": "nothing to make smaller"}));
    let answer = json!({"body": {"choices": [{"message": {"role": "assistant", "content": "a"}}]}});
    let passed = world.send(compress(&answer)).json();
    assert_eq!(passed, json!({"action": {"reason": "nothing to make smaller"}}));
}

const SECRET: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

#[test]
fn f14_no_secret_comes_back_to_a_caller_and_what_cannot_be_checked_is_refused() {
    let world = world_with(|settings| settings.redact_secrets = true);
    let secret = format!("{}\n{SECRET}", rows());
    for (dialect, member, list, _) in conversations(&secret, &test_run()) {
        let mut list = list;
        list.as_array_mut().unwrap().push(match member {
            "contents" => json!({"role": "user", "parts": [{"text": SECRET}]}),
            _ => json!({"role": "user", "content": [{"type": "text", "text": SECRET}]}),
        });
        let hook = json!({
            "request": {"json": {member: list, "system": SECRET, "model": "m"}},
            "eventType": "beforeRequestHook",
        });
        for body in [json!({member: list}), json!({"body": {"messages": list}}), hook] {
            let answer = world.send(compress(&body));
            let is_refused =
                matches!(dialect, Dialect::Gemini | Dialect::Ollama) && body.get("body").is_some();
            let status = if is_refused { 503 } else { 200 };
            assert_eq!(answer.status, status, "{dialect:?}: {}", answer.text());
            assert!(!answer.text().contains(SECRET), "{dialect:?}: {}", answer.text());
            assert!(is_refused || answer.text().contains("[REDACTED"), "{dialect:?}");
        }
    }
    // Without results too.
    for body in [
        json!({"messages": [{"role": "user", "content": SECRET}]}),
        json!({"input": SECRET}),
        json!({"request": {"json": {"prompt": SECRET}}, "eventType": "beforeRequestHook"}),
        json!({"body": {"messages": [{"role": "user", "content": SECRET}]}}),
    ] {
        let answer = world.send(compress(&body));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.text().contains("[REDACTED"), "{}", answer.text());
        assert!(!answer.text().contains(SECRET), "{}", answer.text());
    }
    let twice = r#"{"messages":[{"role":"user","content":"a","content":"b"}]}"#;
    assert_eq!(world.post("/v1/compress", twice).status, 503);
}
