//! JSON in prompt context, sent as TOON where the operator wants that.

use crate::fixtures::{escaped, rows};
use crate::house::House;
use crate::voices::{ANTHROPIC, CHAT, Conversation, OLLAMA, Voice, WHOLE};
use serde_json::{Value, json};
use tokenforge_engine::{Mode, restore};

/// A house that converts texts above so many bytes.
fn converting(min_bytes: usize) -> House {
    House::with(|settings| {
        settings.toon.enabled = true;
        settings.toon.min_bytes = min_bytes;
    })
}

/// What the user says last, as it reaches the provider.
fn heard_as(house: &House, voice: Voice, text: &str) -> String {
    let mut conversation = Conversation::new(voice);
    match voice.name {
        "gemini" => conversation.body["contents"][0]["parts"][0]["text"] = json!(text),
        "converse" => conversation.body["messages"][0]["content"][0]["text"] = json!(text),
        "responses" => conversation.body["input"][0]["content"] = json!(text),
        "interactions" => conversation.body["input"][0]["content"][0]["text"] = json!(text),
        _ => conversation.body["messages"][0]["content"] = json!(text),
    }
    let _ = conversation.heard(house);
    let body = house.mock.last().json();
    let text = match voice.name {
        "gemini" => &body["contents"][0]["parts"][0]["text"],
        "converse" => &body["messages"][0]["content"][0]["text"],
        "responses" => &body["input"][0]["content"],
        "interactions" => &body["input"][0]["content"][0]["text"],
        _ => &body["messages"][0]["content"],
    };
    text.as_str().unwrap().to_owned()
}

fn kept(house: &House, reason: &str) -> Value {
    house.stats()["prompts_kept"][reason].clone()
}

/// An object at the root, as a probe that looks at the first character wants it.
fn object() -> String {
    format!("{{\"total\": 60, \"rows\": {}}}", rows())
}

#[test]
fn p1_t1_what_is_not_enabled_changes_nothing() {
    let house = House::with(|settings| settings.tool_output.mode = Mode::Disabled);
    for voice in WHOLE.iter().copied() {
        assert_eq!(heard_as(&house, voice, &object()), object(), "{voice:?}");
    }
    assert_eq!(house.stats()["counters"]["prompts_converted"], 0);
}

#[test]
fn p1_t2_t5_enabled_the_users_json_becomes_toon_in_every_dialect() {
    for voice in WHOLE.iter().copied() {
        let house = converting(256);
        let heard = heard_as(&house, voice, &object());
        assert!(heard.starts_with("total: 60\nrows[60]{id,name,ok}:\n"), "{voice:?}: {heard}");
        assert!(heard.contains("the last one"), "{voice:?}");
        assert_eq!(house.stats()["counters"]["prompts_converted"], 1, "{voice:?}");
    }
}

#[test]
fn p2_short_texts_stay_and_are_counted() {
    let text = object();
    let house = converting(text.len());
    assert_eq!(heard_as(&house, ANTHROPIC, &text), text);
    assert_eq!(kept(&house, "skippedBySize"), 1);
    let house = converting(text.len() - 1);
    assert_ne!(heard_as(&house, ANTHROPIC, &text), text);
}

#[test]
fn p3_p14_what_toon_cannot_hold_goes_on_or_is_an_error() {
    let twice = format!("{{\"a\": 1, \"a\": 2, \"rows\": {}}}", rows());
    let mut house = converting(256);
    assert_eq!(heard_as(&house, CHAT, &twice), twice);
    assert_eq!(kept(&house, "failure"), 1);
    house.change(|settings| settings.toon.fail_open = false);
    house.mock.clear();
    for voice in [ANTHROPIC, CHAT] {
        let mut conversation = Conversation::new(voice);
        conversation.says(&twice);
        let response = conversation.send(&house);
        assert_eq!(response.status, 422, "{}", response.text());
        let message = response.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("TOON_FAIL_OPEN"), "{message}");
    }
    assert_eq!(house.mock.requests().len(), 0);
}

#[test]
fn p4_t3_schemas_arguments_ids_and_roles_never_change() {
    let house = converting(64);
    let big: Value = serde_json::from_str(&object()).unwrap();
    let mut body = Conversation::new(ANTHROPIC).body;
    body["tools"][0]["input_schema"]["examples"] = big.clone();
    body["metadata"] = json!({ "user_id": object() });
    body["messages"] = json!([
        { "role": "user", "content": [{ "type": "text", "text": "hi" }] },
        { "role": "assistant", "content": [{ "type": "text", "text": object() },
            { "type": "tool_use", "id": "toolu_1", "name": "Bash", "input": big }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "toolu_1", "content": "ok" }] },
    ]);
    assert_eq!(
        house.post(ANTHROPIC.path, body.to_string()).status,
        200,
        "{:?}",
        house.mock.refusals()
    );
    let mut forwarded = house.mock.last().json();
    forwarded["tools"].as_array_mut().unwrap().pop();
    assert_eq!(forwarded, body);
}

