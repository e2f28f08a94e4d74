//! The model asks for what was left out: the client never knows.

use crate::fixtures::{escaped, test_run};
use crate::house::House;
use crate::voices::{
    ANTHROPIC_STREAM, Conversation, RESPONSES, RESPONSES_STREAM, STREAMS, Voice, all, data,
};
use serde_json::{Value, json};
use tokenforge_config::ExpandInjection;
use tokenforge_mock::grammar::check;
use tokenforge_mock::{Encoding, Fault, Mock, Reply, Split};

const TOOL: &str = "expand_context";

/// A conversation whose last result was shortened with loss, and which is to be sent.
fn shortened(house: &House, voice: Voice) -> Conversation {
    Conversation::new(voice).with_output(house, &test_run())
}

/// The requests of the last turn, and nothing of them was refused.
#[track_caller]
fn asked(mock: &Mock, voice: Voice) -> Vec<String> {
    assert_eq!(mock.refusals(), Vec::<String>::new(), "{voice:?}");
    let text =
        |request: &tokenforge_mock::Recorded| String::from_utf8(request.plain().to_vec()).unwrap();
    mock.requests().iter().map(text).collect()
}

#[track_caller]
fn shows_nothing_of_ours(voice: Voice, body: &[u8]) {
    let body = String::from_utf8_lossy(body);
    assert!(!body.contains(TOOL), "{voice:?}: {body}");
}

#[test]
fn c3_c5_c6_g24_g27_a_call_of_our_tool_is_answered_and_never_seen() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.clear();
        house.mock.reply(Reply::expand_first_reference());
        house.mock.reply("All is well.");
        let response = conversation.send(&house);
        let requests = asked(&house.mock, voice);
        let [first, second] = &requests[..] else {
            panic!("{voice:?}: {} requests", requests.len())
        };
        assert!(
            first.contains("<<<SHADOW:shadow_") && !first.contains(&escaped(&test_run())),
            "{voice:?}"
        );
        assert!(second.contains(&escaped(&test_run())), "{voice:?}");
        let heard = voice.hears(&response);
        assert_eq!((heard.text.as_str(), heard.calls.len()), ("All is well.", 0), "{voice:?}");
        shows_nothing_of_ours(voice, &response.body);
    }
}

#[test]
fn c6_a_whole_call_is_answered_even_if_the_tokens_ran_out() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        let cut_short = match voice.name {
            "anthropic" | "invoke" | "converse" => "max_tokens",
            "gemini" => "MAX_TOKENS",
            "responses" => "max_output_tokens",
            "interactions" => "incomplete",
            _ => "length",
        };
        house.mock.reply(Reply::new().text("Let me look. ").expand_first().stop(cut_short));
        house.mock.reply("All is well.");
        let heard = conversation.heard(&house);
        assert_eq!(heard.text, "Let me look. All is well.", "{voice:?}");
        assert_eq!(heard.calls, [], "{voice:?}");
        assert_ne!(heard.stop, cut_short, "{voice:?}");
    }
}

#[test]
fn g30_text_before_the_call_comes_exactly_once() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.reply(Reply::new().text("Let me look. ").expand_first());
        house.mock.reply(Reply::new().text("And again. ").expand_first());
        house.mock.reply("All is well.");
        let heard = conversation.heard(&house);
        assert_eq!(heard.text, "Let me look. And again. All is well.", "{voice:?}");
        assert_eq!(heard.calls, [], "{voice:?}");
    }
}

#[test]
fn c5_the_model_may_ask_five_times_and_then_the_turn_ends() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        for _ in 0..5 {
            house.mock.reply(Reply::expand_first_reference());
        }
        house.mock.reply("At last.");
        assert_eq!(conversation.heard(&house).text, "At last.", "{voice:?}");
        house.mock.clear();
        house.mock.always(|_| Reply::expand_first_reference());
        let response = conversation.send(&house);
        assert_eq!(asked(&house.mock, voice).len(), 6, "{voice:?}");
        let heard = voice.hears(&response);
        assert_eq!(heard.calls, [], "{voice:?}");
        // D5: each of the calls was answered, so that nothing may say that it could not be.
        assert!(heard.text.contains("kept asking"), "{voice:?}: {}", heard.text);
        shows_nothing_of_ours(voice, &response.body);
    }
}

