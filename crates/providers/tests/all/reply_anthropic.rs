//! Replies of Anthropic Messages on their way to the client.

use crate::support::blocks::{call, events, expand, message, payloads, reply, text, thinking};
use crate::support::talk;
use crate::support::talk::{ENDED, Heard, ended_behind_text, follow_up, talk, talk_in_any_split};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokenforge_providers::{Dialect, NextStep, Reply, WireFormat};

const BODY: &str =
    r#"{"model":"claude","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"Bash"}]}"#;

#[track_caller]
fn stream(replies: &[Vec<Value>]) -> Heard {
    let replies: Vec<_> = replies.iter().map(|reply| events(reply)).collect();
    talk_in_any_split(Dialect::Anthropic, WireFormat::Events, &replies)
}

/// A stream with everything a provider may write, but no call of our tool.
const PLAIN: &str = concat!(
    ": hello\r\n\r\n",
    "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"content\":[],\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\r\n\r\n",
    "event: ping\ndata: {\"type\": \"ping\"}\n\n",
    "id: 7\nevent: content_block_start\ndata:{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"I could use expand_context. é\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\ndata: \"index\":0}\n\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"s1\",\"name\":\"expand_context\",\"input\":{}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":{}}}\n\n",
    "event: brand_new\ndata: {\"type\":\"brand_new\",\"index\":9,\"x\":[1, 2]}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\r\r",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    ": bye\n",
);

#[test]
fn g25_g36_without_a_call_of_our_tool_every_byte_passes_in_any_split() {
    let heard =
        talk_in_any_split(Dialect::Anthropic, WireFormat::Events, &[PLAIN.as_bytes().to_vec()]);
    assert_eq!(heard.text(), PLAIN);
    assert_eq!((heard.turns.len(), heard.deferred, heard.is_given_up), (0, None, false));
    assert_eq!((heard.usage.last.input, heard.usage.last.output), (Some(5), Some(9)));
}

#[test]
fn g24_text_flows_while_a_call_of_our_tool_is_held_back() {
    let blocks = [text(&["Let me ", "look."]), expand("t1")];
    let mut heard = Vec::new();
    let mut reply_of = Reply::new(Dialect::Anthropic, WireFormat::Events);
    let mut is_internal = false;
    for event in reply("m1", &blocks, "tool_use", [5, 0, 9]) {
        let frame = events(std::slice::from_ref(&event));
        heard.clear();
        reply_of.push(&frame, &mut heard);
        is_internal |= event["index"] == 1 || event["type"] == "message_delta";
        let expected = if is_internal { &[][..] } else { &frame };
        assert_eq!(heard, expected, "{event}");
    }
    assert!(matches!(reply_of.finish(&mut heard), NextStep::Ask(_)));
}

#[test]
fn g30_g33_two_loops_are_one_message_to_the_client() {
    let heard = stream(&[
        reply("m1", &[text(&["One. "]), expand("t1")], "tool_use", [100, 7, 10]),
        reply("m2", &[thinking(&["hm"], "s=="), expand("t2")], "tool_use", [200, 8, 20]),
        reply("m3", &[text(&["Two."]), call("t3", "Bash", &["{}"])], "tool_use", [300, 9, 30]),
    ]);
    assert!(!heard.is_given_up && !heard.text().contains("expand_context"));
    assert_eq!(
        message(&payloads(heard.text())),
        json!({
            "id": "m1", "type": "message", "role": "assistant", "model": "claude",
            "content": [
                {"type": "text", "text": "One. "},
                {"type": "thinking", "thinking": "hm", "signature": "s=="},
                {"type": "text", "text": "Two."},
                {"type": "tool_use", "id": "t3", "name": "Bash", "input": {}},
            ],
            "stop_reason": "tool_use", "stop_sequence": null,
            "usage": {
                "input_tokens": 300, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 9,
                "output_tokens": 60,
            },
        })
    );
    assert_eq!(heard.usage.last.output, Some(30));
    let sum = heard.usage.sum;
    assert_eq!((sum.input, sum.cache_read, sum.output), (Some(600), Some(24), Some(60)));
}

