//! What a provider must see as it made it: replies with thoughts that it sealed, and conversations that it keeps itself.

use crate::client::Response;
use crate::fixtures::{escaped, test_run};
use crate::house::House;
use crate::voices::{
    ANTHROPIC, ANTHROPIC_STREAM, CONVERSE, Conversation, INTERACTIONS, INTERACTIONS_STREAM, INVOKE,
    RESPONSES, RESPONSES_STREAM, Voice, data,
};
use serde_json::{Value, json};
use tokenforge_mock::Reply;

const TOOL: &str = "expand_context";
const COMPACT: &str = "/v1/responses/compact";

fn ls() -> Value {
    json!({ "command": "ls" })
}

/// Those whose thoughts are sealed, and whose clients here send blocks back one by one.
const SEALED: [Voice; 8] = [
    ANTHROPIC,
    ANTHROPIC_STREAM,
    INVOKE,
    CONVERSE,
    RESPONSES,
    RESPONSES_STREAM,
    INTERACTIONS,
    INTERACTIONS_STREAM,
];

/// How often the answer to our call is in the conversation that was forwarded last.
fn answered(house: &House, voice: Voice) -> usize {
    assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{voice:?}");
    voice.conversation(&house.forwarded()).matches(&escaped(&test_run())).count()
}

#[test]
fn d52_thoughts_of_two_replies_are_taken_apart_again_with_the_hidden_call_between() {
    for voice in SEALED {
        for said in ["", "Wait. "] {
            let house = House::new();
            house.mock.only_own_ids();
            let conversation = Conversation::new(voice).thinking();
            let mut conversation = conversation.with_output(&house, &test_run());
            let first = Reply::new().thinking("What was left out?");
            let first = if said.is_empty() { first } else { first.text(said) };
            house.mock.reply(first.expand_first());
            house.mock.reply(Reply::new().thinking("So that is it.").call("Bash", ls()));
            let response = conversation.send(&house);
            assert!(!String::from_utf8_lossy(&response.body).contains(TOOL), "{voice:?}");
            conversation.goes_on(&response, &["a.txt"]);
            house.mock.reply(Reply::new().thinking("Now I know.").text("Done."));
            let response = conversation.send(&house);
            assert_eq!(voice.hears(&response).text, "Done.", "{voice:?}");
            assert_eq!(answered(&house, voice), 1, "{voice:?}, after {said:?}");
            let before = house.forwarded();
            conversation.goes_on(&response, &[]);
            conversation.says("Thanks.");
            let _ = conversation.heard(&house);
            assert_eq!(answered(&house, voice), 1, "{voice:?}, one turn later");
            let after = house.forwarded();
            let is_same = voice.conversation(&after).starts_with(voice.conversation(&before));
            assert!(is_same, "{voice:?}: what the provider has cached changed");
        }
    }
}

/// Codex keeps nothing at the provider, and sends its items without the ids they had.
#[test]
fn d52_a_thought_is_known_by_its_encrypted_content_where_its_id_is_left_out() {
    for voice in [RESPONSES, RESPONSES_STREAM] {
        let house = House::new();
        let conversation = Conversation::new(voice).thinking();
        let mut conversation = conversation.with_output(&house, &test_run());
        house.mock.reply(Reply::new().thinking("What was left out?").expand_first());
        house.mock.reply(Reply::new().thinking("So that is it.").call("Bash", ls()));
        let response = conversation.send(&house);
        conversation.goes_on(&response, &["a.txt"]);
        let items = conversation.body["input"].as_array_mut().unwrap();
        let ids = items.iter_mut().filter_map(|item| item.as_object_mut().unwrap().remove("id"));
        assert!(ids.count() > 2, "{voice:?}: two thoughts and a call");
        let _ = conversation.heard(&house);
        assert_eq!(answered(&house, voice), 1, "{voice:?}");
    }
}

#[test]
fn d52_a_thought_before_two_hidden_calls_and_one_without_a_second_thought_are_put_back_too() {
    for voice in SEALED {
        let house = House::new();
        let conversation = Conversation::new(voice).thinking();
        let mut conversation = conversation.with_output(&house, &test_run());
        house.mock.reply(Reply::new().thinking("First.").expand_first());
        house.mock.reply(Reply::new().thinking("Second.").expand_first());
        house.mock.reply(Reply::new().text("That is all."));
        let response = conversation.send(&house);
        conversation.goes_on(&response, &[]);
        conversation.says("Thanks.");
        assert_eq!(conversation.heard(&house).calls, [], "{voice:?}");
        assert_eq!(answered(&house, voice), 2, "{voice:?}");
    }
}

