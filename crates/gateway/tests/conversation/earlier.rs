//! `store.keep: all`: the model finds what its client has cleared from the history.

use crate::client::Response;
use crate::fixtures::{escaped, plain_words};
use crate::house::House;
use crate::voices::{ANTHROPIC, CHAT, Conversation, GEMINI_WITHOUT_IDS, RESPONSES, Voice};
use serde_json::{Value, json};
use std::path::Path;
use tokenforge_config::{GatewayKey, KeptResults, Secret, Settings};
use tokenforge_mock::Reply;

/// What a client writes in the place of a result.
const CLEARED: &str = "[Old tool result content cleared]";

/// The dialects whose calls have ids that no other conversation has.
const WITH_IDS: [Voice; 3] = [ANTHROPIC, CHAT, RESPONSES];

/// Nothing that any stage makes less of.
fn output(turn: usize) -> String {
    format!(
        "turn {turn} begins {}\nthe answer of turn {turn} is {}\n",
        plain_words(900),
        1000 + turn
    )
}

fn keeps_all(settings: &mut Settings) {
    settings.store.keep = KeptResults::All;
}

fn on_disk(folder: &Path) -> House {
    House::on_disk(folder, keeps_all)
}

/// A conversation of so many outputs, all of which were sent.
fn conversation(house: &House, voice: Voice, turns: usize) -> Conversation {
    let talk = (0..turns)
        .fold(Conversation::new(voice), |talk, turn| talk.with_output(house, &output(turn)));
    let _ = talk.heard(house);
    talk
}

/// The same as its client has it once it cleared the first outputs.
fn cleared(mut talk: Conversation, turns: usize) -> Conversation {
    let mut text = talk.body.to_string();
    for turn in 0..turns {
        text = text.replace(&escaped(&output(turn)), CLEARED);
        assert!(!text.contains(&format!("turn {turn} begins")));
    }
    talk.body = serde_json::from_str(&text).unwrap();
    talk
}

/// The model calls our tool, and this is what it is answered, as the provider gets it.
fn asked(house: &House, talk: &Conversation, arguments: Value) -> String {
    asked_with(house, talk, arguments, &[])
}

fn asked_with(
    house: &House,
    talk: &Conversation,
    arguments: Value,
    headers: &[(&str, &str)],
) -> String {
    house.mock.reply(Reply::new().call("expand_context", arguments));
    house.mock.reply("I see.");
    let response = send(house, talk, headers);
    assert_eq!(house.mock.refusals(), Vec::<String>::new());
    assert_eq!(talk.voice.hears(&response).text, "I see.");
    let forwarded = house.forwarded();
    let conversation = talk.voice.conversation(&forwarded);
    let after = conversation.rfind("expand_context").unwrap();
    conversation[after..].to_owned()
}

fn send(house: &House, talk: &Conversation, headers: &[(&str, &str)]) -> Response {
    let json = ("content-type", "application/json");
    let headers: Vec<_> = headers.iter().copied().chain([json]).collect();
    house.ask("POST", talk.voice.path, &headers, talk.body.to_string())
}

#[test]
fn c15_a_cleared_result_is_fetched_by_the_id_of_its_call() {
    for voice in WITH_IDS {
        let house = House::with(keeps_all);
        let talk = cleared(conversation(&house, voice, 3), 2);
        let call = talk.calls()[0].clone();
        let answer = asked(&house, &talk, json!({ "id": call }));
        assert!(answer.contains(&escaped(&output(0))), "{voice:?}: {answer}");
        let line = asked(&house, &talk, json!({ "id": call, "lines": "2" }));
        assert!(line.contains("the answer of turn 0 is 1000"), "{voice:?}: {line}");
        assert!(!line.contains("turn 0 begins"), "{voice:?}: {line}");
    }
}

#[test]
fn c15_a_search_without_an_id_finds_lines_of_all_earlier_results() {
    for voice in WITH_IDS {
        let house = House::with(keeps_all);
        let talk = cleared(conversation(&house, voice, 4), 4);
        let found = asked(&house, &talk, json!({ "grep": "answer of turn [02]" }));
        let (latest, first) = (found.find("is 1002").unwrap(), found.find("is 1000").unwrap());
        assert!(latest < first, "the latest first: {found}");
        assert!(!found.contains("is 1001") && !found.contains("is 1003"), "{found}");
        // Each with the name under which all of it can be fetched.
        let at = found.find("shadow_").unwrap();
        let name: String =
            found[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let whole = asked(&house, &talk, json!({ "id": name }));
        assert!(whole.contains(&escaped(&output(2))), "{whole}");
        let list = asked(&house, &talk, json!({}));
        assert_eq!(list.matches("Bash").count(), 4, "{list}");
        let nothing = asked(&house, &talk, json!({ "grep": "no such words" }));
        assert!(nothing.contains("no match in 4 earlier results"), "{nothing}");
        let wrong = asked(&house, &talk, json!({ "grep": "(" }));
        assert!(wrong.contains("Call again with other arguments"), "{wrong}");
    }
}

#[test]
fn c15_a_session_outlives_a_summary_of_the_history_a_restart_and_a_renewed_token() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = on_disk(folder.path());
    let session = ("x-claude-code-session-id", "3f2c9c36-6a3f-4a5e-9a53-2f4d8a1c7b10");
    let talk = conversation(&house, ANTHROPIC, 2);
    assert_eq!(send(&house, &talk, &[session, ("x-api-key", "one")]).status, 200);
    house.restart();
    let mut summary = Conversation::new(ANTHROPIC);
    summary.says("Summary of what was done so far: the tests were run.");
    summary.body["messages"].as_array_mut().unwrap().remove(0);
    let headers = [session, ("x-api-key", "another")];
    let found = asked_with(&house, &summary, json!({ "grep": "answer of turn 1" }), &headers);
    assert!(found.contains("is 1001"), "{found}");
    let other = [("x-claude-code-session-id", "another"), ("x-api-key", "one")];
    let found = asked_with(&house, &summary, json!({ "grep": "answer of turn 1" }), &other);
    assert!(!found.contains("is 1001"), "{found}");
}

