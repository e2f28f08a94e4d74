//! Replies of Bedrock on their way to the client: InvokeModel with Anthropic's events, and Converse.

use crate::support::blocks::{call, expand, reply, text, thinking};
use crate::support::eventstream::{chunk, chunks, event, messages};
use crate::support::talk::{ENDED, Heard, ended_behind_text, follow_up, talk, talk_in_any_split};
use crate::support::{blocks, eventstream};
use serde_json::{Value, json};
use tokenforge_providers::{Dialect, WireFormat};

const BODY: &str =
    r#"{"messages":[{"role":"user","content":[{"text":"hi"}]}],"toolConfig":{"tools":[]}}"#;

/// Anthropic's events in chunks, with the metrics that Bedrock adds to the last one.
fn invoked(mut events: Vec<Value>) -> Vec<u8> {
    let output = events[events.len() - 2]["usage"]["output_tokens"].clone();
    events.last_mut().unwrap()["amazon-bedrock-invocationMetrics"] =
        json!({"inputTokenCount": 8, "outputTokenCount": output, "firstByteLatency": 5});
    events.iter().flat_map(chunk).collect()
}

#[test]
fn the_checksum_of_these_tests_is_the_known_one() {
    assert_eq!(eventstream::crc(b"123456789"), 0xcbf4_3926);
}

#[test]
fn g25_invoke_without_a_call_of_our_tool_is_the_same_bytes() {
    let blocks = [thinking(&["hm"], "s"), text(&["a", "é"]), call("t1", "Bash", &["{}"])];
    let plain = invoked(reply("m1", &blocks, "tool_use", [5, 1, 9]));
    let heard = talk_in_any_split(
        Dialect::BedrockInvoke,
        WireFormat::EventStream,
        std::slice::from_ref(&plain),
    );
    assert_eq!(heard.client, plain);
    assert_eq!(heard.usage.sum.output, Some(9));
}

#[test]
fn g30_g33_invoke_makes_one_message_of_two_loops() {
    let heard = talk_in_any_split(
        Dialect::BedrockInvoke,
        WireFormat::EventStream,
        &[
            invoked(reply("m1", &[text(&["One. "]), expand("t1")], "tool_use", [100, 7, 10])),
            invoked(reply("m2", &[expand("t2"), expand("t3")], "tool_use", [200, 8, 20])),
            invoked(reply("m3", &[text(&["Two."])], "end_turn", [300, 9, 30])),
        ],
    );
    let events = chunks(&heard.client);
    let metrics = &events.last().unwrap()["amazon-bedrock-invocationMetrics"];
    assert_eq!(
        *metrics,
        json!({"inputTokenCount": 8, "outputTokenCount": 60, "firstByteLatency": 5})
    );
    let message = blocks::message(&events);
    assert_eq!(
        message["content"],
        json!([{"type": "text", "text": "One. "}, {"type": "text", "text": "Two."}])
    );
    assert_eq!((&message["id"], &message["usage"]["output_tokens"]), (&json!("m1"), &json!(60)));
    // What Bedrock pads its messages with stays.
    assert!(messages(&heard.client).iter().all(|(_, payload)| payload["p"] == "abcdef"));
    assert_eq!(heard.turns[1].calls.len(), 2);
}

#[test]
fn g29_invoke_gives_the_client_its_own_calls_and_defers_ours() {
    let blocks = [expand("t1"), call("t2", "Bash", &["{}"])];
    let streams = [invoked(reply("m1", &blocks, "tool_use", [5, 0, 9]))];
    let heard = talk_in_any_split(Dialect::BedrockInvoke, WireFormat::EventStream, &streams);
    let message = blocks::message(&chunks(&heard.client));
    assert_eq!(
        message["content"],
        json!([{"type": "tool_use", "id": "t2", "name": "Bash", "input": {}}])
    );
    assert_eq!(heard.deferred.unwrap().siblings, ["t2"]);
}

#[test]
fn giving_up_ends_an_invocation_in_messages_of_our_own() {
    let streams = [invoked(reply("m1", &[expand("t1")], "tool_use", [5, 0, 9]))];
    let heard = talk_in_any_split(Dialect::BedrockInvoke, WireFormat::EventStream, &streams);
    let message = blocks::message(&chunks(&heard.client));
    assert_eq!(message["content"][0]["text"], ENDED);
    assert_eq!(message["stop_reason"], "end_turn");
}

