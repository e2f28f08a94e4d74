//! Interactions that Google keeps: what a client sends is only what is new, and it goes on by an id.

use crate::client::Response;
use crate::fixtures::{escaped, rows, test_run};
use crate::house::House;
use crate::voices::{INTERACTIONS, INTERACTIONS_STREAM, Voice, data};
use serde_json::{Value, json};
use tokenforge_mock::Reply;

const TOOL: &str = "expand_context";
const BOTH: [Voice; 2] = [INTERACTIONS, INTERACTIONS_STREAM];

/// A request that goes on from an interaction, or begins with this.
fn goes_on_from(previous: &str, streams: bool, input: &Value) -> String {
    let schema = json!({ "type": "object", "properties": { "command": { "type": "string" } } });
    let mut body = json!({ "model": "gemini-3-pro", "stream": streams, "input": input,
        "tools": [{ "type": "function", "name": "Bash", "parameters": schema }] });
    if !previous.is_empty() {
        body["previous_interaction_id"] = json!(previous);
    }
    body.to_string()
}

fn result(call: &str, text: &str) -> Value {
    json!([{ "type": "function_result", "name": "Bash", "call_id": call, "result": text }])
}

#[track_caller]
fn ask(house: &House, voice: Voice, previous: &str, input: &Value) -> Response {
    let response = house.post(voice.path, goes_on_from(previous, voice.streams, input));
    assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{voice:?}");
    response
}

/// The model called a shell: its id of the interaction, and that of the call.
fn called(house: &House, voice: Voice) -> (String, String) {
    house.mock.reply(Reply::calling("Bash", json!({ "command": "cargo test" })));
    let heard = voice.hears(&ask(house, voice, "", &json!("hi")));
    (heard.id, heard.calls[0].id.clone())
}

/// The ids that a client may take for its own: in the end, and where the stream begins.
fn ids(voice: Voice, response: &Response) -> Vec<String> {
    let last = voice.hears(response).id;
    if !voice.streams {
        return vec![last];
    }
    let created = data(&response.body)[0]["interaction"]["id"].as_str().unwrap().to_owned();
    vec![created, last]
}

#[test]
fn g11_c1_a_result_whose_call_google_keeps_is_compressed_by_its_name() {
    for voice in BOTH {
        for output in [test_run(), rows()] {
            let house = House::new();
            let (interaction, call) = called(&house, voice);
            let input = result(&call, &output);
            let _ = ask(&house, voice, &interaction, &input);
            let forwarded: Value = serde_json::from_str(&house.forwarded()).unwrap();
            let step = &forwarded["input"][0];
            assert!(step["result"].as_str().unwrap().len() * 2 < output.len(), "{voice:?}");
            let mut expected = input[0].clone();
            expected["result"] = step["result"].clone();
            assert_eq!(
                (step, &forwarded["previous_interaction_id"]),
                (&expected, &json!(interaction))
            );
        }
    }
}

#[test]
fn l1_an_object_is_compressed_member_by_member_and_contents_stay_in_order() {
    let image = json!({ "type": "image", "data": "iVBORw0KGgo=", "mime_type": "image/png" });
    let text = |text: &str| json!({ "type": "text", "text": text });
    for (sent, place) in [
        (json!({ "output": test_run(), "exit_code": 0 }), "/output"),
        (json!([text("ok"), image, text(&test_run())]), "/2/text"),
    ] {
        let house = House::new();
        let (interaction, call) = called(&house, INTERACTIONS);
        let input = json!([{ "result": sent, "is_error": false, "x_new": [1.0], "call_id": call, "type": "function_result" }]);
        let body = goes_on_from(&interaction, false, &input);
        // The mock knows no member of that name.
        let _ = house.post(INTERACTIONS.path, body);
        let mut forwarded =
            serde_json::from_str::<Value>(&house.forwarded()).unwrap()["input"].clone();
        let shown = forwarded[0]["result"].pointer_mut(place).unwrap();
        assert!(shown.as_str().unwrap().contains("<<<SHADOW:"), "{shown}");
        *shown = json!(test_run());
        assert_eq!(forwarded, input);
    }
}