#[test]
fn d52_a_restart_changes_nothing_and_forgotten_calls_are_left_out() {
    for voice in SEALED {
        let folder = tempfile::tempdir().unwrap();
        let mut house = House::on_disk(folder.path(), |_| {});
        let conversation = Conversation::new(voice).thinking();
        let mut conversation = conversation.with_output(&house, &test_run());
        house.mock.reply(Reply::new().thinking("What was left out?").expand_first());
        house.mock.reply(Reply::new().thinking("So that is it.").call("Bash", ls()));
        let response = conversation.send(&house);
        conversation.goes_on(&response, &["a.txt"]);
        house.restart();
        let _ = conversation.heard(&house);
        assert_eq!(answered(&house, voice), 1, "{voice:?}");
    }
}

/// A request that goes on from what the provider keeps.
fn goes_on_from(state: &(&str, Value), streams: bool, input: Value) -> String {
    let schema = json!({ "type": "object", "properties": { "command": { "type": "string" } } });
    let mut body = json!({ "model": "gpt-5", "stream": streams, "input": input,
        "tools": [{ "type": "function", "name": "Bash", "parameters": schema, "strict": false }] });
    let (member, id) = state;
    if !id.is_null() {
        body[*member] = id.clone();
    }
    body.to_string()
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn output(call: &str, text: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": call, "output": text })
}

/// The ids of a reply that a client may take for its own: in the end, and where the stream begins.
fn ids(voice: Voice, response: &Response) -> Vec<String> {
    let last = voice.hears(response).id;
    if !voice.streams {
        return vec![last];
    }
    let events = data(&response.body);
    let id = |event: &Value| event["response"]["id"].as_str().unwrap().to_owned();
    vec![id(&events[0]), id(events.last().unwrap())]
}

#[test]
fn d50_a_client_goes_on_from_whichever_id_it_saw() {
    for voice in [RESPONSES, RESPONSES_STREAM] {
        let ask = |house: &House, previous: &str, input: Value| {
            let id = if previous.is_empty() { Value::Null } else { json!(previous) };
            let body = goes_on_from(&("previous_response_id", id), voice.streams, input);
            let response = house.post(voice.path, body);
            assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{voice:?}");
            response
        };
        let house = House::new();
        house.mock.reply(Reply::calling("Bash", json!({ "command": "cargo test" })));
        let called = voice.hears(&ask(&house, "", json!([user("hi")])));
        for loops in 1..=2 {
            (0..loops).for_each(|_| house.mock.reply(Reply::expand_first_reference()));
            house.mock.reply("All is well.");
            let input = json!([output(&called.calls[0].id, &test_run())]);
            let response = ask(&house, &called.id, input);
            assert_eq!(voice.hears(&response).text, "All is well.", "{voice:?}");
            for id in ids(voice, &response) {
                house.mock.reply("You are welcome.");
                let response = ask(&house, &id, json!([user("Thanks.")]));
                assert_eq!(voice.hears(&response).text, "You are welcome.", "{voice:?}");
            }
        }
    }
}

/// The ids of a reply in which the model fetched something, before a shell is called or nothing more is.
fn fetched(house: &House, voice: Voice, next: Reply) -> (Vec<String>, Response) {
    let ask = |previous: Value, input: Value| {
        let body = goes_on_from(&("previous_response_id", previous), voice.streams, input);
        let response = house.post(voice.path, body);
        assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{voice:?}");
        response
    };
    house.mock.reply(Reply::calling("Bash", json!({ "command": "cargo test" })));
    let called = voice.hears(&ask(Value::Null, json!([user("hi")])));
    house.mock.reply(Reply::expand_first_reference());
    house.mock.reply(next);
    let response = ask(json!(called.id), json!([output(&called.calls[0].id, &test_run())]));
    (ids(voice, &response), response)
}

/// What there may be in a request in which no call of our tool can come.
fn without_calls() -> [Value; 4] {
    let lossless = json!({ "tool_output_compression": "lossless" });
    [
        json!({ "background": true, "stream": false }),
        json!({ "tools": [] }),
        json!({ "_forge": lossless }),
        json!({ "tools": [], "_forge": lossless }),
    ]
}

#[test]
fn d50_where_no_call_of_ours_can_come_a_client_goes_on_from_the_reply_with_the_answers_too() {
    for change in without_calls() {
        let house = House::new();
        let (ids, _) = fetched(&house, RESPONSES_STREAM, "All is well.".into());
        for id in ids {
            let state = ("previous_response_id", json!(id));
            let body = goes_on_from(&state, false, json!([user("Thanks.")]));
            let mut body: Value = serde_json::from_str(&body).unwrap();
            body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let _ = house.post(RESPONSES.path, body.to_string());
            assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{change}");
        }
    }
}

#[test]
fn d50_a_call_of_ours_beside_the_clients_is_answered_where_no_other_can_come() {
    for change in without_calls() {
        let house = House::new();
        let both = Reply::new().call("Bash", ls()).expand_first();
        house.mock.reply(Reply::calling("Bash", json!({ "command": "cargo test" })));
        let first =
            goes_on_from(&("previous_response_id", Value::Null), false, json!([user("hi")]));
        let called = RESPONSES.hears(&house.post(RESPONSES.path, first));
        house.mock.reply(both);
        let state = ("previous_response_id", json!(called.id));
        let input = json!([output(&called.calls[0].id, &test_run())]);
        let both = house.post(RESPONSES.path, goes_on_from(&state, false, input));
        let both = RESPONSES.hears(&both);
        assert_eq!(both.calls.len(), 1, "{change}");
        let state = ("previous_response_id", json!(both.id));
        let input = json!([output(&both.calls[0].id, "a.txt")]);
        let mut body: Value = serde_json::from_str(&goes_on_from(&state, false, input)).unwrap();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let _ = house.post(RESPONSES.path, body.to_string());
        assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{change}");
        assert!(house.forwarded().contains(&escaped(&test_run())), "{change}");
    }
}

#[test]
fn d50_a_kept_conversation_is_compacted_from_the_reply_with_the_answers() {
    let house = House::new();
    let (ids, _) = fetched(&house, RESPONSES_STREAM, "All is well.".into());
    for id in ids {
        let input = json!([user("Thanks.")]);
        let body = json!({ "model": "gpt-5", "previous_response_id": id, "input": input });
        let _ = house.post(COMPACT, body.to_string());
        assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{id}");
    }
}

#[test]
fn d52_a_conversation_is_compacted_and_gone_on_with_where_no_call_can_come_with_its_hidden_calls() {
    for ends in ["compacted", "without tools", "lossless", "safe"] {
        let house = House::new();
        house.mock.only_own_ids();
        let conversation = Conversation::new(RESPONSES).thinking();
        let mut conversation = conversation.with_output(&house, &test_run());
        house.mock.reply(Reply::new().thinking("What was left out?").expand_first());
        house.mock.reply(Reply::new().thinking("So that is it.").call("Bash", ls()));
        let response = conversation.send(&house);
        conversation.goes_on(&response, &["a.txt"]);
        let mut body = conversation.body.clone();
        let members = body.as_object_mut().unwrap();
        match ends {
            "compacted" => members.retain(|name, _| name == "model" || name == "input"),
            "without tools" => drop(members.remove("tools")),
            mode => {
                drop(members.insert("_forge".into(), json!({ "tool_output_compression": mode })))
            }
        }
        let path = if ends == "compacted" { COMPACT } else { RESPONSES.path };
        assert_eq!(house.post(path, body.to_string()).status, 200, "{ends}");
        // In that mode the first output goes on as it is, too.
        let outputs = usize::from(ends == "safe");
        assert_eq!(answered(&house, RESPONSES), outputs + 1, "{ends}");
    }
}

#[test]
fn d04_d50_a_renewed_token_goes_on_from_whichever_id_its_client_saw() {
    let voice = RESPONSES_STREAM;
    let house = House::new();
    let ask = |token: &str, previous: Value, input: Value| {
        let body = goes_on_from(&("previous_response_id", previous), voice.streams, input);
        let token = format!("Bearer {token}");
        let response = house.ask(
            "POST",
            voice.path,
            &[("content-type", "application/json"), ("authorization", &token)],
            body,
        );
        assert_eq!(house.mock.refusals(), Vec::<String>::new());
        response
    };
    house.mock.reply(Reply::calling("Bash", json!({ "command": "cargo test" })));
    let called = voice.hears(&ask("first", Value::Null, json!([user("hi")])));
    house.mock.reply(Reply::expand_first_reference());
    house.mock.reply("All is well.");
    let input = json!([output(&called.calls[0].id, &test_run())]);
    let response = ask("first", json!(called.id), input);
    for id in ids(voice, &response) {
        house.mock.reply("You are welcome.");
        let response = ask("renewed", json!(id), json!([user("Thanks.")]));
        assert_eq!(voice.hears(&response).text, "You are welcome.");
    }
}

#[test]
fn l8_a_clients_own_tool_of_that_name_is_called_where_the_provider_keeps_the_conversation() {
    for voice in [RESPONSES, RESPONSES_STREAM] {
        let house = House::new();
        house.mock.reply("Hello.");
        let body = goes_on_from(
            &("previous_response_id", Value::Null),
            voice.streams,
            json!([user("hi")]),
        );
        let first = voice.hears(&house.post(voice.path, body)).id;
        let body = goes_on_from(
            &("previous_response_id", json!(first)),
            voice.streams,
            json!([user("go on")]),
        );
        house.mock.reply(Reply::calling(TOOL, json!({ "id": "shadow_1" })));
        let body = body.replace("\"name\":\"Bash\"", &format!("\"name\":\"{TOOL}\""));
        let heard = voice.hears(&house.post(voice.path, body));
        assert_eq!(heard.calls.len(), 1, "{voice:?}");
    }
}

#[test]
fn d50_parallel_calls_get_all_their_outputs_although_the_calls_are_at_the_provider() {
    for voice in [RESPONSES, RESPONSES_STREAM] {
        for member in ["previous_response_id", "conversation"] {
            let house = House::new();
            let state = |id: &str| match member {
                "conversation" => (member, json!({ "id": "conv_1" })),
                _ if id.is_empty() => (member, Value::Null),
                _ => (member, json!(id)),
            };
            let ask = |id: &str, input: Value| {
                house.post(voice.path, goes_on_from(&state(id), voice.streams, input))
            };
            house.mock.reply(Reply::calling("Bash", json!({ "command": "cargo test" })));
            let first = voice.hears(&ask("", json!([user("hi")])));
            house.mock.reply(Reply::new().call("Bash", ls()).expand_first());
            let input = json!([output(&first.calls[0].id, &test_run())]);
            let both = voice.hears(&ask(&first.id, input));
            assert_eq!(both.calls.len(), 1, "{voice:?} {member}");
            house.mock.reply("All is well.");
            let last = voice.hears(&ask(&both.id, json!([output(&both.calls[0].id, "a.txt")])));
            assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{voice:?} {member}");
            assert_eq!(last.text, "All is well.", "{voice:?} {member}");
            assert!(house.forwarded().contains(&escaped(&test_run())), "{voice:?} {member}");
        }
    }
}

#[test]
fn d50_a_conversation_that_the_provider_keeps_is_told_nothing_twice() {
    for voice in [RESPONSES, RESPONSES_STREAM] {
        let house = House::new();
        let state = ("conversation", json!("conv_1"));
        let ask = |input: Value| {
            let response = house.post(voice.path, goes_on_from(&state, voice.streams, input));
            assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{voice:?}");
            voice.hears(&response)
        };
        house.mock.reply(Reply::calling("Bash", json!({ "command": "cargo test" })));
        let called = ask(json!([user("hi")]));
        house.mock.reply(Reply::new().text("Let me look. ").expand_first());
        house.mock.reply("All is well.");
        let heard = ask(json!([output(&called.calls[0].id, &test_run())]));
        assert_eq!(heard.text, "Let me look. All is well.", "{voice:?}");
        house.mock.reply("You are welcome.");
        assert_eq!(ask(json!([user("Thanks.")])).text, "You are welcome.", "{voice:?}");
    }
}

#[test]
fn d51_a_call_is_hidden_where_a_thread_goes_on_without_a_list_of_tools() {
    for voice in [ANTHROPIC, ANTHROPIC_STREAM] {
        let house = House::new();
        let result = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "ok" });
        let body = json!({ "model": "claude-sonnet-4-5", "max_tokens": 4000, "thread": "continue",
            "stream": voice.streams, "messages": [{ "role": "user", "content": [result] }] });
        house.mock.reply(Reply::calling(TOOL, json!({ "id": "shadow_1" })));
        house.mock.reply("All is well.");
        let response = house.post(voice.path, body.to_string());
        assert_eq!(voice.hears(&response).text, "All is well.", "{voice:?}");
        assert!(!String::from_utf8_lossy(&response.body).contains(TOOL), "{voice:?}");
        let asked: Value = serde_json::from_str(&house.forwarded()).unwrap();
        let messages = asked["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 1, "{voice:?}: the thread has the rest: {asked}");
        assert_eq!(messages[0]["content"][0]["type"], "tool_result", "{voice:?}");
        assert_eq!(asked["thread"], "continue");
    }
}
