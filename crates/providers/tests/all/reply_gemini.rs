//! Replies of Google's generateContent, as events and as an array that grows.

use crate::support::talk::{
    ENDED, Heard, bytes, data, ended_behind_text, payloads, pieces, talk, talk_in_any_split,
};
use proptest::prelude::*;
use serde_json::Value;
use tokenforge_providers::{Dialect, WireFormat, call_key};

/// A chunk: its parts, what stands behind its content, and its figures.
fn chunk(id: &str, parts: &[&str], rest: &str, output: u64) -> String {
    let content = match parts {
        [] => r#"{"role":"model"}"#.to_owned(),
        parts => format!(r#"{{"parts":[{}],"role":"model"}}"#, parts.join(",")),
    };
    format!(
        r#"{{"candidates":[{{"content":{content}{rest},"index":0}}],"usageMetadata":{{"promptTokenCount":{},"candidatesTokenCount":{output},"totalTokenCount":{},"cachedContentTokenCount":4}},"modelVersion":"gemini","responseId":"{id}"}}"#,
        id.len() * 10,
        id.len() as u64 * 10 + output
    )
}

const STOP: &str = r#","finishReason":"STOP""#;
const OURS: &str =
    r#"{"functionCall":{"name":"expand_context","args":{"id":"s1"}},"thoughtSignature":"sig=="}"#;
const UNSIGNED: &str = r#"{"functionCall":{"name":"expand_context","args":{"id":"s2"}}}"#;
const LIST: &str = r#"{"functionCall":{"name":"ls","args":{"path":".","all":true}}}"#;
const SKIPPED_LIST: &str = r#"{"functionCall":{"name":"ls","args":{"path":".","all":true}},"thoughtSignature":"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}"#;
const EMPTY: &str = r#"{"text":""}"#;

fn text(text: &str) -> String {
    format!(r#"{{"text":"{text}"}}"#)
}

fn thought(text: &str) -> String {
    format!(r#"{{"text":"{text}","thought":true}}"#)
}

/// The growing array, as the provider writes it.
fn array<T: AsRef<str>>(chunks: &[T]) -> String {
    let chunks: Vec<&str> = chunks.iter().map(AsRef::as_ref).collect();
    format!("[{}\n]\n", chunks.join("\n,\r\n"))
}

/// Takes the replies over both wires; what the client got as events, after it was compared with the array.
fn converse(replies: &[Vec<String>]) -> Heard {
    let as_events: Vec<String> = replies.iter().map(|chunks| data(chunks)).collect();
    let as_array: Vec<String> = replies.iter().map(|chunks| array(chunks)).collect();
    let streamed = talk_in_any_split(Dialect::Gemini, WireFormat::Events, &bytes(&as_events));
    let grown = talk_in_any_split(Dialect::Gemini, WireFormat::Array, &bytes(&as_array));
    assert_eq!(grown.turns, streamed.turns);
    let told: Vec<Value> = serde_json::from_str(grown.text()).unwrap();
    let expected = payloads(streamed.text());
    let expected: Vec<Value> =
        expected.iter().map(|json| serde_json::from_str(json).unwrap()).collect();
    assert_eq!(told, expected);
    streamed
}

#[test]
fn g24_what_calls_nothing_of_ours_passes_byte_for_byte() {
    let chunks = [
        chunk("r", &[&thought("Hm"), &text("expand_context")], "", 1),
        chunk("r", &[LIST, EMPTY], "", 2),
        chunk("r", &[EMPTY], STOP, 3),
    ];
    for (wire, reply) in [
        (WireFormat::Events, data(&chunks)),
        (WireFormat::Events, data(&chunks).replace('\n', "\r\n")),
        (WireFormat::Array, array(&chunks)),
        (WireFormat::Array, "[]".to_owned()),
    ] {
        let heard = talk_in_any_split(Dialect::Gemini, wire, &bytes(&[&reply])).done();
        assert_eq!(heard.text(), reply);
        assert!(heard.deferred.is_none());
    }
}

#[test]
fn g24_the_client_s_stream_goes_on() {
    let first = vec![
        chunk("r", &[&thought("Hm"), &text("Let me ")], "", 1),
        chunk("r", &[&text("look.\\n")], "", 2),
        chunk("r", &[OURS], "", 3),
        chunk("r", &[EMPTY], STOP, 20),
    ];
    let second = vec![chunk("rr", &[OURS, UNSIGNED], STOP, 5)];
    let third = vec![
        chunk("rrr", &[&text("It is ")], "", 1),
        chunk("rrr", &[r#"{"text":"7.","thoughtSignature":"z"}"#], STOP, 10),
    ];
    let heard = converse(&[first.clone(), second, third]).done();
    let later = |parts: &[&str], rest, output| {
        chunk("rrr", parts, rest, output).replace(r#""rrr""#, r#""r""#)
    };
    let told = [
        first[0].clone(),
        first[1].clone(),
        later(&[&text("It is ")], "", 26),
        later(&[r#"{"text":"7.","thoughtSignature":"z"}"#], STOP, 35),
    ];
    assert_eq!(heard.text(), data(&told));
    assert_eq!(
        heard.asked(),
        [vec![("", r#"{"id":"s1"}"#)], vec![("", r#"{"id":"s1"}"#), ("", r#"{"id":"s2"}"#)]]
    );
    let usage = &heard.usage;
    assert_eq!((usage.last.input, usage.last.output), (Some(30), Some(10)));
    assert_eq!(
        (usage.sum.input, usage.sum.output, usage.sum.cache_read),
        (Some(60), Some(35), Some(12))
    );
}

#[test]
fn g28_parts_are_said_again_with_their_signatures() {
    let signed = r#"{"text":"b","thoughtSignature":"y"}"#;
    let chunks = vec![
        chunk(
            "r",
            &[&thought("H"), &thought("m"), &text("a"), &text("\\n"), signed, &text("c")],
            "",
            1,
        ),
        chunk("r", &[&text("d"), OURS], "", 1),
        chunk("r", &[EMPTY], STOP, 1),
    ];
    let heard = converse(&[chunks]);
    let said =
        [thought("Hm"), text("a\\n"), signed.to_owned(), text("cd"), OURS.to_owned()].join(",");
    assert_eq!(
        heard.body(0, r#"{"contents":[{"role":"user","parts":[]}],"tools":[]}"#, "x"),
        format!(
            r#"{{"contents":[{{"role":"user","parts":[]}},{{"role":"model","parts":[{said}]}},{{"role":"user","parts":[{{"functionResponse":{{"name":"expand_context","response":{{"output":"x"}}}}}}]}}],"tools":[]}}"#
        )
    );
}

#[test]
fn g29_the_signature_stays_with_our_call_and_a_strict_model_s_client_gets_a_word_for_it() {
    let closing = chunk("r", &[EMPTY], STOP, 9);
    for chunks in [
        vec![chunk("r", &[OURS, LIST], "", 5), closing.clone()],
        vec![chunk("r", &[OURS], "", 4), chunk("r", &[LIST, UNSIGNED], "", 5), closing.clone()],
    ] {
        for (version, list) in
            [("gemini", LIST), ("gemini-2.5-pro", LIST), ("gemini-3-pro", SKIPPED_LIST)]
        {
            let of = |chunk: &String| chunk.replace(r#""gemini""#, &format!("\"{version}\""));
            let heard = converse(&[chunks.iter().map(of).collect()]).done();
            let told = [chunk("r", &[list], "", 5), closing.clone()];
            assert_eq!(heard.text(), data(&told.each_ref().map(of)), "{version}");
            let deferred = heard.deferred.unwrap();
            assert_eq!(deferred.siblings, [call_key("ls", r#"{"all":true,"path":"."}"#)]);
            assert_eq!(deferred.calls[0].call, OURS);
        }
    }
}

#[test]
fn g29_a_call_of_ours_behind_the_client_s_is_kept_as_it_came() {
    let with_id = LIST.replace(r#"{"name""#, r#"{"id":"f1","name""#);
    let chunks = vec![chunk("r", &[&with_id, OURS], STOP, 5)];
    let heard = converse(&[chunks]).done();
    assert_eq!(heard.text(), data(&[chunk("r", &[&with_id], STOP, 5)]));
    let deferred = heard.deferred.unwrap();
    assert_eq!((&*deferred.siblings[0], &*deferred.calls[0].call), ("f1", OURS));
    assert_eq!(deferred.calls[0].siblings_before, 1);
}

#[test]
fn what_is_said_in_the_last_chunk_is_given_without_its_end() {
    let first = vec![chunk("r", &[&text("One. "), OURS], STOP, 5)];
    let second = vec![chunk("r", &[&text("Two.")], STOP, 6)];
    let heard = converse(&[first, second]).done();
    let told = [chunk("r", &[&text("One. ")], "", 5), chunk("r", &[&text("Two.")], STOP, 11)];
    assert_eq!(heard.text(), data(&told));
}

#[test]
fn what_only_an_earlier_reply_thought_is_in_the_figures() {
    let thoughts = |json: String| {
        json.replace(r#""totalTokenCount":"#, r#""thoughtsTokenCount":3,"totalTokenCount":1"#)
    };
    let first = vec![thoughts(chunk("r", &[OURS], STOP, 5))];
    let heard = converse(&[first, vec![chunk("r", &[&text("a")], STOP, 6)]]).done();
    assert!(heard.text().contains(
        r#""candidatesTokenCount":11,"totalTokenCount":24,"cachedContentTokenCount":4,"thoughtsTokenCount":3}"#
    ), "{}", heard.text());
    assert_eq!(heard.usage.sum.output, Some(14));
}

#[test]
fn arguments_that_are_streamed_are_ours_to_their_end() {
    let more = r#"{"functionCall":{"partialArgs":[{"jsonPath":"$.id","stringValue":"s"}],"willContinue":true}}"#;
    let last = r#"{"functionCall":{}}"#;
    let ours = r#"{"functionCall":{"name":"expand_context","willContinue":true}}"#;
    let theirs = ours.replace("expand_context", "ls");
    let chunks = vec![
        chunk("r", &[ours], "", 1),
        chunk("r", &[more], "", 2),
        chunk("r", &[last, &theirs], "", 3),
        chunk("r", &[more, last], STOP, 4),
    ];
    let heard = converse(std::slice::from_ref(&chunks)).done();
    assert_eq!(heard.text(), data(&[chunk("r", &[&theirs], "", 3), chunks[3].clone()]));
    let deferred = heard.deferred.unwrap();
    assert_eq!(deferred.calls[0].arguments, r#"{"id":"s"}"#);
    assert_eq!(
        deferred.calls[0].call,
        r#"{"functionCall":{"name":"expand_context","args":{"id":"s"}}}"#
    );
}

#[test]
fn c6_a_call_whose_arguments_are_streamed_is_answered_and_said_again_whole() {
    let part = |call: &str, rest: &str| format!(r#"{{"functionCall":{{{call}}}{rest}}}"#);
    let piece = |path: &str, value: &str| {
        part(&format!(r#""partialArgs":[{{"jsonPath":"{path}",{value}}}],"willContinue":true"#), "")
    };
    let parts = [
        part(
            r#""id":"f1","name":"expand_context","willContinue":true"#,
            r#","thoughtSignature":"sig==""#,
        ),
        piece("$.id", r#""stringValue":"shadow_\ud83d","willContinue":true"#),
        piece("$.id", r#""stringValue":"\ude00\"b""#),
        piece("$['lines']", r#""stringValue":"1-9""#),
        piece("$.nested.deep", r#""numberValue":1"#),
        part("", ""),
    ];
    let asked = r#"{"id":"shadow_\ud83d\ude00\"b","lines":"1-9"}"#;
    let whole = format!(
        r#"{{"functionCall":{{"id":"f1","name":"expand_context","args":{asked}}},"thoughtSignature":"sig=="}}"#
    );
    let second = vec![chunk("rr", &[&text("So.")], STOP, 6)];
    for last in [r#","finishReason":"MAX_TOKENS""#, STOP] {
        let mut first: Vec<_> =
            (1..).zip(&parts).map(|(n, part)| chunk("r", &[part], "", n)).collect();
        first.push(chunk("r", &[EMPTY], last, 7));
        let heard = converse(&[first.clone(), second.clone()]).done();
        assert_eq!(heard.asked(), [[("f1", asked)]]);
        let body = heard.body(0, r#"{"contents":[]}"#, "original");
        assert!(body.contains(&format!(r#"{{"role":"model","parts":[{whole}]}}"#)), "{body}");
        assert!(!heard.text().contains("expand_context") && !heard.text().contains("partialArgs"));
        // Cut short before its end, it is no question; ended by the model, it is what came of it.
        first.remove(5);
        let heard = converse(&[first, second.clone()]).done();
        assert_eq!(heard.turns.len(), usize::from(last == STOP));
    }
}

#[test]
fn code_assist_wraps_the_same() {
    let wrapped = |json: String| format!(r#"{{"response":{json},"traceId":"t"}}"#);
    let first = vec![wrapped(chunk("r", &[&text("a"), OURS], STOP, 5))];
    let second = vec![wrapped(chunk("rr", &[&text("b")], STOP, 6))];
    let heard = converse(&[first, second]).done();
    let last = chunk("rr", &[&text("b")], STOP, 11).replace(r#""rr""#, r#""r""#);
    let told = [wrapped(chunk("r", &[&text("a")], "", 5)), wrapped(last)];
    assert_eq!(heard.text(), data(&told));
}

#[test]
fn a_reply_that_was_cut_short_says_so() {
    let cut = r#","finishReason":"MAX_TOKENS""#;
    let ours = r#"{"functionCall":{"name":"expand_context","args":{}}}"#;
    let heard = converse(&[vec![chunk("r", &[ours], "", 1), chunk("r", &[EMPTY], cut, 2)]]).done();
    assert_eq!(heard.text(), data(&[chunk("r", &[EMPTY], cut, 2)]));
    let heard = converse(&[vec![chunk("r", &[ours], cut, 1)]]).done();
    assert_eq!(heard.text(), data(&[chunk("r", &[], cut, 1)]));
    let refused = r#","finishReason":"SAFETY""#;
    let heard = converse(&[vec![chunk("r", &[OURS], refused, 1)]]).done();
    assert_eq!(heard.text(), data(&[chunk("r", &[], refused, 1)]));
}

#[test]
fn c6_a_whole_call_is_answered_even_if_the_tokens_ran_out() {
    let cut = r#","finishReason":"MAX_TOKENS""#;
    let second = vec![chunk("rr", &[&text("So.")], STOP, 6)];
    for first in [
        vec![chunk("r", &[&text("a"), OURS], "", 1), chunk("r", &[EMPTY], cut, 2)],
        vec![chunk("r", &[&text("a"), OURS], cut, 2)],
    ] {
        let heard = converse(&[first.clone(), second.clone()]).done();
        assert_eq!(heard.asked(), [[("", r#"{"id":"s1"}"#)]]);
        assert!(heard.text().contains("So.") && !heard.text().contains("MAX_TOKENS"));
        let given_up = converse(&[first]).given_up();
        assert!(given_up.contains("STOP") && !given_up.contains("MAX_TOKENS"), "{given_up}");
    }
}

#[test]
fn a_stream_that_breaks_off_ends_without_our_call() {
    let told = array(&[chunk("r", &[&text("a")], "", 1)]);
    let reply = array(&[chunk("r", &[&text("a")], "", 1), chunk("r", &[OURS], "", 2)]);
    for end in told.len()..reply.len() - 3 {
        let replies = [&reply[..end]];
        let broken = talk(Dialect::Gemini, WireFormat::Array, &bytes(&replies), |bytes| {
            bytes.chunks(64).collect()
        })
        .done();
        assert!(broken.text().starts_with(told.trim_end_matches("\n]\n")), "{end}");
    }
}

#[test]
fn g73_errors_and_several_candidates_pass_and_our_call_does_not() {
    for strange in [
        r#"{"error":{"code":503,"message":"overloaded"}}"#,
        r#"{"candidates":[{"index":0},{"index":1}]}"#,
        r#"{"candidates":[{"index":1,"content":{}}]}"#,
    ] {
        let chunks =
            [chunk("r", &[&text("a")], "", 1), strange.to_owned(), chunk("r", &[OURS], STOP, 2)];
        for (wire, reply) in
            [(WireFormat::Events, data(&chunks)), (WireFormat::Array, array(&chunks))]
        {
            let heard = talk_in_any_split(Dialect::Gemini, wire, &bytes(&[&reply])).done();
            assert!(heard.text().contains(strange) && heard.text().contains(STOP), "{strange}");
            assert!(!heard.text().contains("expand_context"), "{strange}");
        }
    }
}

#[test]
fn g32_a_client_that_is_given_up_gets_a_closed_stream_with_a_text() {
    let notice = text(ENDED);
    let replies = [vec![chunk("r", &[OURS], STOP, 5)], vec![chunk("r", &[OURS], STOP, 6)]];
    let told = chunk("r", &[&notice], STOP, 11);
    assert_eq!(converse(&replies).given_up(), data(std::slice::from_ref(&told)));
    let arrays: Vec<String> = replies.iter().map(|chunks| array(chunks)).collect();
    let client = talk_in_any_split(Dialect::Gemini, WireFormat::Array, &bytes(&arrays)).given_up();
    let client: Value = serde_json::from_str(&client).unwrap();
    assert_eq!(client, serde_json::from_str::<Value>(&format!("[{told}]")).unwrap());

    let said = [vec![chunk("r", &[&text("a")], "", 1), chunk("r", &[OURS], STOP, 5)]];
    let told = [chunk("r", &[&text("a")], "", 1), chunk("r", &[&text(&behind())], STOP, 5)];
    assert_eq!(converse(&said).given_up(), data(&told));
}

fn converse_whole(replies: &[String]) -> Heard {
    talk(Dialect::Gemini, WireFormat::Whole, &bytes(replies), |bytes| bytes.chunks(11).collect())
}

#[test]
fn g30_a_whole_reply_has_every_part_once() {
    let first = chunk("r", &[&text("One. "), OURS], STOP, 5);
    let second = chunk("r", &[&text("Two.")], STOP, 6);
    let heard = converse_whole(&[first, second]).done();
    assert_eq!(heard.text(), chunk("r", &[&text("One. "), &text("Two.")], STOP, 11));
    let body = heard.body(0, r#"{"contents":[]}"#, "x");
    let said = format!(r#"{{"role":"model","parts":[{},{OURS}]}}"#, text("One. "));
    assert!(body.contains(&said), "{body}");
}

#[test]
fn whole_replies_are_changed_only_where_we_are_called() {
    for (reply, told) in [
        (chunk("r", &[OURS, LIST], STOP, 5), chunk("r", &[LIST], STOP, 5)),
        (chunk("r", &[LIST], STOP, 5), chunk("r", &[LIST], STOP, 5)),
        (r#"{ "promptFeedback": {} }"#.to_owned(), r#"{ "promptFeedback": {} }"#.to_owned()),
        ("<html>".to_owned(), "<html>".to_owned()),
    ] {
        assert_eq!(converse_whole(&[reply]).done().text(), told);
    }
}

#[test]
fn g32_a_whole_reply_that_is_given_up_has_a_text() {
    let notice = text(ENDED);
    let client = converse_whole(&[chunk("r", &[OURS], STOP, 5)]).given_up();
    assert_eq!(client, chunk("r", &[&notice], STOP, 5));
    let client = converse_whole(&[chunk("r", &[&text("a"), OURS], STOP, 5)]).given_up();
    assert_eq!(client, chunk("r", &[&text("a"), &text(&behind())], STOP, 5));
}

/// What is said behind a text, as it is spelled in JSON.
fn behind() -> String {
    ended_behind_text().replace('\n', "\\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn g25_any_split_gives_the_same(lengths in prop::collection::vec(1_usize..300, 1..20)) {
        let first = array(&[chunk("r", &[&text("é}]\\\""), OURS], "", 1), chunk("r", &[EMPTY], STOP, 2)]);
        let second = array(&[chunk("r", &[&text("b")], STOP, 2)]);
        let replies = bytes(&[first, second]);
        let cut = talk(Dialect::Gemini, WireFormat::Array, &replies, |bytes| pieces(bytes, &lengths));
        let whole = talk(Dialect::Gemini, WireFormat::Array, &replies, |bytes| vec![bytes]);
        prop_assert_eq!(cut, whole);
    }
}
