//! What a reply does next is the same however it came.

use tokenforge_providers::Dialect::{
    Anthropic, BedrockConverse, Gemini, GeminiInteractions, Ollama, OpenAiChat, OpenAiResponses,
};
use tokenforge_providers::{Dialect, NextAction, ToolCall, WireFormat};

fn events(list: &[&str]) -> String {
    list.iter().map(|json| format!("data: {json}\n\n")).collect()
}

#[track_caller]
fn action(dialect: Dialect, wire: WireFormat, reply: &str) -> NextAction {
    NextAction::read(dialect, wire, reply.as_bytes()).unwrap_or_else(|| panic!("none in {reply}"))
}

/// `Look.` and a call of `ls` with a path.
fn expected() -> NextAction {
    let call = ToolCall { tool: "ls".to_owned(), arguments: r#"{"path":"."}"#.to_owned() };
    NextAction { calls: vec![call], text: "Look.".to_owned(), fetches_back: false }
}

#[test]
fn v9_a_whole_reply_and_a_stream_of_it_are_the_same_action() {
    let chat_message = r#"{"choices":[{"index":0,"message":{"content":"Look.","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{\"path\":\".\"}"}}]}}]}"#;
    let chat_chunks = [
        r#"{"choices":[{"index":0,"delta":{"content":"Lo"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"ok."}},{"index":1,"delta":{"content":"No."}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"ls","arguments":""}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\".\"}"}}]}}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":1}}"#,
    ];
    let message = r#"{"id":"m","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Look."},{"type":"tool_use","id":"t","name":"ls","input":{"path":"."}}]}"#;
    let blocks = [
        r#"{"type":"message_start","message":{"id":"m","content":[]}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Look."}}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"u","name":"web_search","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t","name":"ls","input":{}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\".\"}"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let item_text = r#"{"type":"message","content":[{"type":"output_text","text":"Look."}]}"#;
    let item_call =
        r#"{"type":"function_call","call_id":"c","name":"ls","arguments":"{\"path\":\".\"}"}"#;
    let response = format!(
        r#"{{"object":"response","error":null,"output":[{{"type":"reasoning"}},{item_text},{item_call}]}}"#
    );
    let item = |item: &str| format!(r#"{{"type":"response.output_item.done","item":{item}}}"#);
    let (done_text, done_call) = (item(item_text), item(item_call));
    let items = [
        r#"{"type":"response.output_text.delta","delta":"Look."}"#,
        &done_text,
        &done_call,
        r#"{"type":"response.completed","response":{"output":[]}}"#,
    ];
    let part = |parts: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{parts}]}}}}]}}"#);
    let thought = r#"{"text":"hm","thought":true}"#;
    let call = r#"{"functionCall":{"name":"ls","args":{"path":"."}}}"#;
    let gemini = part(&format!(r#"{thought},{{"text":"Look."}},{call}"#));
    let chunks = [part(r#"{"text":"Look."}"#), part(call)];
    let wrapped: Vec<String> =
        chunks.iter().map(|chunk| format!(r#"{{"response":{chunk}}}"#)).collect();
    let converse = r#"{"output":{"message":{"role":"assistant","content":[{"text":"Look."},{"toolUse":{"toolUseId":"t","name":"ls","input":{"path":"."}}}]}}}"#;
    let ollama = [
        r#"{"message":{"role":"assistant","content":"Lo"}}"#,
        r#"{"message":{"role":"assistant","content":"ok.","tool_calls":[{"function":{"name":"ls","arguments":{"path":"."}}}]},"done":true}"#,
    ];
    let steps = r#"{"status":"requires_action","steps":[{"type":"thought","signature":"s"},{"type":"model_output","content":[{"type":"text","text":"Look."}]},{"type":"function_call","id":"c","name":"ls","arguments":{"path":"."}}]}"#;
    let step_events = [
        r#"{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"}}"#,
        r#"{"event_type":"step.start","index":0,"step":{"type":"model_output"}}"#,
        r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Look."}}"#,
        r#"{"event_type":"step.stop","index":0}"#,
        r#"{"event_type":"step.start","index":1,"step":{"type":"function_call","id":"c","name":"ls","arguments":{}}}"#,
        r#"{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"{\"path\":"}}"#,
        r#"{"event_type":"step.delta","index":1,"delta":{"type":"arguments_delta","arguments":"\".\"}"}}"#,
        r#"{"event_type":"step.stop","index":1}"#,
        r#"{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"requires_action"}}"#,
    ];
    for (dialect, wire, reply) in [
        (GeminiInteractions, WireFormat::Whole, steps.to_owned()),
        (GeminiInteractions, WireFormat::Events, events(&step_events) + "data: [DONE]\n\n"),
        (OpenAiChat, WireFormat::Whole, chat_message.to_owned()),
        (OpenAiChat, WireFormat::Events, events(&chat_chunks) + "data: [DONE]\n\n"),
        (Anthropic, WireFormat::Whole, message.to_owned()),
        (Anthropic, WireFormat::Events, events(&blocks)),
        (OpenAiResponses, WireFormat::Whole, response),
        (OpenAiResponses, WireFormat::Events, events(&items)),
        (Gemini, WireFormat::Whole, gemini),
        (Gemini, WireFormat::Events, events(&[&chunks[0], &chunks[1]])),
        (Gemini, WireFormat::Events, events(&[&wrapped[0], &wrapped[1]])),
        (Gemini, WireFormat::Array, format!("[{},\n{}]", chunks[0], chunks[1])),
        (BedrockConverse, WireFormat::Whole, converse.to_owned()),
        (Ollama, WireFormat::Lines, ollama.join("\n") + "\n"),
    ] {
        assert_eq!(action(dialect, wire, &reply), expected(), "{dialect:?} {wire:?}");
    }
}

#[test]
fn v9_a_call_of_our_own_tool_is_told_from_the_clients() {
    let call = r#"{"type":"tool_use","id":"t","name":"expand_context","input":{"id":"s"}}"#;
    let reply = format!(r#"{{"type":"message","content":[{call}]}}"#);
    let read = action(Anthropic, WireFormat::Whole, &reply);
    assert!(read.fetches_back && read.calls.is_empty());
}

#[test]
fn v9_an_error_and_what_is_no_reply_have_no_action() {
    let broken = events(&[
        r#"{"type":"message_start","message":{"content":[]}}"#,
        r#"{"type":"error","error":{"type":"overloaded_error"}}"#,
    ]);
    for (dialect, wire, reply) in [
        (Anthropic, WireFormat::Whole, r#"{"type":"error","error":{"type":"overloaded_error"}}"#),
        (Anthropic, WireFormat::Events, &*broken),
        (Anthropic, WireFormat::Whole, "<html>"),
        (Anthropic, WireFormat::Whole, ""),
        (OpenAiChat, WireFormat::Whole, r#"{"error":{"message":"m"}}"#),
        (OpenAiChat, WireFormat::Events, "data: [DONE]\n\n"),
        (OpenAiResponses, WireFormat::Whole, r#"{"error":{"message":"m"},"output":[]}"#),
        (OpenAiResponses, WireFormat::Events, "data: {\"type\":\"response.failed\"}\n\n"),
        (Gemini, WireFormat::Whole, r#"[{"error":{"code":429}}]"#),
        (GeminiInteractions, WireFormat::Whole, r#"{"error":{"code":"x","message":"m"}}"#),
        (GeminiInteractions, WireFormat::Events, "data: {\"event_type\":\"error\"}\n\n"),
        (Ollama, WireFormat::Lines, r#"{"error":"m"}"#),
        (BedrockConverse, WireFormat::Whole, r#"{"message":"m"}"#),
    ] {
        assert_eq!(NextAction::read(dialect, wire, reply.as_bytes()), None, "{dialect:?} {reply}");
    }
}
