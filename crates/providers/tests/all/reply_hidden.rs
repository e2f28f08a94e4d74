//! Hidden calls stay hidden, whatever else is in a stream: events that cannot be read, events that no dialect knows, a byte
//! order mark, calls that begin out of order.

use crate::support::eventstream::{chunk, event, message};
use crate::support::talk::{Heard, data, payloads, talk, talk_in_any_split};
use serde_json::{Value, json};
use tokenforge_providers::{Dialect, WireFormat};

/// What belongs to the hidden call, and to nothing else: its name, its id and its argument.
const HIDDEN: [&str; 3] = ["expand_context", "hidden_1", "shadow_1"];

/// A reply in which text stands before a call of our tool, and the reply after it.
struct Case {
    dialect: Dialect,
    wire: WireFormat,
    /// The frames of the first reply.
    frames: Vec<Vec<u8>>,
    next: Vec<u8>,
    /// Frames that cannot be read, each of them alone.
    unreadable: Vec<Vec<u8>>,
    /// A frame that can be read, and that the dialect does not know.
    unknown: Vec<u8>,
}

fn sse(payloads: &[Value]) -> Vec<Vec<u8>> {
    payloads.iter().map(|json| format!("data: {json}\n\n").into_bytes()).collect()
}

fn unreadable_events() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 3] =
        [b"data: {\"type\": oops\n\n", b"data: no json\n\n", b"data: \xff\xfe\n\n"];
    texts.map(<[u8]>::to_vec).into()
}

fn anthropic(text: &str, reason: &str) -> Vec<Value> {
    let start = json!({"type": "message_start", "message": {"id": "m", "content": [], "usage": {"input_tokens": 1}}});
    let block = vec![
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        json!({"type": "content_block_stop", "index": 0}),
    ];
    let mut events = vec![start];
    events.extend(block);
    if reason == "tool_use" {
        events.extend([
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "hidden_1", "name": "expand_context", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"id\":"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "\"shadow_1\"}"}}),
            json!({"type": "content_block_stop", "index": 1}),
        ]);
    }
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}});
    events.extend([delta, json!({"type": "message_stop"})]);
    events
}

fn chat(deltas: &[Value], reason: &str) -> Vec<Vec<u8>> {
    let chunk = |delta: &Value, reason: Value| json!({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let mut events: Vec<Value> = deltas.iter().map(|delta| chunk(delta, Value::Null)).collect();
    events.push(chunk(&json!({}), json!(reason)));
    let mut frames = sse(&events);
    frames.push(b"data: [DONE]\n\n".to_vec());
    frames
}

fn responses(text: &str, is_asking: bool) -> Vec<Value> {
    let response = |status: &str| json!({"id": "r", "status": status, "output": []});
    let item = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]});
    let mut events = vec![
        json!({"type": "response.created", "response": response("in_progress")}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}}),
        json!({"type": "response.output_text.delta", "output_index": 0, "delta": text}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
    ];
    if is_asking {
        let call = |arguments: &str| json!({"type": "function_call", "call_id": "hidden_1", "name": "expand_context", "arguments": arguments});
        events.extend([
            json!({"type": "response.output_item.added", "output_index": 1, "item": call("")}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"id\":\"shadow_1\"}"}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": call("{\"id\":\"shadow_1\"}")}),
        ]);
    }
    events.push(json!({"type": "response.completed", "response": response("completed")}));
    events
}

fn gemini(text: &str, is_asking: bool) -> Vec<Value> {
    let chunk = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]});
    let mut chunks = vec![chunk(json!({"text": text}))];
    if is_asking {
        let call = json!({"id": "hidden_1", "name": "expand_context", "args": {"id": "shadow_1"}});
        chunks.push(chunk(json!({"functionCall": call})));
    }
    chunks.push(
        json!({"candidates": [{"content": {"role": "model"}, "finishReason": "STOP", "index": 0}]}),
    );
    chunks
}