#[test]
fn g32_c7_an_unknown_id_or_bad_arguments_are_explained_and_the_turn_goes_on() {
    let unknown = format!("{{\"id\":\"shadow_{}\"}}", "0".repeat(48));
    for (arguments, explained) in [
        (&*unknown, "No original is kept under"),
        (r#"{"id":"nonsense"}"#, "No original is kept under"),
        (r#"{"id":7}"#, "Call again with"),
        ("{}", "No original is kept under"),
    ] {
        for voice in all() {
            let house = House::new();
            let conversation = shortened(&house, voice);
            house.mock.clear();
            house.mock.reply(Reply::new().call_as_written(TOOL, arguments));
            house.mock.reply("Never mind.");
            assert_eq!(conversation.heard(&house).text, "Never mind.", "{voice:?}: {arguments}");
            let requests = asked(&house.mock, voice);
            assert_eq!(requests.len(), 2, "{voice:?}: {arguments}");
            assert!(requests[1].contains(explained), "{voice:?}: {arguments}: {}", requests[1]);
        }
    }
}

#[test]
fn c7_arguments_that_are_no_json_are_explained_too() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.reply(Reply::new().call_as_written(TOOL, "{\"id\": \"shad"));
        house.mock.reply("Never mind.");
        let response = conversation.send(&house);
        let heard = voice.hears(&response);
        assert_eq!(heard.text, "Never mind.", "{voice:?}");
        shows_nothing_of_ours(voice, &response.body);
    }
}

#[test]
fn g31_the_same_id_asked_for_twice_is_answered_twice() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.clear();
        house.mock.reply(Reply::new().expand_first().expand_first());
        house.mock.reply("Seen twice.");
        assert_eq!(conversation.heard(&house).text, "Seen twice.", "{voice:?}");
        let requests = asked(&house.mock, voice);
        assert_eq!(requests[1].matches(&escaped(&test_run())).count(), 2, "{voice:?}");
    }
}

#[test]
fn g25_g26_g34_a_stream_may_be_cut_anywhere() {
    for voice in STREAMS.iter().copied() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        let turn = |split: Split| {
            house.mock.reply(Reply::new().text("Let me look. ").expand_first().split(split));
            house.mock.reply(Reply::new().text("All is well.").split(split));
            conversation.heard(&house)
        };
        let expected = turn(Split::Events);
        assert_eq!(expected.text, "Let me look. All is well.");
        for split in [Split::EveryByte, Split::Every(7), Split::Whole] {
            let heard = turn(split);
            assert_eq!(
                (heard.text, heard.stop, heard.usage),
                (expected.text.clone(), expected.stop.clone(), expected.usage),
                "{voice:?} {split:?}"
            );
        }
    }
}

#[test]
fn a_reply_that_the_provider_compressed_is_understood() {
    for encoding in [Encoding::Gzip, Encoding::Br, Encoding::Zstd, Encoding::Deflate] {
        for voice in all() {
            let house = House::new();
            let conversation = shortened(&house, voice);
            house.mock.reply(Reply::new().text("Let me look. ").expand_first().encoded(encoding));
            house.mock.reply(Reply::new().text("All is well.").encoded(encoding));
            let response = conversation.send(&house);
            assert_eq!(response.header("content-encoding"), "", "{voice:?} {encoding:?}");
            assert_eq!(
                voice.hears(&response).text,
                "Let me look. All is well.",
                "{voice:?} {encoding:?}"
            );
        }
    }
}

#[test]
fn g28_what_the_model_thought_goes_back_with_its_signature() {
    for voice in all() {
        let house = House::new();
        house.mock.only_own_ids();
        let conversation = Conversation::new(voice).thinking().with_output(&house, &test_run());
        house.mock.reply(Reply::new().thinking("What was left out?").text("Wait. ").expand_first());
        house.mock.reply(Reply::new().thinking("So that is it.").text("All is well."));
        let heard = conversation.heard(&house);
        assert_eq!(heard.text, "Wait. All is well.", "{voice:?}");
        assert!(heard.thinking.contains("So that is it."), "{voice:?}: {}", heard.thinking);
    }
}

#[test]
fn g33_usage_is_the_sum_of_output_and_the_last_of_input() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.clear();
        let replies =
            [Reply::new().text("Let me look. ").expand_first(), Reply::from("All is well.")];
        replies.iter().for_each(|reply| house.mock.reply(reply.clone()));
        let heard = conversation.heard(&house).usage;
        let mut direct = Vec::new();
        for (request, reply) in house.mock.requests().iter().zip(replies) {
            house.mock.reply(reply);
            direct.push(check(voice.name, &house.without_gateway(request).body).unwrap().usage);
        }
        let (first, last) = (direct[0], direct[1]);
        assert_eq!(heard.output, first.output + last.output, "{voice:?}");
        let input = |usage: tokenforge_mock::grammar::Usage| {
            (usage.input, usage.cache_read, usage.cache_write)
        };
        assert_eq!(input(heard), input(last), "{voice:?}");
    }
}