#[test]
fn p5_p6_results_are_written_shorter_and_every_match_can_be_read() {
    let matches: Vec<_> = (0..60)
        .map(|n| json!({ "file": format!("src/part_{n}.rs"), "line": n * 7 + 1, "match": format!("let total_{n} = sum();") }))
        .collect();
    let output = serde_json::to_string_pretty(&matches).unwrap();
    for content in [json!(output), json!([{ "type": "text", "text": output }])] {
        // In this mode nothing is left out.
        let house = House::with(|settings| {
            settings.toon.enabled = true;
            settings.toon.min_bytes = 256;
            settings.tool_output.mode = Mode::Lossless;
        });
        let mut body = Conversation::new(ANTHROPIC).body;
        body["messages"] = json!([
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "toolu_1", "name": "Grep", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "toolu_1", "content": content }] },
        ]);
        assert_eq!(
            house.post(ANTHROPIC.path, body.to_string()).status,
            200,
            "{:?}",
            house.mock.refusals()
        );
        let forwarded = house.mock.last().json();
        let result = &forwarded["messages"][2]["content"][0];
        assert_eq!(result["content"].is_string(), content.is_string());
        let text = result["content"].as_str().or(result["content"][0]["text"].as_str()).unwrap();
        assert!(text.len() < output.len(), "{text}");
        let restored: Value = serde_json::from_str(&restore(text).unwrap()).unwrap();
        assert_eq!(restored, json!(matches), "{text}");
    }
}

#[test]
fn p7_what_would_grow_stays_and_is_counted() {
    // One long string: TOON has nothing to leave out.
    let text = format!("[\"{}\"]", "a, b: c ".repeat(200));
    let house = converting(256);
    assert_eq!(heard_as(&house, CHAT, &text), text);
    assert_eq!(kept(&house, "skippedByGrowth"), 1, "{}", house.stats()["prompts_kept"]);
}

#[test]
fn p8_what_would_not_come_back_the_same_stays() {
    let text = object().replace("row ", "r\\u006fw ");
    let house = converting(256);
    assert_eq!(heard_as(&house, CHAT, &text), text);
    assert_eq!(kept(&house, "mismatch"), 1, "{}", house.stats()["prompts_kept"]);
}

#[test]
fn p9_p13_the_first_request_is_converted_and_the_second_is_the_same() {
    let mut house = converting(256);
    let mut conversation = Conversation::new(OLLAMA);
    conversation.says(&object());
    let _ = conversation.heard(&house);
    let first = house.forwarded();
    assert!(!first.contains(&escaped(&object())));
    let response = conversation.send(&house);
    assert_eq!(house.forwarded(), first);
    conversation.goes_on(&response, &[]);
    conversation.says("And?");
    let _ = conversation.heard(&house);
    let voice = conversation.voice;
    assert!(voice.conversation(&house.forwarded()).starts_with(voice.conversation(&first)));
    house.restart();
    let _ = conversation.heard(&house);
    assert!(voice.conversation(&house.forwarded()).starts_with(voice.conversation(&first)));
}

#[test]
fn p10_a_listing_keeps_every_name() {
    let house = converting(64);
    let names: Vec<_> =
        (0..80).map(|n| format!("file_{n}.rs")).chain(["Dockerfile".to_owned()]).collect();
    let mut body = Conversation::new(ANTHROPIC).body;
    body["messages"] = json!([
        { "role": "user", "content": "hi" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "toolu_1", "name": "Bash", "input": { "command": "ls" } }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "toolu_1", "content": names.join("\n") }] },
    ]);
    assert_eq!(house.post(ANTHROPIC.path, body.to_string()).status, 200);
    let forwarded = house.mock.last().json();
    let text = forwarded["messages"][2]["content"][0]["content"].as_str().unwrap();
    assert!(text.contains("Dockerfile"), "{text}");
    let is_whole = names.iter().all(|name| text.contains(name.as_str()));
    assert!(is_whole || text.starts_with("<<<SHADOW:") || text.contains("[Forge "), "{text}");
}