#[test]
fn g28_g37_the_upstream_is_asked_again_with_the_turn_as_it_wrote_it() {
    let redacted = (json!({"type": "redacted_thinking", "data": "x+y="}), vec![]);
    let cited = (
        json!({"type": "text", "text": "", "citations": []}),
        vec![
            json!({"type": "citations_delta", "citation": {"type": "page_location", "cited_text": "a"}}),
            json!({"type": "text_delta", "text": "Ci\"ted 😀"}),
        ],
    );
    let blocks = [
        thinking(&["Let me", " see\n"], "EqQB=="),
        redacted,
        cited,
        text(&["\n"]),
        expand("t1"),
        expand("t2"),
    ];
    let heard = stream(&[reply("m1", &blocks, "tool_use", [1, 0, 1])]);
    let [turn] = heard.turns.as_slice() else { panic!("{:?}", heard.turns) };
    let arguments: Vec<_> = turn.calls.iter().map(|call| (&*call.id, &*call.arguments)).collect();
    let id = r#"{"id": "shadow_1"}"#;
    assert_eq!(arguments, [("t1", id), ("t2", id)]);
    let input = json!({"id": "shadow_1"});
    assert_eq!(
        follow_up(turn, BODY)["messages"],
        json!([
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Let me see\n", "signature": "EqQB=="},
                {"type": "redacted_thinking", "data": "x+y="},
                {"type": "text", "text": "Ci\"ted 😀", "citations": [{"type": "page_location", "cited_text": "a"}]},
                {"type": "tool_use", "id": "t1", "name": "expand_context", "input": input},
                {"type": "tool_use", "id": "t2", "name": "expand_context", "input": input},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "original 1\n"},
                {"type": "tool_result", "tool_use_id": "t2", "content": "original 2\n"},
            ]},
        ])
    );
    let body = turn.follow_up(BODY.as_bytes(), &talk::answers(turn)).unwrap();
    let (head, tail) = BODY.split_at(BODY.find("],\"tools").unwrap());
    assert!(body.starts_with(head.as_bytes()) && body.ends_with(tail.as_bytes()));
}

#[test]
fn g29_mixed_calls_give_the_client_its_own_and_defer_ours() {
    let blocks = [
        text(&["a"]),
        call("t1", "Bash", &["{\"a\":", "1}"]),
        expand("t2"),
        call("t3", "Read", &[]),
        expand("t4"),
    ];
    let heard = stream(&[reply("m1", &blocks, "tool_use", [5, 0, 9])]);
    assert!(heard.turns.is_empty() && !heard.is_given_up);
    let seen = message(&payloads(heard.text()));
    assert_eq!(
        seen["content"],
        json!([
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"a": 1}},
            {"type": "tool_use", "id": "t3", "name": "Read", "input": {}},
        ])
    );
    assert_eq!(
        (&seen["stop_reason"], &seen["usage"]["output_tokens"]),
        (&json!("tool_use"), &json!(9))
    );
    let deferred = heard.deferred.unwrap();
    assert_eq!(deferred.siblings, ["t1", "t3"]);
    let calls: Vec<_> = deferred
        .calls
        .iter()
        .map(|call| (&*call.id, call.siblings_before, &*call.arguments))
        .collect();
    let id = r#"{"id": "shadow_1"}"#;
    assert_eq!(calls, [("t2", 1, id), ("t4", 2, id)]);
    let call: Value = serde_json::from_str(&deferred.calls[0].call).unwrap();
    assert_eq!(call["input"], json!({"id": "shadow_1"}));
}

