//! Replies of OpenAI Chat Completions.

use crate::support::talk::{ENDED, Heard, bytes, data, payloads, pieces, talk, talk_in_any_split};
use proptest::prelude::*;
use tokenforge_providers::{Dialect, NextStep, Reply, WireFormat};

const USAGE: &str = r#""usage":{"prompt_tokens":IN,"completion_tokens":OUT,"total_tokens":ALL,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":REASON}}"#;

/// A chunk of the reply with this id.
fn chunk(id: &str, choices: &str, rest: &str) -> String {
    format!(
        r#"{{"id":"{id}","object":"chat.completion.chunk","created":17{},"model":"gpt","system_fingerprint":"fp","choices":[{choices}]{rest}}}"#,
        id.len()
    )
}

fn delta(id: &str, delta: &str) -> String {
    let choice = format!(r#"{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":null}}"#);
    chunk(id, &choice, r#","usage":null"#)
}

fn finish(id: &str, reason: &str) -> String {
    let choice =
        format!(r#"{{"index":0,"delta":{{}},"logprobs":null,"finish_reason":"{reason}"}}"#);
    chunk(id, &choice, r#","usage":null"#)
}

fn usage(id: &str, input: u64, output: u64, reasoning: u64) -> String {
    let usage = USAGE
        .replace("IN", &input.to_string())
        .replace("OUT", &output.to_string())
        .replace("ALL", &(input + output).to_string())
        .replace("REASON", &reasoning.to_string());
    chunk(id, "", &format!(",{usage}"))
}

/// The chunks of a call, its arguments in fragments of a few letters as the models make them.
fn call(id: &str, index: usize, call_id: &str, name: &str, arguments: &str) -> Vec<String> {
    let mut chunks = vec![delta(
        id,
        &format!(
            r#"{{"tool_calls":[{{"index":{index},"id":"{call_id}","type":"function","function":{{"name":"{name}","arguments":""}}}}]}}"#
        ),
    )];
    let letters: Vec<char> = arguments.chars().collect();
    for piece in letters.chunks(3) {
        let piece = serde_json::to_string(&piece.iter().collect::<String>()).unwrap();
        chunks.push(delta(
            id,
            &format!(
                r#"{{"tool_calls":[{{"index":{index},"function":{{"arguments":{piece}}}}}]}}"#
            ),
        ));
    }
    chunks
}

fn role(id: &str) -> String {
    delta(id, r#"{"role":"assistant","content":"","refusal":null}"#)
}

fn text(id: &str, text: &str) -> String {
    delta(id, &format!(r#"{{"content":"{text}"}}"#))
}

fn done() -> String {
    "[DONE]".to_owned()
}

fn stream(parts: &[&[String]]) -> String {
    data(&parts.concat())
}

fn converse<T: AsRef<str>>(replies: &[T]) -> Heard {
    talk_in_any_split(Dialect::OpenAiChat, WireFormat::Events, &bytes(replies))
}

fn expand(index: usize, call_id: &str) -> Vec<String> {
    call("a", index, call_id, "expand_context", r#"{"id":"shadow_1"}"#)
}

#[test]
fn g24_what_calls_nothing_of_ours_passes_byte_for_byte() {
    let bash = call("a", 0, "c1", "bash", r#"{"command":"echo expand_context"}"#);
    let plain = stream(&[
        &[role("a"), text("a", "a \\u00e9 expand_context")],
        &bash,
        &[finish("a", "tool_calls"), usage("a", 9, 5, 1), done()],
    ]);
    let odd = ": OPENROUTER PROCESSING\r\n\r\ndata:{\"choices\":[]}\r\n\r\nevent: x\ndata: {\"id\":\ndata: \"b\"}\n\nretry: 5\n\n";
    for reply in [plain, odd.to_owned()] {
        let heard = converse(&[&reply]);
        assert_eq!(heard.text(), reply);
        assert!(heard.done().deferred.is_none());
    }
}

#[test]
fn g26_fragments_are_joined_and_the_client_s_stream_goes_on() {
    let first = stream(&[
        &[role("a"), text("a", "Let me "), text("a", "look.\\n")],
        &expand(0, "c1"),
        &[finish("a", "tool_calls"), usage("a", 100, 20, 7), done()],
    ]);
    let second = stream(&[
        &[role("bb")],
        &call("bb", 0, "c2", "expand_context", r#"{"id":"é\"}"#),
        &[finish("bb", "tool_calls"), usage("bb", 150, 5, 0), done()],
    ]);
    let third = stream(&[
        &[role("ccc"), text("ccc", "It is 7.")],
        &[finish("ccc", "stop"), usage("ccc", 200, 10, 1), done()],
    ]);
    let heard = converse(&[first, second, third]).done();
    let told = stream(&[
        &[role("a"), text("a", "Let me "), text("a", "look.\\n")],
        &[text("a", "It is 7."), finish("a", "stop"), usage("a", 200, 35, 8), done()],
    ]);
    assert_eq!(heard.text(), told);
    assert_eq!(heard.asked(), [[("c1", r#"{"id":"shadow_1"}"#)], [("c2", r#"{"id":"é\"}"#)]]);
    let usage = &heard.usage;
    assert_eq!((usage.last.input, usage.last.output), (Some(200), Some(10)));
    assert_eq!((usage.sum.input, usage.sum.output), (Some(450), Some(35)));
    assert_eq!(usage.sum.cache_read, Some(12));

    let body = r#"{ "messages": [{"role":"user","content":"?"}], "tools": [ ] }"#;
    assert_eq!(
        heard.body(0, body, "the\noriginal"),
        r#"{ "messages": [{"role":"user","content":"?"},{"role":"assistant","content":"Let me look.\n","tool_calls":[{"id":"c1","type":"function","function":{"name":"expand_context","arguments":"{\"id\":\"shadow_1\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"the\noriginal"}], "tools": [ ] }"#
    );
}

#[test]
fn g24_text_flows_before_the_call_is_over() {
    let mut reply = Reply::new(Dialect::OpenAiChat, WireFormat::Events);
    let mut client = Vec::new();
    let opening = stream(&[&[role("a"), text("a", "live")]]);
    reply.push(opening.as_bytes(), &mut client);
    assert_eq!(client, opening.as_bytes());
    client.clear();
    reply.push(stream(&[&expand(0, "c1"), &[text("a", "still live")]]).as_bytes(), &mut client);
    assert_eq!(client, stream(&[&[text("a", "still live")]]).as_bytes());
}

#[test]
fn g29_the_client_s_calls_are_numbered_as_if_ours_were_not_there() {
    let bash = |index| call("a", index, "c2", "bash", r#"{"command":"ls"}"#);
    let read = |index| call("a", index, "c4", "read", "{}");
    let closing = [finish("a", "tool_calls"), usage("a", 9, 5, 0), done()];
    let reply =
        stream(&[&[role("a")], &expand(0, "c1"), &bash(1), &expand(2, "c3"), &read(3), &closing]);
    let heard = converse(&[reply]).done();
    assert_eq!(heard.text(), stream(&[&[role("a")], &bash(0), &read(1), &closing]));
    let deferred = heard.deferred.unwrap();
    assert_eq!(deferred.siblings, ["c2", "c4"]);
    assert_eq!(deferred.calls.len(), 2);
    assert_eq!((&*deferred.calls[1].id, deferred.calls[1].siblings_before), ("c3", 1));
    assert_eq!(
        deferred.calls[0].call,
        r#"{"id":"c1","type":"function","function":{"name":"expand_context","arguments":"{\"id\":\"shadow_1\"}"}}"#
    );
}

#[test]
fn fragments_of_several_calls_may_be_mixed_in_one_chunk() {
    let both = delta(
        "a",
        r#"{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c1","function":{"name":"expand_context","arguments":"{}"}},{"index":1,"id":"c2","function":{"name":"ls","arguments":""}}]}"#,
    );
    let more = delta(
        "a",
        r#"{"tool_calls":[{"index":1,"function":{"arguments":"{}"}},{"index":0,"function":{"arguments":" "}}]}"#,
    );
    let heard = converse(&[stream(&[&[both, more, finish("a", "tool_calls"), done()]])]);
    let told = [
        delta(
            "a",
            r#"{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c2","function":{"name":"ls","arguments":""}}]}"#,
        ),
        delta("a", r#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#),
    ];
    assert_eq!(heard.text(), stream(&[&told, &[finish("a", "tool_calls"), done()]]));
    assert_eq!(heard.deferred.unwrap().calls[0].arguments, "{} ");
}

#[test]
fn several_calls_of_ours_are_all_answered_and_text_behind_them_is_given() {
    let first = stream(&[
        &[role("a")],
        &expand(0, "c1"),
        &[text("a", "between")],
        &expand(1, "c2"),
        &[text("a", "behind"), finish("a", "tool_calls"), done()],
    ]);
    let second = stream(&[&[role("b"), text("b", "!"), finish("b", "stop"), done()]]);
    let heard = converse(&[first, second]).done();
    let told = [
        role("a"),
        text("a", "between"),
        text("a", "behind"),
        text("a", "!"),
        finish("a", "stop"),
        done(),
    ];
    assert_eq!(heard.text(), stream(&[&told]));
    assert_eq!(heard.asked()[0].len(), 2);
    let body = heard.body(0, r#"{"messages":[]}"#, "x");
    assert!(body.contains(r#""content":"betweenbehind""#), "{body}");
    assert_eq!(body.matches(r#""role":"tool""#).count(), 2);
}

#[test]
fn g28_what_providers_want_back_is_said_again() {
    let first = [
        delta("a", r#"{"role":"assistant","reasoning_content":"Hm"}"#),
        delta("a", r#"{"reasoning_content":"m.","reasoning_details":[{"type":"x","data":"s1"}]}"#),
        delta("a", r#"{"reasoning_details":[{"type":"x","data":"s2"}]}"#),
        delta(
            "a",
            r#"{"tool_calls":[{"index":0,"id":"c1","type":"function","extra_content":{"google":{"thought_signature":"s3"}},"function":{"name":"expand_context","arguments":"{}"}}]}"#,
        ),
        finish("a", "tool_calls"),
        done(),
    ];
    let heard = converse(&[data(&first)]);
    assert_eq!(
        heard.body(0, r#"{"messages":[]}"#, "x"),
        r#"{"messages":[{"role":"assistant","reasoning_content":"Hmm.","reasoning_details":[{"type":"x","data":"s1"},{"type":"x","data":"s2"}],"content":null,"tool_calls":[{"id":"c1","type":"function","extra_content":{"google":{"thought_signature":"s3"}},"function":{"name":"expand_context","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"x"}]}"#
    );
}

#[test]
fn a_chunk_that_says_calls_and_closes_gives_the_client_what_it_says() {
    let first = chunk(
        "a",
        r#"{"index":0,"delta":{"role":"assistant","content":"Wait.","tool_calls":[{"id":"c1","function":{"name":"expand_context","arguments":"{}"}}]},"finish_reason":"tool_calls"}"#,
        r#","usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}"#,
    );
    let second = chunk(
        "bb",
        r#"{"index":0,"delta":{"role":"assistant","content":"Done."},"finish_reason":"stop"}"#,
        r#","usage":{"prompt_tokens":4,"completion_tokens":5,"total_tokens":9}"#,
    );
    let heard = converse(&[data(&[first, done()]), data(&[second, done()])]).done();
    let told = [
        chunk(
            "a",
            r#"{"index":0,"delta":{"role":"assistant","content":"Wait."},"finish_reason":null}"#,
            r#","usage":null"#,
        ),
        chunk(
            "a",
            r#"{"index":0,"delta":{"role":"assistant","content":"Done."},"finish_reason":"stop"}"#,
            r#","usage":{"prompt_tokens":4,"completion_tokens":7,"total_tokens":11}"#,
        ),
        done(),
    ];
    assert_eq!(heard.text(), data(&told));
}

#[test]
fn a_stream_that_breaks_off_in_our_call_ends_without_it() {
    let reply = stream(&[&[role("a"), text("a", "so far")], &expand(0, "c1")]);
    let told = stream(&[&[role("a"), text("a", "so far")]]);
    for end in told.len()..reply.len() {
        let replies = [&reply[..end]];
        let heard = talk(Dialect::OpenAiChat, WireFormat::Events, &bytes(&replies), |bytes| {
            bytes.chunks(64).collect()
        })
        .done();
        assert!(heard.text().starts_with(&told), "{end}");
        assert!(!heard.text().contains("shadow_1"), "{end}");
    }
}

#[test]
fn a_reply_that_was_cut_short_in_our_call_says_so() {
    let half = call("a", 0, "c1", "expand_context", r#"{"id":"shad"#);
    for (reason, call) in [("length", half), ("content_filter", expand(0, "c1"))] {
        let closing = [finish("a", reason), usage("a", 1, 2, 0), done()];
        let reply = stream(&[&[role("a")], &call, &closing]);
        let heard = converse(&[reply]).done();
        assert_eq!(heard.text(), stream(&[&[role("a")], &closing]));
    }
}

#[test]
fn c6_a_whole_call_is_answered_even_if_the_tokens_ran_out() {
    let closing = [finish("a", "length"), usage("a", 1, 2, 0), done()];
    let first = stream(&[&[role("a")], &expand(0, "c1"), &closing]);
    let second = stream(&[&[text("b", "So."), finish("b", "stop"), done()]]);
    let heard = converse(&[&first, &second]).done();
    assert_eq!(heard.asked(), [[("c1", r#"{"id":"shadow_1"}"#)]]);
    assert_eq!(
        heard.text(),
        stream(&[&[role("a"), text("a", "So."), finish("a", "stop"), done()]])
    );
    assert!(!converse(&[first]).given_up().contains("\"length\""));
}

#[test]
fn a_reply_that_ends_without_a_reason_is_over_all_the_same() {
    let first = stream(&[&[role("a")], &expand(0, "c1"), &[done()]]);
    let second = stream(&[&[text("b", "So."), done()]]);
    let heard = converse(&[first, second]).done();
    assert_eq!(heard.text(), stream(&[&[role("a"), text("a", "So."), done()]]));
}

#[test]
fn g73_errors_and_several_choices_pass_and_our_call_does_not() {
    let error = r#"{"error":{"message":"overloaded","code":503}}"#.to_owned();
    let second = chunk("a", r#"{"index":1,"delta":{"content":"x"}}"#, "");
    for strange in [error, second] {
        let reply = stream(&[&[role("a"), strange.clone()], &expand(0, "c1"), &[done()]]);
        let told = stream(&[&[role("a"), strange, done()]]);
        assert_eq!(converse(&[&reply]).done().text(), told);
    }
}

#[test]
fn g32_a_client_that_is_given_up_gets_a_closed_stream_with_a_text() {
    let first = stream(&[
        &[role("a")],
        &expand(0, "c1"),
        &[finish("a", "tool_calls"), usage("a", 10, 2, 0), done()],
    ]);
    let second = stream(&[
        &[role("bb")],
        &call("bb", 0, "c2", "expand_context", "{}"),
        &[finish("bb", "tool_calls"), usage("bb", 20, 3, 0), done()],
    ]);
    let client = converse(&[first, second]).given_up();
    let told = payloads(&client);
    assert_eq!(told.len(), 5);
    assert!(told[1].starts_with(r#"{"id":"a","#), "{}", told[1]);
    assert!(told[1].contains(ENDED), "{}", told[1]);
    assert_eq!(told[2..], [finish("a", "stop"), usage("a", 20, 5, 0), done()]);
}

#[test]
fn a_reply_that_is_given_up_in_its_middle_is_closed() {
    let first = stream(&[&[role("a")], &expand(0, "c1"), &[finish("a", "tool_calls"), done()]]);
    let second = data(&[role("b"), text("b", "half")]);
    let mut reply = Reply::new(Dialect::OpenAiChat, WireFormat::Events);
    let mut client = Vec::new();
    reply.push(first.as_bytes(), &mut client);
    assert!(matches!(reply.finish(&mut client), NextStep::Ask(_)));
    reply.push(second.as_bytes(), &mut client);
    reply.give_up(&mut client);
    let client = str::from_utf8(&client).unwrap();
    assert!(client.starts_with(&data(&[role("a"), text("a", "half")])), "{client}");
    assert!(client.ends_with(&data(&[finish("a", "stop"), done()])), "{client}");
}

fn whole(id: &str, message: &str, logprobs: &str, finish: &str, output: u64) -> String {
    format!(
        r#"{{ "id":"{id}","object":"chat.completion","created":1{},"choices":[{{"index":0,"message":{message},"logprobs":{logprobs},"finish_reason":"{finish}"}}],"usage":{{"prompt_tokens":10,"completion_tokens":{output},"total_tokens":{}}}}}"#,
        id.len(),
        10 + output
    )
}

fn converse_whole(replies: &[String]) -> Heard {
    talk(Dialect::OpenAiChat, WireFormat::Whole, &bytes(replies), |bytes| bytes.chunks(7).collect())
}

const OURS: &str =
    r#"{"id":"c1","type":"function","function":{"name":"expand_context","arguments":"{}"}}"#;
const BASH: &str = r#"{"id":"c2","type":"function","function":{"name":"bash","arguments":"{}"}}"#;

#[test]
fn g30_g53_a_whole_reply_has_every_text_once() {
    let first = whole(
        "a",
        &format!(
            r#"{{"role":"assistant","content":"One. ","refusal":null,"tool_calls":[{OURS}]}}"#
        ),
        r#"{"content":[{"token":"One"}],"refusal":null}"#,
        "tool_calls",
        4,
    );
    let second = whole(
        "bb",
        r#"{"role":"assistant","content":"Two.","refusal":null,"annotations":[]}"#,
        r#"{"content":[{"token":"Two"}],"refusal":null}"#,
        "stop",
        6,
    );
    let heard = converse_whole(&[first, second]).done();
    let told = whole(
        "a",
        r#"{"role":"assistant","content":"One. Two.","refusal":null,"annotations":[]}"#,
        r#"{"content":[{"token":"One"},{"token":"Two"}],"refusal":null}"#,
        "stop",
        10,
    );
    assert_eq!(heard.text(), told);
    assert_eq!(
        heard.body(0, r#"{"messages":[{}]}"#, "x"),
        format!(
            r#"{{"messages":[{{}},{{"role":"assistant","content":"One. ","refusal":null,"tool_calls":[{OURS}]}},{{"role":"tool","tool_call_id":"c1","content":"x"}}]}}"#
        )
    );
}

#[test]
fn g53_a_whole_refusal_after_a_loop_is_kept() {
    let first = whole(
        "a",
        &format!(r#"{{"role":"assistant","content":null,"tool_calls":[{OURS}]}}"#),
        "null",
        "tool_calls",
        4,
    );
    let refusal = r#"{"role":"assistant","content":null,"refusal":"No."}"#;
    let heard = converse_whole(&[first, whole("b", refusal, "null", "stop", 1)]).done();
    assert_eq!(heard.text(), whole("a", refusal, "null", "stop", 5));
}

#[test]
fn g29_our_calls_are_cut_out_of_a_whole_reply() {
    let message =
        |calls: &str| format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls}]}}"#);
    for calls in [format!("{OURS},{BASH}"), format!("{BASH}, {OURS}")] {
        let reply = whole("a", &message(&calls), "null", "tool_calls", 4);
        let heard = converse_whole(&[reply]).done();
        assert_eq!(heard.text(), whole("a", &message(BASH), "null", "tool_calls", 4));
        let deferred = heard.deferred.unwrap();
        assert_eq!((deferred.siblings, &*deferred.calls[0].call), (vec!["c2".to_owned()], OURS));
    }
}

#[test]
fn whole_replies_without_a_call_of_ours_pass_byte_for_byte() {
    for reply in [
        whole(
            "a",
            &format!(r#"{{"content":"expand_context","tool_calls":[ {BASH} ]}}"#),
            "null",
            "tool_calls",
            1,
        ),
        r#"{"choices":[{"index":0,"message":{"tool_calls":[]}},{"index":1}]}"#.to_owned(),
        r#"{"error":{"message":"no"}}"#.to_owned(),
        "<html>".to_owned(),
    ] {
        assert_eq!(converse_whole(std::slice::from_ref(&reply)).done().text(), reply);
    }
}

#[test]
fn g32_a_whole_reply_that_is_given_up_has_a_text() {
    let message = |rest: &str| format!(r#"{{"role":"assistant",{rest}}}"#);
    let ours = format!(r#""content":null,"tool_calls":[{OURS}]"#);
    let reply = whole("a", &message(&ours), "null", "tool_calls", 4);
    let notice = format!(r#""content":"{ENDED}""#);
    let told = whole("a", &message(&notice), "null", "stop", 4);
    assert_eq!(converse_whole(&[reply]).given_up(), told);

    let said = format!(r#""content":"One.","tool_calls":[{OURS}]"#);
    let first = whole("a", &message(&said), "null", "tool_calls", 4);
    let second = whole("b", &message(&ours), "null", "tool_calls", 4);
    let told = whole("a", &message(&format!(r#""content":"One.\n\n{ENDED}""#)), "null", "stop", 8);
    assert_eq!(converse_whole(&[first, second]).given_up(), told);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn g25_any_split_gives_the_same(lengths in prop::collection::vec(1_usize..200, 1..20)) {
        let first = stream(&[
            &[role("a"), text("a", "é\\n")],
            &expand(0, "c1"),
            &[finish("a", "tool_calls"), usage("a", 1, 2, 0), done()],
        ]);
        let second = stream(&[&[role("b"), text("b", "!"), finish("b", "stop"), done()]]);
        let replies = bytes(&[first, second]);
        let cut = talk(Dialect::OpenAiChat, WireFormat::Events, &replies, |bytes| pieces(bytes, &lengths));
        let whole = talk(Dialect::OpenAiChat, WireFormat::Events, &replies, |bytes| vec![bytes]);
        prop_assert_eq!(cut, whole);
    }

    #[test]
    fn whatever_bytes_come_they_pass_if_our_tool_is_not_named(
        reply in r#"(data: |event: x|\{"choices":\[\{"delta":|\{"tool_calls":|\}|\]|"|\n|\r\n|\n\n|[a-z{}é]){0,40}"#,
        lengths in prop::collection::vec(1_usize..9, 1..9),
    ) {
        let replies = bytes(&[&reply]);
        let cut = talk(Dialect::OpenAiChat, WireFormat::Events, &replies, |bytes| pieces(bytes, &lengths));
        prop_assert_eq!(cut.text(), reply);
    }
}
