//! The model calls our tool together with tools of the client: each gets its own.

use crate::client::Response;
use crate::fixtures::{escaped, test_run};
use crate::house::House;
use crate::voices::{Conversation, GEMINI_WITHOUT_IDS, OLLAMA, Voice, all};
use serde_json::{Value, json};
use tokenforge_mock::Reply;

const TOOL: &str = "expand_context";

fn ls() -> Value {
    json!({ "command": "ls" })
}

/// Lets the model call both, ours first or last. The client hears of its own only.
fn both(house: &House, conversation: &Conversation, is_ours_first: bool) -> Response {
    let reply = Reply::new().text("Both. ");
    house.mock.reply(if is_ours_first {
        reply.expand_first().call("Bash", ls())
    } else {
        reply.call("Bash", ls()).expand_first()
    });
    let response = conversation.send(house);
    let (voice, heard) = (conversation.voice, conversation.voice.hears(&response));
    let calls: Vec<_> = heard.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!((heard.text.as_str(), &calls[..]), ("Both. ", &["Bash"][..]), "{voice:?}");
    assert!(!String::from_utf8_lossy(&response.body).contains(TOOL), "{voice:?}");
    response
}

/// How often our tool is called, and answered, in the last request, of which nothing was refused.
#[track_caller]
fn joined(house: &House, voice: Voice) -> (usize, usize) {
    assert_eq!(house.mock.refusals(), Vec::<String>::new(), "{voice:?}");
    let forwarded = house.forwarded();
    let conversation = voice.conversation(&forwarded);
    let calls = conversation.matches(TOOL).count();
    // Where an answer names the tool, it is found twice.
    let named = matches!(voice.name, "gemini" | "interactions" | "ollama");
    let calls = if named { calls / 2 } else { calls };
    (calls, conversation.matches(&escaped(&test_run())).count())
}

#[test]
fn g29_the_next_request_has_our_call_with_its_answer_and_so_has_every_later_one() {
    for voice in all() {
        for is_ours_first in [true, false] {
            let house = House::new();
            let mut conversation = Conversation::new(voice).with_output(&house, &test_run());
            let response = both(&house, &conversation, is_ours_first);
            conversation.goes_on(&response, &["a.txt"]);
            house.mock.reply("Done.");
            let response = conversation.send(&house);
            assert_eq!(voice.hears(&response).text, "Done.", "{voice:?}");
            assert_eq!(joined(&house, voice), (1, 1), "{voice:?}, ours first: {is_ours_first}");
            let before = house.forwarded();
            conversation.goes_on(&response, &[]);
            conversation.says("Thanks.");
            let _ = conversation.heard(&house);
            assert_eq!(joined(&house, voice), (1, 1), "{voice:?}, one turn later");
            let after = house.forwarded();
            assert!(
                voice.conversation(&after).starts_with(voice.conversation(&before)),
                "{voice:?}: what the provider has cached changed"
            );
        }
    }
}

#[test]
fn g29_a_restart_in_between_changes_nothing() {
    for voice in all() {
        let folder = tempfile::tempdir().unwrap();
        let mut house = House::on_disk(folder.path(), |_| {});
        let mut conversation = Conversation::new(voice).with_output(&house, &test_run());
        let response = both(&house, &conversation, true);
        conversation.goes_on(&response, &["a.txt"]);
        house.restart();
        let _ = conversation.heard(&house);
        assert_eq!(joined(&house, voice), (1, 1), "{voice:?}");
    }
}

#[test]
fn decision_27_a_forgotten_call_is_left_out() {
    for voice in all() {
        let mut house = House::new();
        let mut conversation = Conversation::new(voice).with_output(&house, &test_run());
        let response = both(&house, &conversation, true);
        conversation.goes_on(&response, &["a.txt"]);
        house.restart();
        let _ = conversation.heard(&house);
        assert_eq!(joined(&house, voice), (0, 0), "{voice:?}");
    }
}

#[test]
fn g28_g29_what_the_model_thought_stays_before_both_calls() {
    for voice in all().filter(|voice| !voice.streams || voice.name == "anthropic") {
        let house = House::new();
        house.mock.only_own_ids();
        let conversation = Conversation::new(voice).thinking();
        let mut conversation = conversation.with_output(&house, &test_run());
        house.mock.reply(Reply::new().thinking("I need both.").expand_first().call("Bash", ls()));
        let response = conversation.send(&house);
        conversation.goes_on(&response, &["a.txt"]);
        let _ = conversation.heard(&house);
        assert_eq!(joined(&house, voice), (1, 1), "{voice:?}");
    }
}

#[test]
fn g29_two_such_turns_each_keep_their_own() {
    for voice in all() {
        let house = House::new();
        let mut conversation = Conversation::new(voice).with_output(&house, &test_run());
        let mut before = String::new();
        for turn in 1..=2 {
            let response = both(&house, &conversation, turn == 1);
            conversation.goes_on(&response, &["a.txt"]);
            house.mock.reply("Done.");
            let response = conversation.send(&house);
            let _ = voice.hears(&response);
            assert_eq!(joined(&house, voice), (turn, turn), "{voice:?}, turn {turn}");
            let forwarded = house.forwarded();
            let now = voice.conversation(&forwarded);
            assert!(now.starts_with(&before), "{voice:?}, turn {turn}");
            before = now.to_owned();
            conversation.goes_on(&response, &[]);
            conversation.says("Again.");
        }
    }
}

#[test]
fn l5_the_same_call_made_again_later_moves_nothing() {
    for voice in all() {
        let house = House::new();
        let mut conversation = Conversation::new(voice).with_output(&house, &test_run());
        let response = both(&house, &conversation, true);
        conversation.goes_on(&response, &["a.txt"]);
        house.mock.reply(Reply::calling("Bash", ls()));
        let response = conversation.send(&house);
        let before = house.forwarded();
        conversation.goes_on(&response, &["a.txt and b.txt"]);
        let _ = conversation.heard(&house);
        assert_eq!(joined(&house, voice), (1, 1), "{voice:?}");
        let after = house.forwarded();
        assert!(
            voice.conversation(&after).starts_with(voice.conversation(&before)),
            "{voice:?}: what the provider has cached changed"
        );
    }
}

#[test]
fn g41_clients_that_begin_alike_share_nothing() {
    for voice in [GEMINI_WITHOUT_IDS, OLLAMA] {
        let house = House::new();
        let mut first = Conversation::new(voice).with_output(&house, &test_run());
        let response = both(&house, &first, true);
        first.goes_on(&response, &["a.txt"]);
        // Another client of the same user makes the same call, after another result.
        let mut second =
            Conversation::new(voice).with_output(&house, &test_run().replace("cart", "till"));
        house.mock.reply(Reply::calling("Bash", ls()));
        let response = second.send(&house);
        second.goes_on(&response, &["a.txt"]);
        let _ = second.heard(&house);
        assert_eq!(joined(&house, voice), (0, 0), "{voice:?}");
        let _ = first.heard(&house);
        assert_eq!(joined(&house, voice), (1, 1), "{voice:?}");
    }
}