#[test]
fn c15_after_a_restart_nothing_is_kept_twice_and_replicas_add_to_the_same_index() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = on_disk(folder.path());
    let talk = conversation(&house, ANTHROPIC, 3);
    house.restart();
    let _ = talk.heard(&house);
    let replica = on_disk(folder.path());
    // The third is new to the replica, and then to this one, which has read the index before.
    let talk = talk.with_output(&house, &output(3));
    let _ = talk.heard(&replica);
    let talk = talk.with_output(&house, &output(4));
    let _ = talk.heard(&house);
    for house in [&house, &replica] {
        let list = asked(house, &cleared(talk.clone(), 5), json!({}));
        assert_eq!(list.matches("shadow_").count(), 5, "{list}");
    }
}

#[test]
fn c15_l10_what_is_kept_has_no_secrets_whatever_the_settings_say() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let house = House::with(|settings| {
        keeps_all(settings);
        settings.tool_output.redact_secrets = false;
    });
    let text = format!("token={secret}\n{}", output(0));
    let talk = Conversation::new(ANTHROPIC).with_output(&house, &text);
    let _ = talk.heard(&house);
    assert!(house.forwarded().contains(&secret), "it is the client's own");
    let mut talk = talk;
    talk.body =
        serde_json::from_str(&talk.body.to_string().replace(&escaped(&text), CLEARED)).unwrap();
    let answer = asked(&house, &talk, json!({ "id": talk.calls()[0] }));
    assert!(answer.contains("the answer of turn 0") && !answer.contains(&secret), "{answer}");
}

#[test]
fn c15_one_conversation_finds_nothing_of_another_or_of_another_tenant() {
    let key = |name: &str| GatewayKey {
        name: name.to_owned(),
        key: Secret::new(format!("key-of-{name}-0123456789")),
    };
    let house = House::with(|settings| {
        keeps_all(settings);
        settings.keys = vec![key("one"), key("two")];
    });
    let session = ("x-claude-code-session-id", "the same");
    let (one, two) =
        (("x-forge-key", "key-of-one-0123456789"), ("x-forge-key", "key-of-two-0123456789"));
    let mut talk = Conversation::new(ANTHROPIC);
    house.mock.reply(Reply::new().call("Bash", json!({ "command": "ls" })));
    let response = send(&house, &talk, &[session, one]);
    talk.goes_on(&response, &[&output(0)]);
    assert_eq!(send(&house, &talk, &[session, one]).status, 200);
    let talk = cleared(talk, 1);
    let call = talk.calls()[0].clone();
    let of_two = asked_with(&house, &talk, json!({ "id": call }), &[session, two]);
    assert!(of_two.contains("No original is kept under"), "{of_two}");
    let of_other = [("x-claude-code-session-id", "another"), one];
    let of_other = asked_with(&house, &talk, json!({ "grep": "answer" }), &of_other);
    assert!(!of_other.contains("is 1000"), "{of_other}");
    let own = asked_with(&house, &talk, json!({ "id": call }), &[session, one]);
    assert!(own.contains("the answer of turn 0"), "{own}");
}

#[test]
fn c15_without_a_session_or_ids_of_calls_nothing_is_kept() {
    let house = House::with(keeps_all);
    let talk = cleared(conversation(&house, GEMINI_WITHOUT_IDS, 2), 2);
    let answer = asked(&house, &talk, json!({ "grep": "answer" }));
    assert!(!answer.contains("is 1000"), "{answer}");
}

#[test]
fn c15_by_default_nothing_is_kept_and_the_definition_of_the_tool_is_as_it_was() {
    for voice in WITH_IDS {
        let house = House::new();
        let talk = conversation(&house, voice, 2);
        assert!(!house.forwarded().contains("cleared tool result"));
        let talk = cleared(talk, 2);
        let answer = asked(&house, &talk, json!({ "id": talk.calls()[0] }));
        assert!(answer.contains("No original is kept under"), "{voice:?}: {answer}");
        let keeping = House::with(keeps_all);
        let _ = conversation(&keeping, voice, 1);
        assert!(
            keeping.forwarded().contains("or of a cleared tool result by its call id"),
            "{voice:?}"
        );
    }
}