/// A reply in the events of Converse: its blocks, each with its start if it has one, and its deltas.
fn conversed(
    blocks: &[(Option<Value>, Vec<Value>)],
    reason: &str,
    input: u64,
    output: u64,
) -> Vec<u8> {
    let mut bytes = event("messageStart", &json!({"role": "assistant", "p": "ab"}));
    for (index, (start, deltas)) in blocks.iter().enumerate() {
        if let Some(start) = start {
            bytes.extend(event(
                "contentBlockStart",
                &json!({"contentBlockIndex": index, "start": start, "p": "a"}),
            ));
        }
        for delta in deltas {
            bytes.extend(event(
                "contentBlockDelta",
                &json!({"contentBlockIndex": index, "delta": delta, "p": "abc"}),
            ));
        }
        bytes.extend(event("contentBlockStop", &json!({"contentBlockIndex": index, "p": "abcd"})));
    }
    bytes.extend(event("messageStop", &json!({"stopReason": reason, "p": "abcde"})));
    let usage = json!({
        "inputTokens": input, "outputTokens": output, "totalTokens": input + output, "cacheReadInputTokens": 3,
    });
    bytes.extend(event(
        "metadata",
        &json!({"metrics": {"latencyMs": 7}, "usage": usage, "p": "abcdef"}),
    ));
    bytes
}

fn say(parts: &[&str]) -> (Option<Value>, Vec<Value>) {
    (None, parts.iter().map(|part| json!({"text": part})).collect())
}

fn reason(parts: &[&str], signature: &str) -> (Option<Value>, Vec<Value>) {
    let mut deltas: Vec<_> =
        parts.iter().map(|part| json!({"reasoningContent": {"text": part}})).collect();
    deltas.push(json!({"reasoningContent": {"signature": signature}}));
    (None, deltas)
}

fn use_tool(id: &str, name: &str, parts: &[&str]) -> (Option<Value>, Vec<Value>) {
    let start = json!({"toolUse": {"toolUseId": id, "name": name}});
    (Some(start), parts.iter().map(|part| json!({"toolUse": {"input": part}})).collect())
}

fn ask(id: &str) -> (Option<Value>, Vec<Value>) {
    use_tool(id, "expand_context", &["{\"id\":", "\"shadow_1\"}"])
}

/// What a client makes of the events of Converse: it panics where it would not understand them.
#[track_caller]
fn understood(bytes: &[u8]) -> Value {
    let (mut content, mut stop, mut usage): (Vec<Value>, _, _) =
        (Vec::new(), Value::Null, Value::Null);
    let (mut is_begun, mut open) = (false, None);
    for (name, payload) in messages(bytes) {
        assert!(usage.is_null(), "{name} after the end");
        let index = payload["contentBlockIndex"].as_u64().map(|index| index as usize);
        match &*name {
            "messageStart" => assert!(!std::mem::replace(&mut is_begun, true)),
            "contentBlockStart" => {
                assert_eq!((index, open), (Some(content.len()), None));
                open = index;
                content.push(payload["start"].clone());
            }
            "contentBlockDelta" => {
                if open.is_none() {
                    assert_eq!(index, Some(content.len()));
                    open = index;
                    content.push(json!({}));
                }
                assert_eq!(index, open);
                let block = content.last_mut().unwrap();
                let (place, part) = match &payload["delta"] {
                    delta if delta["text"].is_string() => (&mut block["text"], &delta["text"]),
                    delta if delta["toolUse"].is_object() => {
                        (&mut block["toolUse"]["input"], &delta["toolUse"]["input"])
                    }
                    delta => (&mut block["reasoning"], &delta["reasoningContent"]["text"]),
                };
                *place = json!(format!(
                    "{}{}",
                    place.as_str().unwrap_or_default(),
                    part.as_str().unwrap_or_default()
                ));
            }
            "contentBlockStop" => {
                assert_eq!(index, open.take());
            }
            "messageStop" => stop = payload["stopReason"].clone(),
            "metadata" => usage = payload["usage"].clone(),
            other => panic!("{other}"),
        }
    }
    assert!(is_begun && open.is_none());
    json!({"content": content, "stop": stop, "usage": usage})
}

#[track_caller]
fn converse(replies: &[Vec<u8>]) -> Heard {
    talk_in_any_split(Dialect::BedrockConverse, WireFormat::EventStream, replies)
}

#[test]
fn g25_converse_without_a_call_of_our_tool_is_the_same_bytes() {
    let server = json!({"toolUse": {"toolUseId": "s1", "name": "expand_context", "type": "server_tool_use"}});
    let blocks = [
        reason(&["h"], "s"),
        say(&["use expand_context"]),
        (Some(server), vec![]),
        use_tool("t1", "Bash", &["{}"]),
    ];
    let mut plain = conversed(&blocks, "tool_use", 5, 9);
    plain.extend(event("brandNew", &json!({"x": 1})));
    let heard = converse(std::slice::from_ref(&plain));
    assert_eq!(heard.client, plain);
    assert_eq!((heard.usage.last.input, heard.usage.last.cache_read), (Some(5), Some(3)));
}