#[test]
fn d50_a_client_goes_on_from_whichever_interaction_it_saw() {
    for voice in BOTH {
        let house = House::new();
        let (interaction, call) = called(&house, voice);
        for loops in 1..=2 {
            house.mock.reply(Reply::expand_first_reference());
            for _ in 1..loops {
                house.mock.reply(Reply::calling(TOOL, json!({ "id": "shadow_1" })));
            }
            house.mock.reply("All is well.");
            house.mock.clear();
            let response = ask(&house, voice, &interaction, &result(&call, &test_run()));
            assert_eq!(voice.hears(&response).text, "All is well.", "{voice:?}");
            assert!(!String::from_utf8_lossy(&response.body).contains(TOOL), "{voice:?}");
            let second = house.mock.requests()[1].json();
            let [answer] = &second["input"].as_array().unwrap()[..] else { panic!("{second}") };
            assert_eq!(answer["result"], test_run(), "{voice:?}: only the answer is said");
            for id in ids(voice, &response) {
                house.mock.reply("You are welcome.");
                let response = ask(&house, voice, &id, &json!("Thanks."));
                assert_eq!(voice.hears(&response).text, "You are welcome.", "{voice:?}");
            }
        }
    }
}

#[test]
fn d50_a_client_goes_on_in_the_background_from_whichever_interaction_it_saw() {
    let voice = INTERACTIONS_STREAM;
    let house = House::new();
    let (interaction, call) = called(&house, voice);
    house.mock.reply(Reply::expand_first_reference());
    house.mock.reply("All is well.");
    let response = ask(&house, voice, &interaction, &result(&call, &test_run()));
    for id in ids(voice, &response) {
        let body = goes_on_from(&id, false, &json!("Thanks."));
        let mut body: Value = serde_json::from_str(&body).unwrap();
        body["background"] = json!(true);
        let _ = house.post(voice.path, body.to_string());
        assert_eq!(house.mock.refusals(), Vec::<String>::new());
    }
}

#[test]
fn d50_a_call_of_ours_is_answered_in_the_first_request_whatever_stands_for_its_steps() {
    for voice in BOTH {
        let text = json!({ "type": "text", "text": "hi" });
        for input in [
            json!("hi"),
            text.clone(),
            json!([text]),
            json!([{ "type": "user_input", "content": [text] }]),
        ] {
            for store in [true, false] {
                let house = House::new();
                house.mock.reply(Reply::calling(TOOL, json!({ "id": "shadow_1" })));
                house.mock.reply("Never mind.");
                let mut body: Value =
                    serde_json::from_str(&goes_on_from("", voice.streams, &input)).unwrap();
                body["store"] = json!(store);
                let response = house.post(voice.path, body.to_string());
                assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{voice:?} {input}");
                assert_eq!(voice.hears(&response).text, "Never mind.", "{voice:?} {input}");
                assert!(!String::from_utf8_lossy(&response.body).contains(TOOL), "{voice:?}");
                let ids: std::collections::HashSet<String> =
                    ids(voice, &response).into_iter().collect();
                assert!(store || ids.len() == 1, "{voice:?}: one that is not kept has one id");
            }
        }
    }
}

#[test]
fn d50_parallel_calls_get_all_their_results_although_the_calls_are_at_google() {
    for voice in BOTH {
        let house = House::new();
        let (interaction, call) = called(&house, voice);
        house.mock.reply(Reply::new().call("Bash", json!({ "command": "ls" })).expand_first());
        let both = voice.hears(&ask(&house, voice, &interaction, &result(&call, &test_run())));
        assert_eq!(both.calls.len(), 1, "{voice:?}");
        house.mock.reply("All is well.");
        let last = ask(&house, voice, &both.id, &result(&both.calls[0].id, "a.txt"));
        assert_eq!(voice.hears(&last).text, "All is well.", "{voice:?}");
        assert!(house.forwarded().contains(&escaped(&test_run())), "{voice:?}");
    }
}

#[test]
fn l4_nothing_is_left_out_where_an_agent_or_a_later_answer_is_asked_for() {
    for change in [json!({ "background": true }), json!({ "agent": "a", "model": null })] {
        let house = House::new();
        let (interaction, call) = called(&house, INTERACTIONS);
        let body = goes_on_from(&interaction, false, &result(&call, &test_run()));
        let mut body: Value = serde_json::from_str(&body).unwrap();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let _ = house.post(INTERACTIONS.path, body.to_string());
        let forwarded = house.forwarded();
        assert!(!forwarded.contains(TOOL) && !forwarded.contains("SHADOW"), "{change}");
    }
}
