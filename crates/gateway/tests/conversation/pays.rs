//! Decision 15: the expand tool is offered where it pays for itself, and no request has more tokens than the client's.

use crate::fixtures::{rows, test_run};
use crate::house::House;
use crate::recorded::{forwarded, recordings};
use crate::voices::{Conversation, RESPONSES, WHOLE, all};
use serde_json::{Value, json};
use tokenforge_config::ExpandInjection;
use tokenforge_engine::Mode;
use tokenforge_providers::{Dialect, ExpandScope, expand_tool};
use tokenforge_tokens::{Counter, Vocabulary};

const TOOL: &str = "expand_context";
const DIALECTS: [Dialect; 8] = [
    Dialect::Anthropic,
    Dialect::OpenAiChat,
    Dialect::OpenAiResponses,
    Dialect::Gemini,
    Dialect::GeminiInteractions,
    Dialect::BedrockConverse,
    Dialect::BedrockInvoke,
    Dialect::Ollama,
];

fn house(mode: Mode) -> House {
    House::with(|settings| {
        settings.tool_output.expand_injection = ExpandInjection::default();
        settings.tool_output.mode = mode;
    })
}

/// More than a hundred times the tokens of the definition.
fn long_prompt() -> String {
    "You are a careful engineer. Read before you write. ".repeat(700)
}

/// The conversation with a system prompt.
fn prompted(mut conversation: Conversation, prompt: &str) -> Conversation {
    let body = &mut conversation.body;
    let system = json!({ "role": "system", "content": prompt });
    match conversation.voice.name {
        "anthropic" | "invoke" => body["system"] = json!([{ "type": "text", "text": prompt }]),
        "responses" => body["instructions"] = json!(prompt),
        "interactions" => body["system_instruction"] = json!(prompt),
        "gemini" => body["systemInstruction"] = json!({ "parts": [{ "text": prompt }] }),
        "converse" => body["system"] = json!([{ "text": prompt }]),
        _ => body["messages"].as_array_mut().unwrap().insert(0, system),
    }
    conversation
}

#[test]
fn decision_15_the_definition_has_at_most_60_tokens() {
    for vocabulary in [Vocabulary::O200k, Vocabulary::Cl100k] {
        for dialect in DIALECTS {
            let tokens = Counter::from(vocabulary).count(expand_tool(dialect));
            assert!(tokens <= 60, "{dialect:?}: {tokens} in {vocabulary:?}");
        }
    }
}

#[test]
fn c15_decision_15_the_definition_that_reaches_cleared_results_has_at_most_80() {
    for vocabulary in [Vocabulary::O200k, Vocabulary::Cl100k] {
        for dialect in DIALECTS {
            let definition = ExpandScope::EarlierResults.definition(dialect);
            assert_ne!(definition, expand_tool(dialect), "{dialect:?}");
            let tokens = Counter::from(vocabulary).count(&definition);
            assert!(tokens <= 80, "{dialect:?}: {tokens} in {vocabulary:?}");
        }
    }
}

#[test]
fn d57_decision_15_a_small_prompt_is_offered_nothing_and_loses_nothing() {
    for voice in all() {
        let house = house(Mode::Standard);
        let conversation = prompted(Conversation::new(voice), "Be brief.");
        let _ = conversation.with_output(&house, &test_run()).heard(&house);
        for request in house.mock.requests() {
            let body = String::from_utf8(request.plain().to_vec()).unwrap();
            assert!(!body.contains(TOOL) && !body.contains("SHADOW"), "{voice:?}: {body}");
        }
    }
}

#[test]
fn decision_15_a_large_prompt_with_a_shell_is_offered_the_tool_from_the_first_request_on() {
    for voice in all() {
        let house = house(Mode::Standard);
        let conversation = prompted(Conversation::new(voice), &long_prompt());
        let _ = conversation.with_output(&house, &test_run()).heard(&house);
        let requests = house.mock.requests();
        let bodies: Vec<String> =
            requests.iter().map(|one| String::from_utf8(one.plain().to_vec()).unwrap()).collect();
        assert_eq!(bodies.len(), 2, "{voice:?}");
        for body in &bodies {
            assert_eq!(body.matches(TOOL).count(), 1, "{voice:?}");
        }
        assert!(bodies[1].contains("SHADOW"), "{voice:?}");
    }
}

