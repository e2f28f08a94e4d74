//! Replies of OpenAI Responses.

use crate::support::talk::{
    ENDED, Heard, bytes, ended_behind_text, payloads, pieces, talk, talk_in_any_split,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokenforge_providers::{Dialect, NextStep, Reply, WireFormat};

/// The events of one reply, numbered from zero as the provider does.
#[derive(Clone, Default)]
struct Stream {
    id: &'static str,
    store: bool,
    number: u64,
    index: u64,
    items: Vec<String>,
    events: String,
}

impl Stream {
    fn new(id: &'static str) -> Self {
        Stream { id, ..Stream::default() }.open()
    }

    fn stored(id: &'static str) -> Self {
        Stream { id, store: true, ..Stream::default() }.open()
    }

    /// Goes on with the numbers of another reply, as one stream for the client.
    fn go_on(mut self, id: &'static str) -> Self {
        self.id = id;
        self
    }

    fn open(mut self) -> Self {
        for kind in ["response.created", "response.in_progress"] {
            let response = self.response("in_progress", "", "null");
            self.event(kind, &format!(r#""response":{response}"#));
        }
        self
    }

    fn event(&mut self, kind: &str, rest: &str) {
        let number = self.number;
        self.number += 1;
        self.events += &format!(
            "event: {kind}\ndata: {{\"type\":\"{kind}\",\"sequence_number\":{number},{rest}}}\n\n"
        );
    }

    fn response(&self, status: &str, output: &str, usage: &str) -> String {
        let (id, store, at) = (self.id, self.store, self.id.len());
        format!(
            r#"{{"id":"{id}","object":"response","created_at":{at},"status":"{status}","output":[{output}],"store":{store},"usage":{usage}}}"#
        )
    }

    fn item(&mut self, start: &str, inner: &[(&str, String)], item: String) {
        let index = self.index;
        self.index += 1;
        self.event(
            "response.output_item.added",
            &format!(r#""output_index":{index},"item":{start}"#),
        );
        for (kind, rest) in inner {
            self.event(kind, &format!(r#""item_id":"i","output_index":{index},{rest}"#));
        }
        self.event(
            "response.output_item.done",
            &format!(r#""output_index":{index},"item":{item}"#),
        );
        self.items.push(item);
    }

    fn reasoning(mut self, encrypted: &str) -> Self {
        let item = format!(
            r#"{{"id":"rs_{}","type":"reasoning","summary":[],"encrypted_content":{encrypted}}}"#,
            self.id
        );
        let inner = [(
            "response.reasoning_summary_text.delta",
            r#""summary_index":0,"delta":"H""#.to_owned(),
        )];
        self.item(r#"{"id":"rs","type":"reasoning","summary":[]}"#, &inner, item);
        self
    }

    fn text(mut self, text: &str) -> Self {
        let part =
            |text: &str| format!(r#"{{"type":"output_text","text":"{text}","annotations":[]}}"#);
        let inner = [
            ("response.content_part.added", format!(r#""content_index":0,"part":{}"#, part(""))),
            ("response.output_text.delta", format!(r#""content_index":0,"delta":"{text}""#)),
            ("response.output_text.done", format!(r#""content_index":0,"text":"{text}""#)),
            ("response.content_part.done", format!(r#""content_index":0,"part":{}"#, part(text))),
        ];
        let item = message(text);
        self.item(
            r#"{"type":"message","status":"in_progress","role":"assistant","content":[]}"#,
            &inner,
            item,
        );
        self
    }

    fn call(mut self, call_id: &str, name: &str, arguments: &str) -> Self {
        let start = function_call(call_id, name, "");
        let mut inner = vec![];
        for piece in arguments.as_bytes().chunks(4) {
            let piece = serde_json::to_string(str::from_utf8(piece).unwrap()).unwrap();
            inner.push(("response.function_call_arguments.delta", format!(r#""delta":{piece}"#)));
        }
        let spelled = serde_json::to_string(arguments).unwrap();
        inner.push(("response.function_call_arguments.done", format!(r#""arguments":{spelled}"#)));
        self.item(&start, &inner, function_call(call_id, name, arguments));
        self
    }

    fn close(mut self, status: &str, input: u64, output: u64) -> String {
        let usage = format!(
            r#"{{"input_tokens":{input},"input_tokens_details":{{"cached_tokens":4}},"output_tokens":{output},"output_tokens_details":{{"reasoning_tokens":{output}}},"total_tokens":{}}}"#,
            input + output
        );
        let response = self.response(status, &self.items.join(","), &usage);
        self.event(&format!("response.{status}"), &format!(r#""response":{response}"#));
        self.events
    }

    fn completed(self, input: u64, output: u64) -> String {
        self.close("completed", input, output)
    }
}

fn message(text: &str) -> String {
    format!(
        r#"{{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{{"type":"output_text","text":"{text}","annotations":[]}}]}}"#
    )
}

fn function_call(call_id: &str, name: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    format!(
        r#"{{"id":"fc_{call_id}","type":"function_call","status":"completed","arguments":{arguments},"call_id":"{call_id}","name":"{name}"}}"#
    )
}

const ASKED: &str = r#"{"id":"s1"}"#;

impl Stream {
    fn ours(self, call_id: &str) -> Self {
        self.call(call_id, "expand_context", ASKED)
    }
}

fn converse<T: AsRef<str>>(replies: &[T]) -> Heard {
    talk_in_any_split(Dialect::OpenAiResponses, WireFormat::Events, &bytes(replies))
}

#[test]
fn g24_what_calls_nothing_of_ours_passes_byte_for_byte() {
    let reply = Stream::new("r1")
        .reasoning(r#""gA==""#)
        .text("expand_context \\u00e9")
        .call("c1", "shell", r#"{"command":["expand_context"]}"#)
        .completed(9, 5);
    let heard = converse(&[&reply]).done();
    assert_eq!(heard.text(), reply);
    assert!(heard.deferred.is_none());
    assert_eq!(heard.usage.last.output, Some(5));

    let odd = ": ping\n\ndata: {\"type\":\"response.new\",\"x\":1}\r\n\r\nevent: keepalive\ndata: {}\n\ndata: [DONE]\n\n";
    assert_eq!(converse(&[odd]).done().text(), odd);
}

#[test]
fn g27_the_client_s_stream_goes_on_with_its_own_numbers() {
    let first =
        Stream::new("r1").reasoning(r#""gA==""#).text("One. ").ours("c1").completed(100, 20);
    let second = Stream::new("r22").ours("c2").ours("c3").completed(150, 5);
    let third = Stream::new("r333").reasoning(r#""gB==""#).text("Two.").completed(200, 10);
    let heard = converse(&[first, second, third]).done();

    let told = Stream::new("r1").reasoning(r#""gA==""#).text("One. ").go_on("r333");
    let told = told.reasoning(r#""gB==""#).text("Two.").go_on("r1").completed(200, 35);
    assert_eq!(heard.text(), told);
    assert_eq!(heard.asked(), [vec![("c1", ASKED)], vec![("c2", ASKED), ("c3", ASKED)]]);
    let usage = &heard.usage;
    assert_eq!(
        (usage.sum.input, usage.sum.output, usage.sum.cache_read),
        (Some(450), Some(35), Some(12))
    );
    assert_eq!((usage.last.input, usage.last.output), (Some(200), Some(10)));
}

#[test]
fn g28_reasoning_is_said_again_with_its_content() {
    let first = Stream::new("r1").reasoning(r#""gA==""#).text("One.").ours("c1").completed(1, 2);
    let heard = converse(&[first]);
    let said = [
        r#"{"id":"rs_r1","type":"reasoning","summary":[],"encrypted_content":"gA=="}"#,
        &message("One."),
        &function_call("c1", "expand_context", ASKED),
        r#"{"type":"function_call_output","call_id":"c1","output":"the \"original\""}"#,
    ];
    assert_eq!(
        heard.body(0, r#"{"input":[{"role":"user"}], "store":false}"#, "the \"original\""),
        format!(r#"{{"input":[{{"role":"user"}},{}], "store":false}}"#, said.join(","))
    );
}

#[test]
fn reasoning_that_the_provider_did_not_store_is_not_repeated() {
    let forgotten = converse(&[Stream::new("r1").reasoning("null").ours("c1").completed(1, 2)]);
    assert!(!forgotten.body(0, r#"{"input":[]}"#, "x").contains("rs_"));
    let stored = converse(&[Stream::stored("r1").reasoning("null").ours("c1").completed(1, 2)]);
    assert!(stored.body(0, r#"{"input":[]}"#, "x").contains(r#""id":"rs_r1""#));
}

#[test]
fn a_stored_reply_ends_with_the_id_from_which_the_client_may_go_on() {
    let first = Stream::stored("r1").ours("c1").completed(1, 2);
    let second = Stream::stored("r2").text("Done.").completed(3, 4);
    let heard = converse(&[first, second]).done();
    let told = payloads(heard.text());
    let ids: Vec<Value> = told.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    assert_eq!(ids.first().unwrap()["response"]["id"], "r1");
    assert_eq!(ids.last().unwrap()["response"]["id"], "r2");
}

#[test]
fn g29_the_client_s_calls_are_numbered_as_if_ours_were_not_there() {
    let reply = Stream::new("r1").ours("c1").call("c2", "shell", "{}").ours("c3").text("So.");
    let heard = converse(&[reply.completed(9, 5)]).done();
    let told = Stream::new("r1").call("c2", "shell", "{}").text("So.").completed(9, 5);
    assert_eq!(heard.text(), told);
    let deferred = heard.deferred.unwrap();
    assert_eq!(deferred.siblings, ["c2"]);
    let calls: Vec<_> =
        deferred.calls.iter().map(|call| (&*call.id, call.siblings_before)).collect();
    assert_eq!(calls, [("c1", 0), ("c3", 1)]);
    assert_eq!(deferred.calls[0].call, function_call("c1", "expand_context", ASKED));
}

#[test]
fn g29_a_call_that_the_provider_ran_is_not_the_client_s() {
    let mut reply = Stream::new("r1");
    let ran = r#"{"type":"shell_call","id":"sh","call_id":"c9","status":"completed"}"#;
    let output = r#"{"type":"shell_call_output","call_id":"c9","output":[]}"#;
    reply.item(ran, &[], ran.to_owned());
    assert!(!converse(&[reply.clone().ours("c1").completed(1, 1)]).is_given_up);
    reply.item(output, &[], output.to_owned());
    assert!(converse(&[reply.ours("c1").completed(1, 1)]).is_given_up);
}

#[test]
fn a_reply_that_was_cut_short_in_our_call_says_so() {
    for (status, arguments) in
        [("incomplete", r#"{"id":"s"#), ("incomplete", ""), ("failed", ASKED)]
    {
        let reply = Stream::new("r1").text("One.").call("c1", "expand_context", arguments);
        let told = Stream::new("r1").text("One.").close(status, 1, 2);
        assert_eq!(converse(&[reply.close(status, 1, 2)]).done().text(), told);
    }
    // A filter, and not the number of tokens.
    let filtered = |stream: Stream| {
        let details = r#""status":"incomplete","incomplete_details":{"reason":"content_filter"}"#;
        stream.close("incomplete", 1, 2).replace(r#""status":"incomplete""#, details)
    };
    let heard = converse(&[filtered(Stream::new("r1").text("One.").ours("c1"))]).done();
    assert_eq!(heard.text(), filtered(Stream::new("r1").text("One.")));
}

#[test]
fn c6_a_whole_call_is_answered_even_if_the_tokens_ran_out() {
    let first = Stream::new("r1").ours("c1").close("incomplete", 1, 2);
    let second = Stream::new("r1").text("So.").completed(3, 4);
    let heard = converse(&[&first, &second]).done();
    assert_eq!(heard.asked(), [[("c1", ASKED)]]);
    assert!(heard.text().contains("So.") && !heard.text().contains("incomplete"));
    let given_up = converse(&[first]).given_up();
    let last: Value = serde_json::from_str(payloads(&given_up).last().unwrap()).unwrap();
    assert_eq!(last["type"], "response.completed");
    assert_eq!(last["response"]["status"], "completed");
    assert_eq!(last["response"]["incomplete_details"], json!(null));
}

#[test]
fn a_stream_that_breaks_off_in_our_call_ends_without_it() {
    let told = Stream::new("r1").text("One.");
    let reply = Stream::new("r1").text("One.").ours("c1");
    for end in told.events.len()..reply.events.len() {
        let replies = [&reply.events[..end]];
        let broken =
            talk(Dialect::OpenAiResponses, WireFormat::Events, &bytes(&replies), |bytes| {
                bytes.chunks(64).collect()
            })
            .done();
        assert!(broken.text().starts_with(&told.events), "{end}");
        assert!(!broken.text().contains("s1"), "{end}");
    }
}

#[test]
fn g73_an_error_in_the_middle_passes_and_our_call_does_not() {
    let mut reply = Stream::new("r1").text("One.");
    reply.event("error", r#""code":"overloaded","message":"no""#);
    let told = reply.events.clone();
    let heard = converse(&[reply.ours("c1").completed(1, 2)]).done();
    assert!(heard.text().starts_with(&told), "{}", heard.text());
    assert!(!heard.text().contains("expand_context"), "{}", heard.text());
}

#[test]
fn g32_a_client_that_is_given_up_gets_a_closed_stream_with_a_text() {
    let first = Stream::new("r1").reasoning(r#""gA==""#).ours("c1").completed(10, 2);
    let second = Stream::new("r22").ours("c2").completed(20, 3);
    let client = converse(&[first, second]).given_up();
    let told: Vec<Value> =
        payloads(&client).iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    let numbers: Vec<u64> =
        told.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..told.len() as u64).collect::<Vec<_>>());
    let last = &told.last().unwrap()["response"];
    assert_eq!((&last["id"], &last["status"]), (&json!("r1"), &json!("completed")));
    assert_eq!(last["output"].as_array().unwrap().len(), 2);
    assert_eq!(last["usage"]["output_tokens"], 5);
    assert_eq!(last["output"][1]["content"][0]["text"], ENDED);
    let done = &told[told.len() - 2];
    assert_eq!((&done["output_index"], &done["item"]), (&json!(1), &last["output"][1]));
    assert!(client.contains("event: response.output_text.delta\n"));
    assert!(!client.contains("expand_context"));
}

#[test]
fn d5_a_stream_breaks_off_with_the_provider_s_error_and_numbers_without_gaps() {
    let first = Stream::new("r1").text("One.").ours("c1").completed(10, 2);
    let mut reply = Reply::new(Dialect::OpenAiResponses, WireFormat::Events);
    let mut client = Vec::new();
    reply.push(first.as_bytes(), &mut client);
    assert!(matches!(reply.finish(&mut client), NextStep::Ask(_)));
    let error =
        r#"{"error":{"message":"Try later.","type":"requests","param":null,"code":"slow_down"}}"#;
    reply.fail(429, error, &mut client);
    let client = String::from_utf8(client).unwrap();
    let told: Vec<Value> =
        payloads(&client).iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    for (number, event) in told.iter().enumerate() {
        assert_eq!(event["sequence_number"], number, "{event}");
    }
    let [.., told_error, failed] = &told[..] else { panic!("{client}") };
    assert_eq!((&told_error["type"], &told_error["code"]), (&json!("error"), &json!("slow_down")));
    assert_eq!(told_error["error"]["message"], "Try later.");
    assert_eq!(failed["type"], "response.failed");
    let response = &failed["response"];
    assert_eq!((&response["id"], &response["status"]), (&json!("r1"), &json!("failed")));
    assert_eq!(response["error"], json!({"code": "slow_down", "message": "Try later."}));
    assert_eq!(response["output"].as_array().unwrap().len(), 1);
}

fn whole(id: &str, store: bool, output: &[&str], tokens: u64) -> String {
    format!(
        r#"{{"id":"{id}","created_at":{},"status":"completed","model":"m","output":[{}],"store": {store},"usage":{{"input_tokens":10,"output_tokens":{tokens},"total_tokens":{}}}}}"#,
        id.len(),
        output.join(","),
        tokens + 10
    )
}

fn converse_whole(replies: &[String]) -> Heard {
    talk(Dialect::OpenAiResponses, WireFormat::Whole, &bytes(replies), |bytes| {
        bytes.chunks(11).collect()
    })
}

#[test]
fn g30_a_whole_reply_has_every_item_once() {
    let (one, two) = (message("One."), message("Two."));
    let ours = function_call("c1", "expand_context", ASKED);
    for (store, id) in [(false, "r1"), (true, "r22")] {
        let first = whole("r1", store, &[&one, &ours], 4);
        let second = whole("r22", store, &[&two], 6);
        let heard = converse_whole(&[first, second]).done();
        let told = whole("r1", store, &[&one, &two], 10).replacen("r1", id, 1);
        assert_eq!(heard.text(), told);
        let body = heard.body(0, r#"{"input":[{}]}"#, "x");
        assert!(
            body.starts_with(&format!(
                r#"{{"input":[{{}},{one},{ours},{{"type":"function_call_output","#
            )),
            "{body}"
        );
    }
}

#[test]
fn g29_our_calls_are_cut_out_of_a_whole_reply() {
    let (ours, shell) =
        (function_call("c1", "expand_context", "{"), function_call("c2", "shell", "{}"));
    let heard = converse_whole(&[whole("r1", true, &[&ours, &shell], 4)]).done();
    assert_eq!(heard.text(), whole("r1", true, &[&shell], 4));
    let deferred = heard.deferred.unwrap();
    assert_eq!((&*deferred.siblings[0], &*deferred.calls[0].arguments), ("c2", "{"));
}

#[test]
fn whole_replies_without_a_call_of_ours_pass_byte_for_byte() {
    for reply in [
        whole("r1", true, &[&message("expand_context"), &function_call("c2", "shell", "{}")], 1),
        r#"{"error":{"message":"no"}}"#.to_owned(),
        r#"{ "output" : [ ] , "status":"queued" }"#.to_owned(),
        "<html>".to_owned(),
    ] {
        assert_eq!(converse_whole(std::slice::from_ref(&reply)).done().text(), reply);
    }
}

#[test]
fn g32_a_whole_reply_that_is_given_up_has_a_text() {
    let ours = function_call("c1", "expand_context", ASKED);
    let client = converse_whole(&[whole("r1", false, &[&ours], 4)]).given_up();
    let told: Value = serde_json::from_str(&client).unwrap();
    assert_eq!(told["output"].as_array().unwrap().len(), 1);
    assert!(told["output"][0]["content"][0]["text"].as_str().unwrap().contains("kept asking"));
    let client = converse_whole(&[whole("r1", false, &[&message("One."), &ours], 4)]).given_up();
    let told: Value = serde_json::from_str(&client).unwrap();
    let texts: Vec<_> =
        told["output"].as_array().unwrap().iter().map(|item| &item["content"][0]["text"]).collect();
    assert_eq!(texts, [&json!("One."), &json!(ended_behind_text())]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn g25_any_split_gives_the_same(lengths in prop::collection::vec(1_usize..300, 1..20)) {
        let first = Stream::new("r1").text("\\u00e9é").ours("c1").completed(1, 2);
        let second = Stream::new("r2").text("!").completed(1, 2);
        let replies = bytes(&[first, second]);
        let cut = talk(Dialect::OpenAiResponses, WireFormat::Events, &replies, |bytes| pieces(bytes, &lengths));
        let whole = talk(Dialect::OpenAiResponses, WireFormat::Events, &replies, |bytes| vec![bytes]);
        prop_assert_eq!(cut, whole);
    }
}