#[test]
fn g30_g33_converse_makes_one_message_of_two_loops() {
    let heard = converse(&[
        conversed(&[say(&["One", ". "]), ask("t1")], "tool_use", 100, 10),
        conversed(&[reason(&["hm"], "s"), ask("t2")], "tool_use", 200, 20),
        conversed(&[say(&["Two."]), use_tool("t3", "Bash", &["{}"])], "tool_use", 300, 30),
    ]);
    assert_eq!(
        understood(&heard.client),
        json!({
            "content": [
                {"text": "One. "},
                {"reasoning": "hm"},
                {"text": "Two."},
                {"toolUse": {"toolUseId": "t3", "name": "Bash", "input": "{}"}},
            ],
            "stop": "tool_use",
            "usage": {"inputTokens": 300, "outputTokens": 60, "totalTokens": 360, "cacheReadInputTokens": 3},
        })
    );
    assert_eq!((heard.usage.sum.input, heard.usage.sum.output), (Some(600), Some(60)));
}

#[test]
fn g28_converse_is_asked_again_with_the_turn_as_it_wrote_it() {
    let redacted = |part| json!({"reasoningContent": {"redactedContent": part}});
    let cited = vec![json!({"text": "ci\"ted"}), json!({"citation": {"title": "a"}})];
    let server =
        json!({"toolUse": {"toolUseId": "s1", "name": "search", "type": "server_tool_use"}});
    let found = json!({"toolResult": {"toolUseId": "s1", "status": "success"}});
    let heard = converse(&[conversed(
        &[
            reason(&["Let me", " see"], "Eq=="),
            // "hello" in two parts.
            (None, vec![redacted("aGU="), redacted("bGxv")]),
            (None, cited),
            say(&["\n"]),
            (Some(server), vec![json!({"toolUse": {"input": "{\"q\":1}"}})]),
            (Some(found), vec![json!({"toolResult": [{"text": "x"}]})]),
            say(&["Well,"]),
            ask("t1"),
            use_tool("t2", "expand_context", &["{\"id\""]),
        ],
        "tool_use",
        1,
        1,
    )]);
    let turn = &heard.turns[0];
    assert_eq!(turn.calls[1].arguments, "{\"id\"");
    assert_eq!(
        follow_up(turn, BODY)["messages"],
        json!([
            {"role": "user", "content": [{"text": "hi"}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "Let me see", "signature": "Eq=="}}},
                {"reasoningContent": {"redactedContent": "aGVsbG8="}},
                {"citationsContent": {"content": [{"text": "ci\"ted"}], "citations": [{"title": "a"}]}},
                {"toolUse": {"toolUseId": "s1", "name": "search", "type": "server_tool_use", "input": {"q": 1}}},
                {"toolResult": {"toolUseId": "s1", "status": "success", "content": [{"text": "x"}]}},
                {"text": "Well,"},
                {"toolUse": {"toolUseId": "t1", "name": "expand_context", "input": {"id": "shadow_1"}}},
                {"toolUse": {"toolUseId": "t2", "name": "expand_context", "input": {}}},
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "t1", "content": [{"text": "original 1\n"}], "status": "success"}},
                {"toolResult": {"toolUseId": "t2", "content": [{"text": "original 2\n"}], "status": "success"}},
            ]},
        ])
    );
}

#[test]
fn g29_converse_gives_the_client_its_own_calls_and_defers_ours() {
    let blocks =
        [use_tool("t1", "Bash", &["{}"]), ask("t2"), say(&["so"]), use_tool("t3", "Read", &["{}"])];
    let heard = converse(&[conversed(&blocks, "tool_use", 1, 1)]);
    assert_eq!(
        understood(&heard.client)["content"],
        json!([
            {"toolUse": {"toolUseId": "t1", "name": "Bash", "input": "{}"}},
            {"text": "so"},
            {"toolUse": {"toolUseId": "t3", "name": "Read", "input": "{}"}},
        ])
    );
    let deferred = heard.deferred.unwrap();
    assert_eq!((deferred.siblings.len(), deferred.calls[0].siblings_before), (2, 1));
    let call: Value = serde_json::from_str(&deferred.calls[0].call).unwrap();
    assert_eq!(call["toolUse"]["input"], json!({"id": "shadow_1"}));
}

#[test]
fn giving_up_ends_a_conversation_and_never_leaves_it_empty() {
    let heard = converse(&[conversed(&[ask("t1")], "tool_use", 5, 9)]);
    assert_eq!(
        understood(&heard.client),
        json!({
            "content": [{"text": ENDED}],
            "stop": "end_turn",
            "usage": {"inputTokens": 5, "outputTokens": 9, "totalTokens": 14, "cacheReadInputTokens": 3},
        })
    );
}

