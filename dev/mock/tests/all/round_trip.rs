//! What the mock says is accepted when it comes back unchanged, and refused when it was changed.

use crate::kit;
use serde_json::{Value, json};
use tokenforge_mock::{Mock, Reply};

/// A dialect: its path, a first request, and how the next one is made from it and the answer.
struct Conversation {
    path: &'static str,
    first: Value,
    next: fn(Value, &Value) -> Value,
    /// Places in the next request whose change or loss must be seen.
    fragile: &'static [&'static str],
}

fn conversations() -> Vec<Conversation> {
    let user = json!([{ "role": "user", "content": "hi" }]);
    let tool = json!({ "name": "Bash", "input_schema": { "type": "object" } });
    let anthropic = json!({
        "model": "m", "max_tokens": 4000, "messages": user, "tools": [tool],
        "thinking": { "type": "enabled", "budget_tokens": 2000 },
    });
    let invoke = json!({
        "anthropic_version": "bedrock-2023-05-31", "max_tokens": 4000, "messages": user, "tools": [tool],
        "thinking": { "type": "adaptive" },
    });
    const BLOCKS: &[&str] = &[
        "/messages/1/content/0",
        "/messages/1/content/0/thinking",
        "/messages/1/content/0/signature",
        "/messages/1/content/2/id",
        "/messages/1/content/2/name",
        "/messages/1/content/2/input/command",
        "/messages/2/content/0/tool_use_id",
        "/messages/2/content/1",
    ];
    let turn = json!([{ "role": "user", "parts": [{ "text": "hi" }] }]);
    let said = json!([{ "role": "user", "content": [{ "text": "hi" }] }]);
    vec![
        Conversation {
            path: "/v1/messages",
            first: anthropic,
            next: anthropic_next,
            fragile: BLOCKS,
        },
        Conversation {
            path: "/model/m/invoke",
            first: invoke,
            next: anthropic_next,
            fragile: BLOCKS,
        },
        Conversation {
            path: "/v1/chat/completions",
            first: json!({ "model": "m", "messages": user }),
            next: chat_next,
            fragile: &[
                "/messages/1/tool_calls/0/id",
                "/messages/1/tool_calls/0/function/name",
                "/messages/1/tool_calls/1/function/arguments",
                "/messages/2/tool_call_id",
                "/messages/3",
            ],
        },
        Conversation {
            path: "/v1/responses",
            first: json!({ "model": "m", "input": [{ "role": "user", "content": "hi" }], "store": false,
                "include": ["reasoning.encrypted_content"] }),
            next: responses_next,
            fragile: &[
                "/input/1",
                "/input/1/summary/0/text",
                "/input/1/encrypted_content",
                "/input/3/call_id",
                "/input/3/name",
                "/input/3/arguments",
                "/input/4",
                "/input/5",
                "/input/6/call_id",
            ],
        },
        Conversation {
            path: "/v1beta/models/gemini-3-pro:generateContent",
            first: json!({ "contents": turn }),
            next: gemini_next,
            fragile: &[
                "/contents/1/parts/2/functionCall/id",
                "/contents/1/parts/2/functionCall/name",
                "/contents/1/parts/2/functionCall/args/command",
                "/contents/1/parts/2/thoughtSignature",
                "/contents/1/parts/3",
                "/contents/2/parts/0",
                "/contents/2/parts/0/functionResponse/name",
            ],
        },
        Conversation {
            path: "/v1beta/interactions",
            first: json!({ "model": "m", "store": false,
                "input": [{ "type": "user_input", "content": [{ "type": "text", "text": "hi" }] }] }),
            next: interactions_next,
            fragile: &[
                "/input/1",
                "/input/1/summary/0/text",
                "/input/1/signature",
                "/input/3/id",
                "/input/3/name",
                "/input/3/arguments/command",
                "/input/4",
                "/input/5",
                "/input/6/call_id",
            ],
        },
        Conversation {
            path: "/model/m/converse",
            first: json!({ "messages": said, "toolConfig": { "tools": [] },
                "additionalModelRequestFields": { "thinking": { "type": "enabled" } } }),
            next: converse_next,
            fragile: &[
                "/messages/1/content/0",
                "/messages/1/content/0/reasoningContent/reasoningText/text",
                "/messages/1/content/0/reasoningContent/reasoningText/signature",
                "/messages/1/content/2/toolUse/toolUseId",
                "/messages/1/content/2/toolUse/input/command",
                "/messages/1/content/3",
                "/messages/2/content/0/toolResult/toolUseId",
            ],
        },
        Conversation {
            path: "/api/chat",
            first: json!({ "model": "m", "messages": user, "stream": false }),
            next: ollama_next,
            fragile: &[
                "/messages/1/tool_calls/0/function/name",
                "/messages/1/tool_calls/0/function/arguments/command",
            ],
        },
    ]
}

#[test]
fn l8_what_comes_back_unchanged_is_accepted_and_every_change_is_refused() {
    for conversation in conversations() {
        let Conversation { path, first, next, fragile } = conversation;
        let mock = Mock::start();
        mock.only_own_ids();
        mock.reply(
            Reply::new()
                .thinking("Let me see.")
                .text("I will look.")
                .call("Bash", json!({ "command": "ls" }))
                .call("Bash", json!({ "command": "pwd" })),
        );
        let answer = kit::post(&mock, path, &first);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let request = next(first, &answer.json());
        let again = kit::post(&mock, path, &request);
        assert_eq!(again.status, 200, "{path}: {:?}", mock.refusals());
        for place in fragile {
            for (how, changed) in
                [("changed", changed(&request, place)), ("lost", lost(&request, place))]
            {
                let response = kit::post(&mock, path, &changed);
                assert_eq!(
                    response.status, 400,
                    "{path}: {place} was {how} and the mock accepted it"
                );
            }
        }
    }
}

