//! Replies of Ollama's chat.

use crate::support::talk::{
    ENDED, Heard, bytes, ended_behind_text, pieces, talk, talk_in_any_split,
};
use proptest::prelude::*;
use tokenforge_providers::{Dialect, WireFormat, call_key};

fn line(model: &str, message: &str) -> String {
    format!(
        r#"{{"model":"{model}","created_at":"2025-05-27T22:54:57.641643Z","message":{message},"done":false}}"#
    )
}

fn last(model: &str, message: &str, reason: &str, tokens: u64) -> String {
    format!(
        r#"{{"model":"{model}","created_at":"2025-05-27T22:54:58Z","message":{message},"done_reason":"{reason}","done":true,"total_duration":{tokens}0,"load_duration":1,"prompt_eval_count":10,"prompt_eval_duration":5,"eval_count":{tokens},"eval_duration":{tokens}}}"#
    )
}

fn says(text: &str) -> String {
    format!(r#"{{"role":"assistant","content":"{text}"}}"#)
}

fn calls(text: &str, calls: &[&str]) -> String {
    format!(r#"{{"role":"assistant","content":"{text}","tool_calls":[{}]}}"#, calls.join(","))
}

const OURS: &str = r#"{"function":{"index":0,"name":"expand_context","arguments":{"id":"s1"}}}"#;
const LIST: &str = r#"{"function":{"index":0,"name":"ls","arguments":{"path":"."}}}"#;
const LIST_BEHIND: &str = r#"{"function":{"index":1,"name":"ls","arguments":{"path":"."}}}"#;
const ASKED: (&str, &str) = ("", r#"{"id":"s1"}"#);

fn lines<T: AsRef<str>>(lines: &[T]) -> String {
    lines.iter().map(|line| format!("{}\n", line.as_ref())).collect()
}

fn converse<T: AsRef<str>>(replies: &[T]) -> Heard {
    talk_in_any_split(Dialect::Ollama, WireFormat::Lines, &bytes(replies))
}

fn converse_whole(replies: &[String]) -> Heard {
    talk(Dialect::Ollama, WireFormat::Whole, &bytes(replies), |bytes| bytes.chunks(11).collect())
}

#[test]
fn g24_what_calls_nothing_of_ours_passes_byte_for_byte() {
    let reply = lines(&[
        line("m", r#"{"role":"assistant","content":"","thinking":"Hm"}"#),
        line("m", &says("expand_context é")),
        line("m", &calls("", &[LIST])),
        last("m", &says(""), "stop", 5),
    ]);
    for reply in [reply.clone(), reply.replace('\n', "\r\n"), reply.trim_end().to_owned()] {
        let heard = converse(&[&reply]).done();
        assert_eq!(heard.text(), reply);
        assert!(heard.deferred.is_none());
    }
}

#[test]
fn g24_the_client_s_stream_goes_on() {
    let first = lines(&[
        line("m", r#"{"role":"assistant","content":"","thinking":"Hm"}"#),
        line("m", r#"{"role":"assistant","content":"","thinking":"m."}"#),
        line("m", &says("Let me ")),
        line("m", &says("look.\\n")),
        line("m", &calls("", &[OURS])),
        last("m", &says(""), "stop", 20),
    ]);
    let second = lines(&[line("n", &calls("So ", &[OURS, OURS])), last("n", &says(""), "stop", 5)]);
    let third = lines(&[line("n", &says("it is 7.")), last("n", &says(""), "stop", 10)]);
    let heard = converse(&[first, second, third]).done();
    let told = lines(&[
        line("m", r#"{"role":"assistant","content":"","thinking":"Hm"}"#),
        line("m", r#"{"role":"assistant","content":"","thinking":"m."}"#),
        line("m", &says("Let me ")),
        line("m", &says("look.\\n")),
        line("m", &says("So ")),
        line("m", &says("it is 7.")),
        last("m", &says(""), "stop", 35),
    ]);
    assert_eq!(heard.text(), told);
    assert_eq!(heard.asked(), [vec![ASKED], vec![ASKED, ASKED]]);
    let usage = &heard.usage;
    assert_eq!((usage.last.input, usage.last.output), (Some(10), Some(10)));
    assert_eq!((usage.sum.input, usage.sum.output), (Some(30), Some(35)));
    assert_eq!(
        heard.body(0, r#"{"messages":[{"role":"user","content":"?"}]}"#, "x"),
        format!(
            r#"{{"messages":[{{"role":"user","content":"?"}},{{"role":"assistant","content":"Let me look.\n","thinking":"Hmm.","tool_calls":[{OURS}]}},{{"role":"tool","tool_name":"expand_context","content":"x"}}]}}"#
        )
    );
}

#[test]
fn g29_the_client_gets_its_own_calls() {
    let closing = last("m", &says(""), "stop", 5);
    for reply in [
        vec![
            line("m", &calls("", &[OURS])),
            line("m", &calls("", &[LIST_BEHIND])),
            closing.clone(),
        ],
        vec![line("m", &calls("", &[OURS, LIST_BEHIND])), closing.clone()],
    ] {
        let heard = converse(&[lines(&reply)]).done();
        assert_eq!(heard.text(), lines(&[line("m", &calls("", &[LIST])), closing.clone()]));
        let deferred = heard.deferred.unwrap();
        assert_eq!(deferred.siblings, [call_key("ls", r#"{"path":"."}"#)]);
        assert_eq!((&*deferred.calls[0].call, deferred.calls[0].siblings_before), (OURS, 0));
    }
}

#[test]
fn g29_a_call_is_known_by_its_key_even_with_an_id_since_clients_drop_that() {
    let with_id = |call: &str, id: &str| call.replacen('{', &format!(r#"{{"id":"{id}","#), 1);
    let (ours, list) = (with_id(OURS, "c1"), with_id(LIST, "c2"));
    let reply = [line("m", &calls("", &[&list, &ours])), last("m", &says(""), "stop", 5)];
    let deferred = converse(&[lines(&reply)]).done().deferred.unwrap();
    assert_eq!(deferred.siblings, [call_key("ls", r#"{"path":"."}"#)]);
    assert_eq!(deferred.calls[0].id, "c1");

    let reply = [line("m", &calls("", &[&ours])), last("m", &says(""), "stop", 5)];
    let body = converse(&[lines(&reply)]).body(0, r#"{"messages":[]}"#, "x");
    assert!(body.contains(r#""tool_call_id":"c1""#), "{body}");
}

#[test]
fn what_the_last_line_says_is_given_without_its_end() {
    let first = lines(&[last("m", &calls("One. ", &[OURS]), "stop", 5)]);
    let second = lines(&[last("m", &says("Two."), "stop", 6)]);
    let heard = converse(&[first, second]).done();
    let one = line("m", &says("One. ")).replace("57.641643Z", "58Z");
    assert_eq!(heard.text(), lines(&[one, last("m", &says("Two."), "stop", 11)]));
}

#[test]
fn a_reply_that_was_cut_short_says_so() {
    let closing = last("m", &says(""), "length", 5);
    let half = OURS.replace(r#"{"id":"s1"}"#, "{}");
    let heard = converse(&[lines(&[line("m", &calls("", &[&half])), closing.clone()])]).done();
    assert_eq!(heard.text(), lines(&[closing]));
}

#[test]
fn c6_a_whole_call_is_answered_even_if_the_tokens_ran_out() {
    let first = lines(&[line("m", &calls("", &[OURS])), last("m", &says(""), "length", 5)]);
    let second = lines(&[last("m", &says("So."), "stop", 6)]);
    let heard = converse(&[&first, &second]).done();
    assert_eq!(heard.asked(), [[ASKED]]);
    assert_eq!(heard.text(), lines(&[last("m", &says("So."), "stop", 11)]));
    assert!(!converse(&[&first]).given_up().contains("length"));
    let whole =
        [last("m", &calls("One. ", &[OURS]), "length", 5), last("m", &says("Two."), "stop", 6)];
    let heard = converse_whole(&whole).done();
    assert_eq!(heard.text(), last("m", &says("One. Two."), "stop", 11));
}

#[test]
fn a_stream_that_breaks_off_ends_without_our_call() {
    let told = lines(&[line("m", &says("a"))]);
    let reply = lines(&[line("m", &says("a")), line("m", &calls("", &[OURS]))]);
    let heard = converse(&[&reply]).done();
    assert_eq!(heard.text(), told);
}

#[test]
fn g73_an_error_passes_and_our_call_does_not() {
    let told = [line("m", &says("a")), r#"{"error":"model runner has stopped"}"#.to_owned()];
    let reply = lines(&[&told[..], &[line("m", &calls("", &[OURS]))]].concat());
    assert_eq!(converse(&[&reply]).done().text(), lines(&told));
}

#[test]
fn g32_a_client_that_is_given_up_gets_a_closed_stream_with_a_text() {
    let ours = lines(&[line("m", &calls("", &[OURS])), last("m", &says(""), "stop", 5)]);
    let client = converse(&[&ours, &ours]).given_up();
    assert_eq!(client, lines(&[last("m", &says(ENDED), "stop", 10)]));
    let said = lines(&[line("m", &calls("a", &[OURS])), last("m", &says(""), "stop", 5)]);
    let client = converse(&[said]).given_up();
    let notice = says(&ended_behind_text().replace('\n', "\\n"));
    assert_eq!(client, lines(&[line("m", &says("a")), last("m", &notice, "stop", 5)]));
}

#[test]
fn g30_a_whole_reply_has_every_text_once() {
    let first = last("m", &calls("One. ", &[OURS]), "stop", 5);
    let second = last("m", &says("Two."), "stop", 6);
    let heard = converse_whole(&[first, second]).done();
    assert_eq!(heard.text(), last("m", &says("One. Two."), "stop", 11));
}

#[test]
fn whole_replies_are_changed_only_where_we_are_called() {
    for (reply, told) in [
        (calls("a", &[OURS, LIST_BEHIND]), calls("a", &[LIST])),
        (calls("a", &[LIST, LIST_BEHIND]), calls("a", &[LIST, LIST_BEHIND])),
        (says("expand_context"), says("expand_context")),
    ] {
        let reply = last("m", &reply, "stop", 5);
        assert_eq!(converse_whole(&[reply]).done().text(), last("m", &told, "stop", 5));
    }
}

#[test]
fn g32_a_whole_reply_that_is_given_up_has_a_text() {
    let behind = format!("a{}", ended_behind_text()).replace('\n', "\\n");
    for (said, told) in [("", ENDED), ("a", &behind)] {
        let client = converse_whole(&[last("m", &calls(said, &[OURS]), "stop", 5)]).given_up();
        assert_eq!(client, last("m", &says(told), "stop", 5));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn g25_any_split_gives_the_same(lengths in prop::collection::vec(1_usize..300, 1..20)) {
        let first = lines(&[line("m", &calls("é\\n", &[OURS])), last("m", &says(""), "stop", 5)]);
        let second = lines(&[line("m", &says("b")), last("m", &says(""), "stop", 5)]);
        let replies = bytes(&[first, second]);
        let cut = talk(Dialect::Ollama, WireFormat::Lines, &replies, |bytes| pieces(bytes, &lengths));
        let whole = talk(Dialect::Ollama, WireFormat::Lines, &replies, |bytes| vec![bytes]);
        prop_assert_eq!(cut, whole);
    }
}