#[test]
fn c6_a_whole_call_is_answered_even_if_the_tokens_ran_out_and_half_a_call_is_not() {
    let second = conversed(&[say(&["So."])], "end_turn", 5, 9);
    let half = || use_tool("t1", "expand_context", &["{\"id\": "]);
    for (reason, call, asks) in [
        ("max_tokens", ask("t1"), 1),
        ("max_tokens", half(), 0),
        ("guardrail_intervened", ask("t1"), 0),
    ] {
        let first = conversed(&[say(&["a"]), call], reason, 5, 9);
        let heard = converse(&[first, second.clone()]).done();
        assert_eq!(heard.turns.len(), asks, "{reason}");
        let seen = understood(&heard.client);
        let (content, stop) = match asks {
            0 => (json!([{"text": "a"}]), reason),
            _ => (json!([{"text": "a"}, {"text": "So."}]), "end_turn"),
        };
        assert_eq!((&seen["content"], &seen["stop"]), (&content, &json!(stop)));
    }
}

#[test]
fn an_exception_and_a_wrong_checksum_pass_and_so_does_everything_after_them() {
    let headers = [(":exception-type", "throttlingException"), (":message-type", "exception")];
    let exception = eventstream::message(&headers, r#"{"message":"slow down"}"#);
    let plain = conversed(&[say(&["a"])], "end_turn", 1, 1);
    let mut damaged = plain.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let mut failed = plain.clone();
    failed.extend(exception);
    for stream in [
        failed,
        damaged,
        plain[..plain.len() - 3].to_vec(),
        b"{\"message\":\"no stream at all\"}".to_vec(),
    ] {
        let heard = converse(std::slice::from_ref(&stream));
        assert_eq!(heard.client, stream);
    }
}

#[test]
fn a_stream_that_is_cut_off_in_a_call_of_our_tool_ends_without_it() {
    let all = conversed(&[say(&["a"]), ask("t1")], "tool_use", 5, 9);
    let before = conversed(&[say(&["a"])], "", 5, 9);
    let closing = event("messageStop", &json!({"stopReason": "", "p": "abcde"}));
    let kept = before.windows(closing.len()).position(|bytes| bytes == closing).unwrap();
    let start = event(
        "contentBlockStart",
        &json!({"contentBlockIndex": 1, "start": ask("t1").0, "p": "a"}),
    )
    .len();
    for at in kept + start..kept + start + 300 {
        let heard =
            talk(Dialect::BedrockConverse, WireFormat::EventStream, &[all[..at].to_vec()], |all| {
                vec![all]
            });
        assert_eq!(heard.client, all[..kept], "cut at {at}");
    }
}

fn whole(content: Value, output: u64) -> Vec<u8> {
    let usage =
        json!({"inputTokens": 10 * output, "outputTokens": output, "totalTokens": 11 * output});
    let message = json!({"role": "assistant", "content": content});
    json!({"output": {"message": message}, "stopReason": "tool_use", "usage": usage, "metrics": {"latencyMs": 1}})
        .to_string()
        .into_bytes()
}

#[test]
fn whole_replies_of_converse_are_one_message_to_the_client() {
    let call = |id, name| json!({"toolUse": {"toolUseId": id, "name": name, "input": {"id": "s"}}});
    let plain = whole(json!([{"text": "expand_context"}, call("t1", "Bash")]), 1);
    let heard = talk_in_any_split(
        Dialect::BedrockConverse,
        WireFormat::Whole,
        std::slice::from_ref(&plain),
    );
    assert_eq!(heard.client, plain);

    let replies = [
        whole(json!([{"text": "One."}, call("t1", "expand_context")]), 1),
        whole(json!([{"text": "Two."}, call("t2", "expand_context"), call("t3", "Bash")]), 2),
    ];
    let heard = talk_in_any_split(Dialect::BedrockConverse, WireFormat::Whole, &replies);
    let seen: Value = serde_json::from_slice(&heard.client).unwrap();
    let content = &seen["output"]["message"]["content"];
    assert_eq!(*content, json!([{"text": "One."}, {"text": "Two."}, call("t3", "Bash")]));
    assert_eq!(seen["usage"], json!({"inputTokens": 20, "outputTokens": 3, "totalTokens": 23}));
    assert_eq!(heard.deferred.unwrap().siblings, ["t3"]);

    let heard = talk_in_any_split(Dialect::BedrockConverse, WireFormat::Whole, &replies[..1]);
    let seen: Value = serde_json::from_slice(&heard.client).unwrap();
    let content = json!([{"text": "One."}, {"text": ended_behind_text()}]);
    assert_eq!(seen["output"]["message"]["content"], content);
    assert_eq!(seen["stopReason"], "end_turn");
}
