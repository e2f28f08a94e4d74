//! Interactions on their way to the client.

use crate::support::talk;
use crate::support::talk::{Heard, bytes, ended_behind_text, follow_up, talk, talk_in_any_split};
use serde_json::{Value, json};
use tokenforge_providers::{Dialect, HiddenTurn, NextStep, Reply, ReplyContinuation, WireFormat};

const BODY: &str = r#"{"model":"gemini-3-pro","input":"hi","store":false,"tools":[{"type":"function","name":"Bash"}]}"#;

/// Events as Google writes them.
fn events(list: &[Value]) -> String {
    let event =
        |json: &Value| format!("event: {}\ndata: {json}\n\n", json["event_type"].as_str().unwrap());
    list.iter().map(event).collect::<String>() + "event: done\ndata: [DONE]\n\n"
}

/// How a step begins, and how it goes on.
type Step = (Value, Vec<Value>);

fn thought(signature: &str) -> Step {
    let (start, end) = signature.split_at(1);
    let delta = |signature: &str| json!({"type": "thought_signature", "signature": signature});
    (json!({"type": "thought"}), vec![delta(start), delta(end)])
}

fn text(pieces: &[&str]) -> Step {
    let deltas = pieces.iter().map(|text| json!({"type": "text", "text": text}));
    (json!({"type": "model_output"}), deltas.collect())
}

fn call(id: &str, name: &str, pieces: &[&str]) -> Step {
    let deltas = pieces.iter().map(|text| json!({"type": "arguments_delta", "arguments": text}));
    let start = json!({"type": "function_call", "id": id, "name": name, "arguments": {}});
    (start, deltas.collect())
}

fn expand(id: &str) -> Step {
    call(id, "expand_context", &["{\"id\":", " \"shadow_1\"}"])
}

fn usage(output: u64, thought: u64) -> Value {
    json!({
        "total_input_tokens": 100, "total_output_tokens": output, "total_thought_tokens": thought,
        "total_cached_tokens": 7, "total_tokens": 100 + output + thought,
    })
}

/// A stream of steps.
fn reply(id: &str, steps: &[Step], status: &str, usage: &Value) -> String {
    let about = |status: &str| json!({"id": id, "status": status, "object": "interaction"});
    let mut list = vec![
        json!({"interaction": about("in_progress"), "event_type": "interaction.created"}),
        json!({"interaction_id": id, "status": "in_progress", "event_type": "interaction.status_update"}),
    ];
    for (index, (start, deltas)) in steps.iter().enumerate() {
        list.push(json!({"index": index, "step": start, "event_type": "step.start"}));
        let delta = |delta| json!({"index": index, "delta": delta, "event_type": "step.delta"});
        list.extend(deltas.iter().map(delta));
        list.push(json!({"index": index, "event_type": "step.stop"}));
    }
    list.push(
        json!({"interaction_id": id, "status": status, "event_type": "interaction.status_update"}),
    );
    let mut interaction = about(status);
    interaction["usage"] = usage.clone();
    list.push(json!({"interaction": interaction, "event_type": "interaction.completed"}));
    events(&list)
}

/// What the client got of a stream.
fn payloads(heard: &Heard) -> Vec<Value> {
    let payloads = talk::payloads(heard.text());
    let read = |json: &&str| serde_json::from_str(json).unwrap();
    payloads.iter().filter(|json| **json != "[DONE]").map(read).collect()
}

/// The steps of a stream: their kinds and all that is said in them, checked to be in order.
fn steps(events: &[Value]) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for event in events.iter().filter(|event| event.get("index").is_some()) {
        if event["event_type"] == "step.start" {
            steps.push((event["step"]["type"].as_str().unwrap().to_owned(), String::new()));
        }
        assert_eq!(event["index"], steps.len() - 1, "{event}");
        for name in ["text", "arguments", "signature"] {
            let said = event["delta"][name].as_str().unwrap_or_default();
            steps.last_mut().unwrap().1.push_str(said);
        }
    }
    steps
}