#[test]
fn g35_our_tool_is_hidden_where_nothing_was_left_out_and_where_it_was_not_even_offered() {
    for injection in [ExpandInjection::FromStart, ExpandInjection::WhenReferenced] {
        for voice in all() {
            let house = House::with(|settings| settings.tool_output.expand_injection = injection);
            let conversation = Conversation::new(voice).with_output(&house, "ok");
            house.mock.reply(Reply::calling(TOOL, json!({ "id": "shadow_1" })));
            house.mock.reply("Nothing to see.");
            let response = conversation.send(&house);
            assert_eq!(voice.hears(&response).text, "Nothing to see.", "{voice:?}");
            shows_nothing_of_ours(voice, &response.body);
        }
    }
}

/// How a provider refuses, in its dialect.
fn refusal(voice: Voice, status: u16) -> String {
    match voice.name {
        "anthropic" => json!({ "type": "error", "error": { "type": "overloaded_error", "message": MESSAGE } }),
        "converse" | "invoke" => json!({ "message": MESSAGE }),
        "interactions" => json!({ "error": { "code": "unavailable", "message": MESSAGE } }),
        "gemini" => json!({ "error": { "code": status, "message": MESSAGE, "status": "UNAVAILABLE" } }),
        "ollama" => json!({ "error": MESSAGE }),
        _ => json!({ "error": { "message": MESSAGE, "type": "requests", "param": null, "code": "slow_down" } }),
    }
    .to_string()
}

const MESSAGE: &str = "Please come back later.";

/// The error with which a stream breaks off, as the client's library reads it.
#[track_caller]
fn broken_off_with(voice: Voice, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let message = |event: &Value| match voice.name {
        "ollama" => event["error"].clone(),
        _ => event["error"]["message"].clone(),
    };
    let told = match voice.name {
        "converse" | "invoke" => {
            let (_, exception) = text.split_once(":exception-type").expect(&text);
            let (_, message) = exception.split_once(r#"{"message":""#).expect(exception);
            return message.split_once('"').unwrap().0.to_owned();
        }
        "ollama" => {
            let last = text.lines().last().unwrap();
            message(&serde_json::from_str(last).unwrap())
        }
        "gemini" if text.trim_start().starts_with('[') => {
            let chunks: Value = serde_json::from_slice(body).unwrap();
            message(chunks.as_array().unwrap().last().unwrap())
        }
        "responses" => {
            let events = data(body);
            let [.., error, failed] = &events[..] else { panic!("{text}") };
            assert_eq!(failed["type"], "response.failed", "{text}");
            assert_eq!(failed["response"]["error"]["message"], error["message"], "{text}");
            message(error)
        }
        _ => message(data(body).last().unwrap()),
    };
    told.as_str().unwrap_or_else(|| panic!("{voice:?}: {text}")).to_owned()
}

#[test]
fn d5_a_refusal_during_an_expansion_reaches_the_client_and_a_retry_works() {
    for voice in all() {
        for (status, said) in [(529, "Let me look. "), (400, ""), (429, "")] {
            let house = House::new();
            let conversation = shortened(&house, voice);
            let reply = if said.is_empty() { Reply::new() } else { Reply::from(said) };
            house.mock.reply(reply.expand_first());
            let refusal = refusal(voice, status);
            let headers = [("content-type", "application/json"), ("retry-after", "7")];
            house.mock.reply(Reply::status(status, &headers, refusal.clone()));
            let response = conversation.send(&house);
            if voice.streams {
                assert_eq!(broken_off_with(voice, &response.body), MESSAGE, "{voice:?} {status}");
                assert!(check(voice.name, &response.body).is_err(), "{voice:?}: a finished turn");
            } else {
                assert_eq!((response.status, response.text()), (status, &*refusal), "{voice:?}");
                assert_eq!(response.header("retry-after"), "7", "{voice:?}");
            }
            shows_nothing_of_ours(voice, &response.body);
            let failed = house.get("/_forge/metrics").text().to_owned();
            assert!(failed.contains("follow_ups_failed_total 1"), "{voice:?}: {failed}");

            house.mock.clear();
            house.mock.reply(Reply::expand_first_reference());
            house.mock.reply("All is well.");
            assert_eq!(conversation.heard(&house).text, "All is well.", "{voice:?}: the retry");
        }
    }
}

#[test]
fn d5_a_connection_that_drops_during_an_expansion_is_an_error() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.reply(Reply::new().text("Let me look. ").expand_first());
        house.mock.always(|_| Reply::new().fault(Fault::CloseBeforeHeaders));
        let response = conversation.send(&house);
        if voice.streams {
            let told = broken_off_with(voice, &response.body);
            assert!(told.contains("the upstream"), "{voice:?}: {told}");
            assert!(check(voice.name, &response.body).is_err(), "{voice:?}: a finished turn");
        } else {
            assert_eq!(response.status, 502, "{voice:?}: {}", response.text());
            assert!(response.text().contains("the upstream"), "{voice:?}: {}", response.text());
        }
        shows_nothing_of_ours(voice, &response.body);
    }
}