fn interactions(text: &str, is_asking: bool) -> Vec<Value> {
    let about = |status: &str| json!({"id": "i", "status": status});
    let mut events = vec![
        json!({"event_type": "interaction.created", "interaction": about("in_progress")}),
        json!({"event_type": "step.start", "index": 0, "step": {"type": "model_output"}}),
        json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": text}}),
        json!({"event_type": "step.stop", "index": 0}),
    ];
    if is_asking {
        events.extend([
            json!({"event_type": "step.start", "index": 1, "step": {"type": "function_call", "id": "hidden_1", "name": "expand_context", "arguments": {}}}),
            json!({"event_type": "step.delta", "index": 1, "delta": {"type": "arguments_delta", "arguments": "{\"id\":\"shadow_1\"}"}}),
            json!({"event_type": "step.stop", "index": 1}),
        ]);
    }
    let status = if is_asking { "requires_action" } else { "completed" };
    events.push(json!({"event_type": "interaction.completed", "interaction": about(status)}));
    events
}

fn ollama(text: &str, is_asking: bool) -> Vec<Vec<u8>> {
    let line = |message: Value, done: bool| json!({"model": "m", "message": message, "done": done});
    let mut lines = vec![line(json!({"role": "assistant", "content": text}), false)];
    if is_asking {
        let call = json!({"id": "hidden_1", "function": {"index": 0, "name": "expand_context", "arguments": {"id": "shadow_1"}}});
        let message = json!({"role": "assistant", "content": "", "tool_calls": [call]});
        lines.push(line(message, false));
    }
    lines.push(line(json!({"role": "assistant", "content": ""}), true));
    lines.iter().map(|line| format!("{line}\n").into_bytes()).collect()
}

fn converse(text: &str, is_asking: bool) -> Vec<Vec<u8>> {
    let mut frames = vec![
        event("messageStart", &json!({"role": "assistant"})),
        event("contentBlockDelta", &json!({"contentBlockIndex": 0, "delta": {"text": text}})),
        event("contentBlockStop", &json!({"contentBlockIndex": 0})),
    ];
    if is_asking {
        let call = json!({"toolUse": {"toolUseId": "hidden_1", "name": "expand_context"}});
        let delta = json!({"toolUse": {"input": "{\"id\":\"shadow_1\"}"}});
        frames.extend([
            event("contentBlockStart", &json!({"contentBlockIndex": 1, "start": call})),
            event("contentBlockDelta", &json!({"contentBlockIndex": 1, "delta": delta})),
            event("contentBlockStop", &json!({"contentBlockIndex": 1})),
        ]);
    }
    let reason = if is_asking { "tool_use" } else { "end_turn" };
    frames.push(event("messageStop", &json!({"stopReason": reason})));
    frames
}

fn cases() -> Vec<Case> {
    let events = |dialect, frames, next: Vec<Vec<u8>>| Case {
        dialect,
        wire: WireFormat::Events,
        frames,
        next: next.concat(),
        unreadable: unreadable_events(),
        unknown: b"event: later\ndata: {\"type\":\"later\",\"event_type\":\"later\"}\n\n".to_vec(),
    };
    let calls = [
        json!({"role": "assistant", "content": "Before."}),
        json!({"tool_calls": [{"index": 0, "id": "hidden_1", "type": "function", "function": {"name": "expand_context", "arguments": ""}}]}),
        json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"id\":\"shadow_1\"}"}}]}),
    ];
    let damaged = |mut message: Vec<u8>| {
        *message.last_mut().unwrap() ^= 1;
        message
    };
    let headers = [(":event-type", "contentBlockDelta"), (":message-type", "event")];
    let binary = |dialect, frames: Vec<Vec<u8>>, next: Vec<Vec<u8>>, unknown: Vec<u8>| Case {
        dialect,
        wire: WireFormat::EventStream,
        frames,
        next: next.concat(),
        unreadable: vec![message(&headers, "{oops"), damaged(unknown.clone())],
        unknown,
    };
    let chunks = |list: Vec<Value>| list.iter().map(chunk).collect::<Vec<_>>();
    let (asking, after) = (anthropic("Before.", "tool_use"), anthropic("After.", "end_turn"));
    let (before, behind) = (gemini("Before.", true), gemini("After.", false));
    let array = |chunks: &[Value]| {
        let mut frames: Vec<Vec<u8>> = Vec::new();
        for (number, chunk) in chunks.iter().enumerate() {
            let mark = if number == 0 { "[" } else { ",\n" };
            frames.push(format!("{mark}{chunk}").into_bytes());
        }
        frames.push(b"]".to_vec());
        frames
    };
    vec![
        events(Dialect::Anthropic, sse(&asking), sse(&after)),
        events(
            Dialect::OpenAiChat,
            chat(&calls, "tool_calls"),
            chat(&[json!({"content": "After."})], "stop"),
        ),
        events(
            Dialect::OpenAiResponses,
            sse(&responses("Before.", true)),
            sse(&responses("After.", false)),
        ),
        events(Dialect::Gemini, sse(&before), sse(&behind)),
        Case {
            dialect: Dialect::Gemini,
            wire: WireFormat::Array,
            frames: array(&before),
            next: array(&behind).concat(),
            unreadable: vec![b",{\"a\":oops}".to_vec(), b",{\"a\":\"\xff\"}".to_vec()],
            unknown: b",{\"later\":1}".to_vec(),
        },
        events(
            Dialect::GeminiInteractions,
            sse(&interactions("Before.", true)),
            sse(&interactions("After.", false)),
        ),
        binary(
            Dialect::BedrockConverse,
            converse("Before.", true),
            converse("After.", false),
            event("laterEvent", &json!({"later": 1})),
        ),
        binary(
            Dialect::BedrockInvoke,
            chunks(asking),
            chunks(after),
            chunk(&json!({"type": "later"})),
        ),
        Case {
            dialect: Dialect::Ollama,
            wire: WireFormat::Lines,
            frames: ollama("Before.", true),
            next: ollama("After.", false).concat(),
            unreadable: vec![b"{oops\n".to_vec(), b"\xff\n".to_vec()],
            unknown: b"{\"later\":1}\n".to_vec(),
        },
    ]
}