fn stream(replies: &[String]) -> Heard {
    talk_in_any_split(Dialect::GeminiInteractions, WireFormat::Events, &bytes(replies))
}

#[test]
fn g25_g36_without_a_call_of_our_tool_every_byte_passes_in_any_split() {
    let plain = reply(
        "v1_a",
        &[
            thought("s=="),
            text(&["I could use ", "expand_context. é"]),
            call("c1", "Bash", &["{}"]),
        ],
        "requires_action",
        &usage(9, 2),
    );
    let plain = plain + ": bye\n\nevent: brand_new\ndata: {\"event_type\": \"brand_new\"}\r\n\r\n";
    let heard = stream(std::slice::from_ref(&plain));
    assert_eq!(heard.text(), plain);
    assert_eq!((heard.turns.len(), &heard.deferred, heard.is_given_up), (0, &None, false));
    let last = heard.usage.last;
    assert_eq!((last.input, last.output, last.cache_read), (Some(100), Some(11), Some(7)));
}

#[test]
fn g30_g33_two_loops_are_one_interaction_to_the_client() {
    let heard = stream(&[
        reply("v1_a", &[text(&["One. "]), expand("c1")], "requires_action", &usage(10, 0)),
        reply("v1_b", &[thought("sig"), expand("c2")], "requires_action", &usage(20, 5)),
        reply(
            "v1_c",
            &[text(&["Two."]), call("c3", "Bash", &["{}"])],
            "requires_action",
            &usage(30, 1),
        ),
    ]);
    let heard = heard.done();
    assert!(!heard.text().contains("expand_context") && heard.text().ends_with("data: [DONE]\n\n"));
    let events = payloads(&heard);
    let told = |kind: &str| events.iter().filter(|event| event["event_type"] == kind).count();
    assert_eq!((told("interaction.created"), told("interaction.completed")), (1, 1));
    let step = |kind: &str, said: &str| (kind.to_owned(), said.to_owned());
    let expected = [
        step("model_output", "One. "),
        step("thought", "sig"),
        step("model_output", "Two."),
        step("function_call", "{}"),
    ];
    assert_eq!(steps(&events), expected);
    let last = &events.last().unwrap()["interaction"];
    assert_eq!((&last["id"], &last["status"]), (&json!("v1_a"), &json!("requires_action")));
    assert_eq!(last["usage"]["total_output_tokens"], 30 + 25 + 10);
    assert_eq!(last["usage"]["total_tokens"], 131 + 25 + 10);
    assert!(events.iter().all(|event| !event.to_string().contains("v1_b")));
    let sum = heard.usage.sum;
    assert_eq!((sum.input, sum.output), (Some(300), Some(66)));
}

#[test]
fn g28_g37_the_upstream_is_asked_again_with_the_steps_as_it_made_them() {
    let summary = (
        json!({"type": "thought", "summary": []}),
        vec![
            json!({"type": "thought_summary", "content": {"type": "text", "text": "Let me"}}),
            json!({"type": "thought_summary", "content": {"type": "text", "text": " see\n"}}),
            json!({"type": "thought_signature", "signature": "EqQB=="}),
        ],
    );
    let searched = (
        json!({"type": "google_search_call", "id": "g"}),
        vec![
            json!({"type": "google_search_call", "arguments": {"queries": ["x"]}, "signature": "t"}),
        ],
    );
    let said =
        [summary, searched, text(&["Ci\"ted ", "😀"]), text(&[]), expand("c1"), expand("c2")];
    let heard = stream(&[reply("v1_a", &said, "requires_action", &usage(1, 0))]);
    let id = r#"{"id": "shadow_1"}"#;
    assert_eq!(heard.asked(), [[("c1", id), ("c2", id)]]);
    let call = |id: &str| json!({"type": "function_call", "id": id, "name": "expand_context", "arguments": {"id": "shadow_1"}});
    let result = |id: &str, text: &str| json!({"type": "function_result", "call_id": id, "name": "expand_context", "result": text});
    assert_eq!(
        follow_up(&heard.turns[0], BODY)["input"],
        json!([
            {"type": "user_input", "content": [{"type": "text", "text": "hi"}]},
            {"type": "thought", "summary": [{"type": "text", "text": "Let me see\n"}], "signature": "EqQB=="},
            {"type": "google_search_call", "id": "g", "arguments": {"queries": ["x"]}, "signature": "t"},
            {"type": "model_output", "content": [{"type": "text", "text": "Ci\"ted 😀"}]},
            call("c1"), call("c2"), result("c1", "original 1\n"), result("c2", "original 2\n"),
        ])
    );
    let anchor = heard.turns[0].anchor.as_ref().unwrap();
    assert_eq!((&*anchor.seal, anchor.behind, anchor.calls.len()), ("EqQB==", 2, 2));
}