#[test]
fn decision_15_what_is_no_shell_or_is_deferred_does_not_count() {
    let bulk = |name: &str, is_deferred: bool| {
        let mut tool = json!({ "name": name, "description": long_prompt(), "input_schema": { "type": "object" } });
        if is_deferred {
            tool["defer_loading"] = json!(true);
        }
        tool
    };
    for (tools, is_offered) in [
        (json!([bulk("Bash", false)]), true),
        (json!([bulk("get_weather", false)]), false),
        (json!([bulk("Bash", true)]), false),
        (json!([bulk("Bash", true), bulk("get_weather", false)]), false),
        (json!([{ "name": "Bash", "input_schema": {} }, bulk("get_weather", true)]), false),
        (json!([{ "name": "Bash", "input_schema": {} }, bulk("get_weather", false)]), true),
        (json!([{ "type": "bash_20250124", "name": "bash" }, bulk("a", false)]), true),
    ] {
        let house = house(Mode::Standard);
        let body = json!({ "model": "claude-sonnet-4-5", "max_tokens": 1, "tools": tools,
            "messages": [{ "role": "user", "content": "hi" }] });
        let _ = house.post("/v1/messages", body.to_string());
        assert_eq!(house.forwarded().contains(TOOL), is_offered, "{is_offered}");
    }
}

#[test]
fn decision_15_tools_that_came_as_an_item_count() {
    let house = house(Mode::Standard);
    let schema = json!({ "type": "object" });
    let item = json!({ "type": "additional_tools", "role": "developer", "tools": [
        { "type": "function", "name": "shell", "description": long_prompt(), "parameters": schema }] });
    let body = json!({ "model": "gpt-5", "input": [item, { "role": "user", "content": "hi" }] });
    let _ = house.post(RESPONSES.path, body.to_string());
    assert!(house.forwarded().contains(TOOL), "Codex names its tools in an item");
}

#[test]
fn decision_15_other_modes_never_inject() {
    for mode in [Mode::Disabled, Mode::Observe, Mode::Safe, Mode::Lossless] {
        for voice in WHOLE {
            let house = house(mode);
            let conversation = prompted(Conversation::new(*voice), &long_prompt());
            let _ = conversation.with_output(&house, &rows()).heard(&house);
            assert!(!house.forwarded().contains(TOOL), "{voice:?} {mode:?}");
        }
    }
}

#[test]
fn l11_d57_no_recorded_request_has_more_tokens_but_for_the_one_definition() {
    let counter = Counter::from(Vocabulary::O200k);
    let recordings = recordings();
    let (mut offered, mut others) = (0, 0);
    for mode in Mode::ALL {
        let house = house(mode);
        for recording in &recordings {
            let sent = String::from_utf8(forwarded(&house, recording)).unwrap();
            let tool = format!(",{}", expand_tool(recording.dialect()));
            let is_offered = sent.contains(&tool);
            let sent = sent.replacen(&tool, "", 1);
            let client = str::from_utf8(recording.body()).unwrap();
            let (after, before) = (counter.count(&sent), counter.count(client));
            assert!(after <= before, "{} in {mode:?}: {before} -> {after}", recording.name);
            *(if is_offered { &mut offered } else { &mut others }) += 1;
        }
    }
    assert!(offered > 0 && others > 0, "{offered} offered, {others} not");
}

#[test]
fn decision_15_the_other_rules_stay_available() {
    for (injection, requests) in [
        (ExpandInjection::FromStart, [true, true]),
        (ExpandInjection::WhenReferenced, [false, true]),
    ] {
        for voice in WHOLE {
            let house = House::with(|settings| settings.tool_output.expand_injection = injection);
            let _ = Conversation::new(*voice).with_output(&house, &test_run()).heard(&house);
            let has_tool = |request: &tokenforge_mock::Recorded| {
                let body: Value = serde_json::from_slice(&request.plain()).unwrap();
                body["tools"].to_string().contains(TOOL)
                    || body["toolConfig"].to_string().contains(TOOL)
            };
            let told: Vec<bool> = house.mock.requests().iter().map(has_tool).collect();
            assert_eq!(told, requests, "{voice:?} {injection:?}");
        }
    }
}