/// The request with another string at a place. Anything else there is lost.
fn changed(request: &Value, place: &str) -> Value {
    let mut other = request.clone();
    match other.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) {
        Value::String(text) => *text = text.replacen(|c: char| c.is_ascii_alphanumeric(), "#", 1),
        _ => return lost(request, place),
    }
    other
}

/// The request without what is at a place.
fn lost(request: &Value, place: &str) -> Value {
    let mut request = request.clone();
    let (parent, last) = place.rsplit_once('/').unwrap();
    match request.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.remove(last)),
        Value::Array(items) => drop(items.remove(last.parse().unwrap())),
        other => panic!("{other} at {parent}"),
    }
    request
}

fn push(list: &mut Value, item: Value) {
    list.as_array_mut().unwrap().push(item);
}

fn anthropic_next(mut request: Value, answer: &Value) -> Value {
    let results: Vec<_> = answer["content"].as_array().unwrap()[2..]
        .iter()
        .map(|call| json!({ "type": "tool_result", "tool_use_id": call["id"], "content": "x" }))
        .collect();
    push(&mut request["messages"], json!({ "role": "assistant", "content": answer["content"] }));
    push(&mut request["messages"], json!({ "role": "user", "content": results }));
    request
}

fn chat_next(mut request: Value, answer: &Value) -> Value {
    let message = &answer["choices"][0]["message"];
    push(&mut request["messages"], message.clone());
    for call in message["tool_calls"].as_array().unwrap() {
        push(
            &mut request["messages"],
            json!({ "role": "tool", "tool_call_id": call["id"], "content": "x" }),
        );
    }
    request
}

fn responses_next(mut request: Value, answer: &Value) -> Value {
    let output = answer["output"].as_array().unwrap();
    for item in output {
        push(&mut request["input"], item.clone());
    }
    for call in &output[2..] {
        push(
            &mut request["input"],
            json!({ "type": "function_call_output", "call_id": call["call_id"], "output": "x" }),
        );
    }
    request
}

fn interactions_next(mut request: Value, answer: &Value) -> Value {
    let steps = answer["steps"].as_array().unwrap();
    for step in steps {
        push(&mut request["input"], step.clone());
    }
    for call in &steps[2..] {
        push(
            &mut request["input"],
            json!({ "type": "function_result", "call_id": call["id"], "result": "x" }),
        );
    }
    request
}

fn gemini_next(mut request: Value, answer: &Value) -> Value {
    let content = &answer["candidates"][0]["content"];
    let results: Vec<_> = content["parts"].as_array().unwrap()[2..]
        .iter()
        .map(|part| {
            let call = &part["functionCall"];
            json!({ "functionResponse": { "id": call["id"], "name": call["name"], "response": { "output": "x" } } })
        })
        .collect();
    push(&mut request["contents"], content.clone());
    push(&mut request["contents"], json!({ "role": "user", "parts": results }));
    request
}

fn converse_next(mut request: Value, answer: &Value) -> Value {
    let message = &answer["output"]["message"];
    let results: Vec<_> = message["content"].as_array().unwrap()[2..]
        .iter()
        .map(|block| {
            let id = &block["toolUse"]["toolUseId"];
            json!({ "toolResult": { "toolUseId": id, "content": [{ "text": "x" }] } })
        })
        .collect();
    push(&mut request["messages"], message.clone());
    push(&mut request["messages"], json!({ "role": "user", "content": results }));
    request
}

fn ollama_next(mut request: Value, answer: &Value) -> Value {
    push(&mut request["messages"], answer["message"].clone());
    push(&mut request["messages"], json!({ "role": "tool", "tool_name": "Bash", "content": "x" }));
    request
}

#[test]
fn a_kept_interaction_is_gone_on_from_by_its_id() {
    let mock = Mock::start();
    mock.reply(Reply::calling("Bash", json!({})));
    let path = "/v1beta/interactions";
    let first = kit::post(&mock, path, &json!({ "model": "m", "input": "hi" })).json();
    let result =
        json!([{ "type": "function_result", "call_id": first["steps"][0]["id"], "result": "x" }]);
    let next = |input: &Value, id: &Value| {
        let body = json!({ "model": "m", "previous_interaction_id": id, "input": input });
        kit::post(&mock, path, &body).status
    };
    assert_eq!(next(&result, &first["id"]), 200);
    assert_eq!(next(&json!("more"), &first["id"]), 400, "the call is not answered");
    assert_eq!(next(&result, &json!("v1_other")), 400);
    let unkept = json!({ "model": "m", "input": "hi", "store": false });
    let unkept = kit::post(&mock, path, &unkept).json();
    assert_eq!(next(&json!("more"), &unkept["id"]), 400);
}

#[test]
fn a_stored_response_is_gone_on_from_by_its_id() {
    let mock = Mock::start();
    mock.reply(Reply::calling("Bash", json!({})));
    let first = kit::post(&mock, "/v1/responses", &json!({ "model": "m", "input": "hi" })).json();
    let id = &first["id"];
    let output = json!([{ "type": "function_call_output", "call_id": first["output"][0]["call_id"], "output": "x" }]);
    let next = |input: &Value, id: &Value| {
        let body = json!({ "model": "m", "previous_response_id": id, "input": input });
        kit::post(&mock, "/v1/responses", &body).status
    };
    assert_eq!(next(&output, id), 200);
    assert_eq!(next(&json!("more"), id), 400, "the call is not answered");
    assert_eq!(next(&output, &json!("resp_other")), 400);
}