#[test]
fn g24_blocks_that_come_interleaved_are_kept_apart() {
    let start = |index, block| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta =
        |index, delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let stop = |index| json!({"type": "content_block_stop", "index": index});
    let mut all = reply("m1", &[], "tool_use", [5, 0, 9]);
    let closing = all.split_off(2);
    all.extend([
        start(0, json!({"type": "tool_use", "id": "t1", "name": "expand_context", "input": {}})),
        start(1, json!({"type": "text", "text": ""})),
        delta(0, json!({"type": "input_json_delta", "partial_json": "{\"id\":"})),
        delta(1, json!({"type": "text_delta", "text": "x"})),
        delta(0, json!({"type": "input_json_delta", "partial_json": "\"s\"}"})),
        stop(0),
        stop(1),
    ]);
    all.extend(closing);
    let heard = stream(&[all, reply("m2", &[text(&["y"])], "end_turn", [6, 0, 1])]);
    let seen = message(&payloads(heard.text()));
    assert_eq!(
        seen["content"],
        json!([{"type": "text", "text": "x"}, {"type": "text", "text": "y"}])
    );
    assert_eq!(heard.turns[0].calls[0].arguments, r#"{"id":"s"}"#);
}

#[test]
fn arguments_that_are_not_json_are_still_a_call_and_said_again_as_an_object() {
    for (parts, arguments) in [(&["{\"id\": "][..], "{\"id\": "), (&["[1]"], "[1]"), (&[], "{}")] {
        let blocks = [call("t1", "expand_context", parts)];
        let heard = stream(&[reply("m1", &blocks, "tool_use", [1, 0, 1])]);
        assert_eq!(heard.turns[0].calls[0].arguments, arguments);
        assert_eq!(
            follow_up(&heard.turns[0], BODY)["messages"][1]["content"][0]["input"],
            json!({})
        );
    }
}

#[test]
fn c6_a_whole_call_is_answered_even_if_the_tokens_ran_out() {
    let first = reply("m1", &[text(&["a"]), expand("t1")], "max_tokens", [1, 0, 1]);
    let second = reply("m2", &[text(&["So."])], "end_turn", [6, 0, 1]);
    let heard = stream(&[first, second]);
    assert_eq!(heard.turns[0].calls[0].arguments, r#"{"id": "shadow_1"}"#);
    assert_eq!(message(&payloads(heard.text()))["stop_reason"], "end_turn");
    let content = json!([{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t1", "name": "expand_context", "input": {"id": "s"}}]);
    let whole = whole("m1", content, "max_tokens", 1);
    let heard = talk(Dialect::Anthropic, WireFormat::Whole, &[whole], |bytes| vec![bytes]);
    assert_eq!(heard.turns.len(), 1);
}

#[test]
fn a_reply_that_was_cut_short_in_our_call_says_so() {
    let half = || call("t1", "expand_context", &["{\"id\": "]);
    for (reason, block) in [("max_tokens", half()), ("refusal", expand("t1"))] {
        let heard = stream(&[reply("m1", &[text(&["a"]), block], reason, [1, 0, 7])]).done();
        assert_eq!(heard.turns, []);
        let seen = message(&payloads(heard.text()));
        assert_eq!(seen["content"], json!([{"type": "text", "text": "a"}]));
        assert_eq!(
            (&seen["stop_reason"], &seen["usage"]["output_tokens"]),
            (&json!(reason), &json!(7))
        );
    }
    // After a loop the figures are those of all replies.
    let first = reply("m1", &[expand("t1")], "tool_use", [1, 0, 10]);
    let heard = stream(&[first, reply("m2", &[half()], "max_tokens", [2, 0, 7])]).done();
    let seen = message(&payloads(heard.text()));
    assert_eq!(
        (&seen["stop_reason"], &seen["usage"]["output_tokens"]),
        (&json!("max_tokens"), &json!(17))
    );
    let content = json!([{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t1", "name": "expand_context", "input": {}}]);
    let whole = whole("m1", content, "max_tokens", 1);
    let heard = talk(Dialect::Anthropic, WireFormat::Whole, &[whole], |bytes| vec![bytes]).done();
    let seen: Value = serde_json::from_str(heard.text()).unwrap();
    assert_eq!(seen["content"], json!([{"type": "text", "text": "a"}]));
}

#[test]
fn giving_up_ends_the_message_and_never_leaves_it_empty() {
    let text_block = |text: &str| json!({"type": "text", "text": text});
    for (blocks, content) in [
        (vec![expand("t1")], json!([text_block(ENDED)])),
        (
            vec![text(&["So"]), expand("t1")],
            json!([text_block("So"), text_block(&ended_behind_text())]),
        ),
    ] {
        let heard = stream(&[
            reply("m1", &blocks, "tool_use", [5, 0, 9]),
            reply("m2", &[expand("t2")], "tool_use", [6, 0, 8]),
        ]);
        assert!(heard.is_given_up);
        let seen = message(&payloads(heard.text()));
        assert_eq!((&seen["content"], &seen["stop_reason"]), (&content, &json!("end_turn")));
        assert_eq!(
            (&seen["usage"]["output_tokens"], &seen["usage"]["input_tokens"]),
            (&json!(17), &json!(6))
        );
    }
}

#[test]
fn giving_up_in_the_middle_of_the_next_reply_closes_what_is_open() {
    let mut reply_of = Reply::new(Dialect::Anthropic, WireFormat::Events);
    let mut client = Vec::new();
    reply_of.push(&events(&reply("m1", &[expand("t1")], "tool_use", [5, 0, 9])), &mut client);
    assert!(matches!(reply_of.finish(&mut client), NextStep::Ask(_)));
    let next = reply("m2", &[text(&["Hal", "f"])], "end_turn", [6, 0, 8]);
    reply_of.push(&events(&next[..4]), &mut client);
    reply_of.give_up(&mut client);
    let seen = message(&payloads(str::from_utf8(&client).unwrap()));
    assert_eq!(seen["content"][0], json!({"type": "text", "text": "Hal"}));
    assert_eq!(seen["stop_reason"], "end_turn");
}

#[test]
fn a_stream_that_is_cut_off_in_a_call_of_our_tool_ends_without_it() {
    let all = events(&reply("m1", &[text(&["a"]), expand("t1")], "tool_use", [5, 0, 9]));
    let whole = String::from_utf8(all.clone()).unwrap();
    let id = whole.find("\"t1\"").unwrap();
    let start = whole[..id].rfind("event: content_block_start").unwrap();
    let closing = whole.find("event: message_delta").unwrap();
    let call_end = start + whole[start..].find("\n\n").unwrap() + 2;
    for at in call_end..closing {
        let heard =
            talk(Dialect::Anthropic, WireFormat::Events, &[all[..at].to_vec()], |all| vec![all]);
        assert_eq!(heard.text(), &whole[..start], "cut at {at}");
        assert!(heard.turns.is_empty() && !heard.is_given_up);
    }
}

#[test]
fn g73_an_error_passes_and_nothing_of_our_call_does() {
    let mut all = events(&reply("m1", &[expand("t1")], "tool_use", [5, 0, 9])[..4]);
    let before = events(&reply("m1", &[], "", [5, 0, 9])[..2]);
    let error =
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
    all.extend_from_slice(error.as_bytes());
    all.extend_from_slice(b"data: {\"half of our call");
    let heard = talk_in_any_split(Dialect::Anthropic, WireFormat::Events, &[all]);
    assert_eq!(heard.client, [&before, error.as_bytes()].concat());
    assert!(heard.turns.is_empty() && !heard.is_given_up);
}

#[test]
fn what_cannot_be_read_passes() {
    for odd in
        ["data: {\"type\": oops}\n\nmore", "{\"type\":\"error\"}", "data: \u{0}\n\n", "\n\n\n"]
    {
        let heard =
            talk_in_any_split(Dialect::Anthropic, WireFormat::Events, &[odd.as_bytes().to_vec()]);
        assert_eq!(heard.text(), odd);
    }
    let not_text = b"data: \xff\n\ndata: {}\n\n".to_vec();
    let heard =
        talk_in_any_split(Dialect::Anthropic, WireFormat::Events, std::slice::from_ref(&not_text));
    assert_eq!(heard.client, not_text);
}

#[test]
fn an_event_that_never_ends_passes_once_it_is_too_large() {
    let mut reply = Reply::new(Dialect::Anthropic, WireFormat::Events);
    let mut client = Vec::new();
    let mebibyte = vec![b'x'; 1 << 20];
    for _ in 0..18 {
        reply.push(&mebibyte, &mut client);
    }
    assert_eq!(client.len(), 18 << 20);
}

fn whole(id: &str, content: Value, reason: &str, output: u64) -> Vec<u8> {
    let usage = json!({"input_tokens": output + 1, "output_tokens": output});
    let reply = json!({"id": id, "type": "message", "content": content, "stop_reason": reason, "usage": usage});
    serde_json::to_string_pretty(&reply).unwrap().into_bytes()
}

fn whole_call(id: &str, name: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": {"id": "s"}})
}

#[test]
fn a_whole_reply_without_a_call_of_our_tool_is_the_same_bytes() {
    for body in [
        whole(
            "m1",
            json!([{"type": "text", "text": "expand_context"}, whole_call("t1", "Bash")]),
            "tool_use",
            3,
        ),
        br#"{"type":"error","error":{"message":"no"}}"#.to_vec(),
        b"<html>".to_vec(),
        b"\xff".to_vec(),
        vec![],
    ] {
        let heard =
            talk_in_any_split(Dialect::Anthropic, WireFormat::Whole, std::slice::from_ref(&body));
        assert_eq!(heard.client, body);
        assert!(heard.turns.is_empty());
    }
}

#[test]
fn g30_g33_whole_replies_are_one_message_to_the_client() {
    let (one, two) =
        (json!({"type": "text", "text": "One."}), json!({"type": "text", "text": "Two."}));
    let heard = talk_in_any_split(
        Dialect::Anthropic,
        WireFormat::Whole,
        &[
            whole("m1", json!([one, whole_call("t1", "expand_context")]), "tool_use", 3),
            whole(
                "m2",
                json!([whole_call("t2", "expand_context"), whole_call("t3", "expand_context")]),
                "tool_use",
                4,
            ),
            whole(
                "m3",
                json!([two, whole_call("t4", "expand_context"), whole_call("t5", "Bash")]),
                "tool_use",
                5,
            ),
        ],
    );
    let seen: Value = serde_json::from_slice(&heard.client).unwrap();
    assert_eq!(seen["content"], json!([one, two, whole_call("t5", "Bash")]));
    assert_eq!((&seen["id"], &seen["stop_reason"]), (&json!("m1"), &json!("tool_use")));
    assert_eq!(seen["usage"], json!({"input_tokens": 6, "output_tokens": 12}));
    assert_eq!(heard.turns[1].calls.len(), 2);
    assert_eq!(heard.deferred.unwrap().siblings, ["t5"]);
    let content = &follow_up(&heard.turns[0], BODY)["messages"][1]["content"];
    assert_eq!(*content, json!([one, whole_call("t1", "expand_context")]));
}

#[test]
fn giving_up_whole_replies_gives_what_was_said() {
    let call = || whole_call("t1", "expand_context");
    let one = json!({"type": "text", "text": "One."});
    for (content, seen) in [
        (json!([one, call()]), json!([one, {"type": "text", "text": ended_behind_text()}])),
        (json!([call()]), json!([{"type": "text", "text": ENDED}])),
    ] {
        let heard = talk(
            Dialect::Anthropic,
            WireFormat::Whole,
            &[whole("m1", content, "tool_use", 3)],
            |all| vec![all],
        );
        let message: Value = serde_json::from_slice(&heard.client).unwrap();
        assert_eq!((&message["content"], &message["stop_reason"]), (&seen, &json!("end_turn")));
    }
}

/// A block of a random kind.
fn any_block() -> impl Strategy<Value = (Value, Vec<Value>)> {
    prop_oneof![
        prop::collection::vec("[a-z é\"\\\\\n😀]{0,9}", 0..4)
            .prop_map(|parts| text(&parts.iter().map(String::as_str).collect::<Vec<_>>())),
        "[a-z=]{1,9}".prop_map(|signature| thinking(&["hm", "…"], &signature)),
        Just(call("t1", "Bash", &["{\"command\":", "\"ls\"}"])),
        Just(expand("t2")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn g25_g34_any_turns_in_any_split_are_one_message_without_our_calls(
        turns in prop::collection::vec(prop::collection::vec(any_block(), 0..5), 1..4),
        sizes in prop::collection::vec(1..200_usize, 1..9),
    ) {
        let replies: Vec<_> = turns.iter().map(|blocks| events(&reply("m", blocks, "tool_use", [1, 0, 1]))).collect();
        let heard = talk(Dialect::Anthropic, WireFormat::Events, &replies, |bytes| vec![bytes]);
        let split = talk(Dialect::Anthropic, WireFormat::Events, &replies, |mut bytes| {
            let mut pieces = Vec::new();
            for size in sizes.iter().cycle() {
                let (piece, rest) = bytes.split_at((*size).min(bytes.len()));
                pieces.push(piece);
                bytes = rest;
                if bytes.is_empty() {
                    break;
                }
            }
            pieces
        });
        prop_assert_eq!(&heard, &split);
        let seen = message(&payloads(heard.text()));
        prop_assert!(!heard.text().contains("expand_context"));
        // Until a turn without a call of ours, or with one of the client's.
        let is_last = |blocks: &&Vec<(Value, Vec<Value>)>| {
            let has = |name| blocks.iter().any(|(start, _)| start["name"] == name);
            !has("expand_context") || has("Bash")
        };
        let last = turns.iter().position(|blocks| is_last(&blocks)).unwrap_or(turns.len() - 1);
        let own = turns[..=last].iter().flatten().filter(|(start, _)| start["name"] != "expand_context");
        let kinds: Vec<_> = own.map(|(start, _)| start["type"].clone()).collect();
        let seen: Vec<_> = seen["content"].as_array().unwrap().iter().map(|block| block["type"].clone()).collect();
        prop_assert_eq!(&seen[..kinds.len()], &kinds[..]);
        prop_assert!(seen.len() == kinds.len() || heard.is_given_up);
    }
}