/// A reply that the provider keeps, as the upstream gives it.
fn kept(replies: &[String], wire: WireFormat) -> (String, Vec<HiddenTurn>, Vec<ReplyContinuation>) {
    let mut reply = Reply::new(Dialect::GeminiInteractions, wire);
    reply.set_stored(true);
    let (mut client, mut turns, mut continued) = (Vec::new(), Vec::new(), Vec::new());
    for bytes in replies {
        for byte in bytes.as_bytes().chunks(1) {
            reply.push(byte, &mut client);
            continued.extend(reply.continuation());
        }
        let next = reply.finish(&mut client);
        continued.extend(reply.continuation());
        if let NextStep::Ask(turn) = next {
            turns.push(turn);
        }
    }
    (String::from_utf8(client).unwrap(), turns, continued)
}

#[test]
fn d50_an_interaction_that_google_keeps_is_gone_on_from_and_the_client_s_id_leads_there() {
    let replies = [
        reply("v1_a", &[expand("c1")], "requires_action", &usage(1, 0)),
        reply("v1_b", &[text(&["Done."])], "completed", &usage(2, 0)),
    ];
    let (client, turns, continued) = kept(&replies, WireFormat::Events);
    let again =
        follow_up(&turns[0], r#"{"model":"m","input":"hi","previous_interaction_id":"v1_0"}"#);
    let result = json!({"type": "function_result", "call_id": "c1", "name": "expand_context", "result": "original 1\n"});
    let expected = json!({"model": "m", "previous_interaction_id": "v1_a", "input": [result]});
    assert_eq!(again, expected);
    assert_eq!(
        continued,
        [ReplyContinuation { from: vec!["v1_a".to_owned()], to: "v1_b".to_owned() }]
    );
    let created = client.find("v1_a").unwrap();
    assert!(created < client.find("Done.").unwrap() && client.rfind("v1_b").unwrap() > created);
}

/// An interaction in one piece.
fn whole(id: &str, previous: Option<&str>, steps: &Value, status: &str) -> String {
    let mut body = json!({
        "id": id, "object": "interaction", "status": status, "steps": steps, "usage": usage(10, 1),
        "tools": [{"type": "function", "name": "Bash"}, {"type": "function", "name": "expand_context"}],
    });
    if let Some(previous) = previous {
        body["previous_interaction_id"] = json!(previous);
    }
    body.to_string()
}

#[test]
fn g31_whole_interactions_are_joined_and_tell_nothing_of_our_tool() {
    let ours = json!({"type": "function_call", "id": "c1", "name": "expand_context", "arguments": {"id": "s"}});
    let said =
        |text: &str| json!({"type": "model_output", "content": [{"type": "text", "text": text}]});
    let bash = json!({"type": "function_call", "id": "c2", "name": "Bash", "arguments": {}});
    let echoed = json!({"type": "function_result", "call_id": "c1", "name": "expand_context", "result": "x"});
    let replies = [
        whole("v1_a", None, &json!([said("One."), ours]), "requires_action"),
        whole("v1_b", Some("v1_a"), &json!([echoed, said("Two."), bash]), "requires_action"),
    ];
    for is_kept in [false, true] {
        let client = if is_kept {
            kept(&replies, WireFormat::Whole).0
        } else {
            let whole = WireFormat::Whole;
            talk(Dialect::GeminiInteractions, whole, &bytes(&replies), |bytes| vec![bytes])
                .done()
                .text()
                .to_owned()
        };
        assert!(!client.contains("expand_context") && !client.contains("previous_interaction_id"));
        let client: Value = serde_json::from_str(&client).unwrap();
        assert_eq!(client["steps"], json!([said("One."), said("Two."), bash]));
        assert_eq!(client["id"], if is_kept { "v1_b" } else { "v1_a" });
        assert_eq!(client["usage"]["total_output_tokens"], 21);
        assert_eq!(client["tools"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn g29_calls_beside_the_client_s_own_are_kept_for_its_answer() {
    let mixed = [call("c1", "Bash", &["{}"]), expand("c2")];
    let heard = stream(&[reply("v1_a", &mixed, "requires_action", &usage(1, 0))]).done();
    let deferred = heard.deferred.as_ref().unwrap();
    assert_eq!(
        (&deferred.siblings[..], deferred.calls[0].siblings_before),
        (&["c1".to_owned()][..], 1)
    );
    assert_eq!(deferred.calls[0].arguments, r#"{"id": "shadow_1"}"#);
    assert!(!heard.text().contains("expand_context"));
    let last = payloads(&heard).pop().unwrap();
    assert_eq!(last["interaction"]["status"], "requires_action");
}

#[test]
fn g29_a_last_event_that_tells_all_steps_does_not_tell_ours() {
    let mut events = payloads(&Heard {
        client: reply(
            "v1_a",
            &[call("c1", "Bash", &["{}"]), expand("c2")],
            "requires_action",
            &usage(1, 0),
        )
        .into_bytes(),
        turns: Vec::new(),
        deferred: None,
        usage: Default::default(),
        is_given_up: false,
    });
    let last = events.last_mut().unwrap();
    last["interaction"]["steps"] =
        json!([{"type": "function_call", "id": "c2", "name": "expand_context", "arguments": {}}]);
    let heard = stream(&[self::events(&events)]).done();
    assert!(
        !heard.text().contains("expand_context") && heard.text().contains("interaction.completed")
    );
}

#[test]
fn g32_a_model_that_goes_on_asking_is_ended() {
    let heard =
        stream(&[reply("v1_a", &[text(&["Hm."]), expand("c1")], "requires_action", &usage(3, 0))]);
    let ended = heard.clone().given_up();
    let events = payloads(&heard);
    let step = |kind: &str, said: &str| (kind.to_owned(), said.to_owned());
    assert_eq!(
        steps(&events),
        [step("model_output", "Hm."), step("model_output", &ended_behind_text())]
    );
    assert_eq!(events.last().unwrap()["interaction"]["status"], "completed");
    assert!(ended.ends_with("data: [DONE]\n\n"), "{ended}");
}

#[test]
fn d5_an_error_of_the_provider_is_an_event_as_google_writes_it() {
    let mut reply_of = Reply::new(Dialect::GeminiInteractions, WireFormat::Events);
    let mut client = Vec::new();
    let first = reply("v1_a", &[expand("c1")], "requires_action", &usage(3, 0));
    reply_of.push(first.as_bytes(), &mut client);
    assert!(matches!(reply_of.finish(&mut client), NextStep::Ask(_)));
    client.clear();
    reply_of.fail(429, r#"{"error":{"code":"too_many_requests","message":"m"}}"#, &mut client);
    let client = String::from_utf8(client).unwrap();
    let data = client.strip_prefix("event: error\ndata: ").unwrap();
    let expected =
        json!({"error": {"code": "too_many_requests", "message": "m"}, "event_type": "error"});
    assert_eq!(serde_json::from_str::<Value>(data).unwrap(), expected);
}