/// Everything that the client got, with what base64 hides.
fn client_text(heard: &Heard, case: &Case) -> String {
    let text = String::from_utf8_lossy(&heard.client).into_owned();
    if case.dialect != Dialect::BedrockInvoke {
        return text;
    }
    let plain = text.split("\"bytes\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    plain.map(crate::support::eventstream::decoded).collect()
}

#[track_caller]
fn check(case: &Case, first: Vec<u8>, is_answered: bool, what: &str) -> Heard {
    let heard = talk(case.dialect, case.wire, &[first, case.next.clone()], |bytes| vec![bytes]);
    let (text, dialect) = (client_text(&heard, case), case.dialect);
    for hidden in HIDDEN {
        assert!(!text.contains(hidden), "{dialect:?}, {what}: the client sees {hidden} in {text}");
    }
    assert!(text.contains("Before."), "{dialect:?}, {what}: {text}");
    if is_answered {
        assert_eq!(heard.turns.len(), 1, "{dialect:?}, {what}");
        assert!(text.contains("After."), "{dialect:?}, {what}: {text}");
    }
    heard
}

/// Where a frame may stand: anywhere, but not before the bracket of an array nor behind it.
fn places(case: &Case) -> std::ops::Range<usize> {
    match case.wire {
        WireFormat::Array => 1..case.frames.len(),
        _ => 0..case.frames.len() + 1,
    }
}

fn with_frame(case: &Case, at: usize, frame: &[u8]) -> Vec<u8> {
    [&case.frames[..at].concat(), frame, &case.frames[at..].concat()].concat()
}

#[test]
fn g73_hidden_calls_stay_hidden_beside_unreadable_events() {
    for case in cases() {
        for at in places(&case) {
            for frame in &case.unreadable {
                let what = format!("{:?} at {at}", String::from_utf8_lossy(frame));
                check(&case, with_frame(&case, at, frame), true, &what);
            }
        }
    }
}

#[test]
fn g73_hidden_calls_stay_hidden_beside_unknown_events() {
    for case in cases() {
        for at in places(&case) {
            check(&case, with_frame(&case, at, &case.unknown), true, &format!("at {at}"));
        }
    }
}

#[test]
fn g73_a_byte_order_mark_hides_no_event() {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    for case in cases().into_iter().filter(|case| case.wire != WireFormat::EventStream) {
        let first = [MARK, &case.frames.concat()].concat();
        let heard = check(&case, first.clone(), true, "a mark");
        assert!(heard.client.starts_with(MARK), "{:?}", case.dialect);
        let next = [MARK, &case.next].concat();
        let heard = talk_in_any_split(case.dialect, case.wire, &[first, next]);
        let marks = heard.client.windows(3).filter(|bytes| *bytes == MARK).count();
        assert_eq!(marks, 1, "{:?}: the second reply goes on in the same stream", case.dialect);
    }
    let call = r#"{"id":"hidden_1","type":"function","function":{"name":"expand_context","arguments":"{}"}}"#;
    let whole = format!(
        r#"{{"choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{call}]}},"finish_reason":"tool_calls"}}]}}"#
    );
    let whole = [MARK, whole.as_bytes()].concat();
    let heard = talk(Dialect::OpenAiChat, WireFormat::Whole, &[whole], |bytes| vec![bytes]);
    assert_eq!(heard.turns.len(), 1);
}

#[test]
fn g73_hidden_calls_stay_hidden_behind_an_error() {
    for case in cases() {
        let error = match (case.dialect, case.wire) {
            (_, WireFormat::Lines) => b"{\"error\":\"stopped\"}\n".to_vec(),
            (_, WireFormat::Array) => b",{\"error\":{\"code\":503}}".to_vec(),
            (Dialect::BedrockConverse | Dialect::BedrockInvoke, _) => message(
                &[(":exception-type", "throttlingException"), (":message-type", "exception")],
                "{}",
            ),
            _ => b"event: error\ndata: {\"type\":\"error\",\"event_type\":\"error\",\"error\":{}}\n\n".to_vec(),
        };
        for at in places(&case).skip(1) {
            let heard = check(&case, with_frame(&case, at, &error), false, &format!("at {at}"));
            let is_seen = heard.client.windows(error.len() - 1).any(|bytes| bytes == &error[1..]);
            assert!(is_seen, "{:?}: the client does not see the error at {at}", case.dialect);
        }
    }
}

/// A call's fragments, by its index.
fn fragment(index: u64, id: &str, name: &str, arguments: &str) -> Value {
    let mut call = json!({"index": index, "function": {"arguments": arguments}});
    if !name.is_empty() {
        call["id"] = json!(id);
        call["function"]["name"] = json!(name);
    }
    json!({"tool_calls": [call]})
}

#[test]
fn g74_calls_beside_a_hidden_one_keep_their_indexes() {
    let ours = [fragment(0, "hidden_1", "expand_context", ""), fragment(0, "", "", "{}")];
    let call = |index: u64| {
        [fragment(index, &format!("c{index}"), "ls", ""), fragment(index, "", "", "{\"n\":")]
    };
    let end = |index: u64| [fragment(index, "", "", &format!("{index}}}"))];
    let orders: [Vec<Value>; 4] = [
        [&call(1)[..], &ours, &call(2), &end(1), &end(2)].concat(),
        [&call(2)[..], &call(1), &ours, &end(2), &end(1)].concat(),
        [&call(2)[..], &ours, &call(1), &end(1), &end(2)].concat(),
        [&ours[..], &call(2), &call(1), &end(2), &end(1)].concat(),
    ];
    for deltas in orders {
        let reply = chat(&deltas, "tool_calls").concat();
        let heard = talk_in_any_split(Dialect::OpenAiChat, WireFormat::Events, &[reply]);
        let mut calls = std::collections::BTreeMap::<u64, (String, String)>::new();
        for payload in payloads(heard.text()).into_iter().filter(|json| *json != "[DONE]") {
            let chunk: Value = serde_json::from_str(payload).unwrap();
            let fragments = chunk["choices"][0]["delta"]["tool_calls"].as_array().cloned();
            for fragment in fragments.unwrap_or_default() {
                let call = calls.entry(fragment["index"].as_u64().unwrap()).or_default();
                call.0 += fragment["id"].as_str().unwrap_or_default();
                call.1 += fragment["function"]["arguments"].as_str().unwrap_or_default();
            }
        }
        let mut joined: Vec<_> = calls.into_values().collect();
        joined.sort();
        let expected = [("c1", "{\"n\":1}"), ("c2", "{\"n\":2}")]
            .map(|(id, arguments)| (id.to_owned(), arguments.to_owned()));
        assert_eq!(joined, expected, "{}", data(&[heard.text()]));
    }
}