#[test]
fn d5_an_answer_of_another_kind_is_no_reply() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.reply(Reply::expand_first_reference());
        house.mock.reply(Reply::status(200, &[("content-type", "text/html")], "<html>"));
        let response = conversation.send(&house);
        if voice.streams {
            assert!(broken_off_with(voice, &response.body).contains("text/html"), "{voice:?}");
        } else {
            assert_eq!(response.status, 502, "{voice:?}: {}", response.text());
        }
    }
}

#[test]
fn a_call_of_ours_that_was_cut_short_is_not_the_clients_either() {
    for voice in all() {
        let stop = match voice.name {
            "gemini" => "MAX_TOKENS",
            "chat" | "ollama" => "length",
            "interactions" => "budget_exceeded",
            "responses" => continue,
            _ => "max_tokens",
        };
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.reply(Reply::new().text("So far. ").expand_first().stop(stop));
        let response = conversation.send(&house);
        let heard = voice.hears(&response);
        assert!(heard.text.starts_with("So far. "), "{voice:?}: {}", heard.text);
        assert_eq!(heard.calls, [], "{voice:?}");
        shows_nothing_of_ours(voice, &response.body);
    }
}

#[test]
fn g28_redacted_thinking_goes_back_too() {
    for voice in all().filter(|voice| matches!(voice.name, "anthropic" | "invoke")) {
        let house = House::new();
        let conversation = Conversation::new(voice).thinking().with_output(&house, &test_run());
        house.mock.reply(Reply::new().thinking("Hm.").redacted_thinking("hidden").expand_first());
        house.mock.reply(Reply::new().thinking("Ah.").text("All is well."));
        house.mock.clear();
        assert_eq!(conversation.heard(&house).text, "All is well.", "{voice:?}");
        assert!(asked(&house.mock, voice)[1].contains("redacted_thinking"), "{voice:?}");
    }
}

#[test]
fn g36_a_text_that_names_our_tool_asks_for_nothing() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.clear();
        let text = "I could call expand_context with <<<EXPAND:shadow_1>>> or {\"name\":\"expand_context\"}.";
        house.mock.reply(text);
        assert_eq!(conversation.heard(&house).text, text, "{voice:?}");
        assert_eq!(house.mock.requests().len(), 1, "{voice:?}");
    }
}

#[test]
fn g37_the_tools_and_all_before_the_new_turn_stay_as_they_were() {
    for voice in all() {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.clear();
        house.mock.reply(Reply::expand_first_reference());
        house.mock.reply("All is well.");
        let _ = conversation.heard(&house);
        let requests = asked(&house.mock, voice);
        let (first, second) = (&requests[0], &requests[1]);
        let same = first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
        let rest = first.len() - same;
        assert!(second.ends_with(&first[same..]), "{voice:?}: the end changed");
        assert!(rest < first.len(), "{voice:?}");
    }
}

#[test]
fn responses_do_not_tell_the_client_of_a_tool_that_it_did_not_offer() {
    for voice in [RESPONSES, RESPONSES_STREAM] {
        let house = House::new();
        let conversation = shortened(&house, voice);
        house.mock.reply("No call at all.");
        let response = conversation.send(&house);
        assert_eq!(voice.hears(&response).text, "No call at all.");
        shows_nothing_of_ours(voice, &response.body);
        assert!(String::from_utf8_lossy(&response.body).contains("\"tools\":[{"));
    }
}

#[test]
fn g24_text_flows_while_the_call_is_still_open() {
    let house = House::new();
    let voice = ANTHROPIC_STREAM;
    let conversation = shortened(&house, voice);
    house.mock.reply(Reply::new().text("Let me look. ").expand_first());
    house.mock.reply("All is well.");
    // The message, the block and a ping: after them comes the first piece of the text.
    let hold = house.mock.hold_after(4);
    let mut stream = house.open("POST", voice.path, &[], conversation.body.to_string());
    let begun = crate::client::read_until(&mut stream, "text_delta");
    assert!(!begun.contains("All is well"));
    hold.release();
    crate::client::read_until(&mut stream, "message_stop");
}
