//! What the ledger says over the API: history, sessions and their turns, and what was fetched back.

use crate::kit::{Ask, World, conversation, messages, rows, streaming, test_run, world_with};
use serde_json::{Value, json};
use std::path::Path;
use tokenforge_ledger::{EntrySource, Ledger, LedgerEntry, ResultOutcome};
use tokenforge_mock::Reply;

fn keeping(folder: &Path) -> World {
    world_with(|settings| settings.ledger.path = Some(folder.to_owned()))
}

fn get(world: &World, path: &str) -> Value {
    let answer = world.get(&format!("/_forge/api/{path}"));
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

/// A request of a session that the client names.
fn of_session(name: &str, ask: Ask) -> Ask {
    ask.header("x-claude-code-session-id", name).header("user-agent", "claude-cli/2.1.0")
}

#[test]
fn a_gateway_that_just_started_shows_what_was_written_down_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut entry = LedgerEntry::new(EntrySource::Gateway, 1_763_235_512);
    entry.session = Some("00000000000000aa".into());
    entry.add(ResultOutcome::fresh("Bash", ["clean"], 1000, 400));
    Ledger::open(folder.path()).unwrap().append(&entry).unwrap();
    let world = keeping(folder.path());
    let past = get(&world, "history?edges=1763164800,1763251200,1763337600");
    assert_eq!(past["gain"]["tokens"]["net"], 600);
    assert_eq!(past["series"][0]["tokens"]["net"], 600);
    assert_eq!(
        (&past["series"][1]["requests"], &past["series"][1]["cost"]),
        (&json!(0), &Value::Null)
    );
    assert_eq!(get(&world, "sessions")["sessions"][0]["id"], "00000000000000aa");
    assert_eq!(get(&world, "sessions/00000000000000aa")["turns"][0]["results"][0]["before"], 1000);
}

#[test]
fn history_says_what_gain_says_by_everything_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.send(of_session("one", messages(&conversation(&rows()))));
    world.send(Ask::post("/p/shop/v1/messages", conversation(&test_run()).to_string()));
    let past = get(&world, "history?days=2");
    for by in ["tool", "project", "model", "client", "stage", "reason"] {
        let mut gain = get(&world, &format!("gain?days=2&by={by}"));
        assert_eq!(past["rows"][by]["rows"], gain["rows"].take(), "{by}");
        assert_eq!(past["gain"]["cost"], gain["cost"]);
        assert_eq!(past["gain"]["shares"], gain["shares"]);
    }
    let shop = get(&world, "gain?days=2&project=shop");
    assert_eq!(get(&world, "history?days=2&project=shop")["gain"]["cost"], shop["cost"]);
    assert_eq!(shop["requests"], 1);
    assert_eq!(get(&world, "gain?text=CARGO")["results"], 2, "what a shell ran is known by name");
    assert_eq!(get(&world, "gain?text=kubectl")["results"], 0);
    assert_eq!(get(&world, "gain?until=1000")["requests"], 0);
}

#[test]
fn a_session_is_there_turn_by_turn_with_what_was_untouched_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.send(of_session("one", messages(&conversation(&rows()))));
    world.send(of_session("one", messages(&conversation(&rows()))));
    world.send(of_session("one", messages(&conversation("short"))));
    world.send(of_session("two", messages(&conversation(&test_run()))));
    let sessions = get(&world, "sessions?days=1");
    let of = |requests: u64| {
        let all = sessions["sessions"].as_array().unwrap();
        all.iter().find(|session| session["requests"] == requests).unwrap().clone()
    };
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 2);
    let (one, two) = (of(3), of(1));
    assert_eq!(
        (&one["client"], &one["model"]),
        (&json!("claude-cli"), &json!("claude-sonnet-4-5"))
    );
    let turns = get(&world, &format!("sessions/{}", one["id"].as_str().unwrap()));
    let results = |turn: usize| turns["turns"][turn]["results"].as_array().unwrap().len();
    assert_eq!((results(0), results(1), results(2)), (1, 0, 1));
    assert_eq!(turns["turns"][1]["repeated"]["results"], 1);
    assert_eq!(turns["turns"][2]["results"][0]["reason"], "too_small");
    assert_eq!(turns["tokens"], one["tokens"]);
    assert!(
        turns["turns"][0]["cost"]["before"].as_f64() > turns["turns"][0]["cost"]["after"].as_f64()
    );
    // What the client calls it is its own business.
    assert!(!sessions.to_string().contains("\"one\"") && two["id"].as_str().unwrap().len() == 16);
    assert_eq!(world.get("/_forge/api/sessions/0123").status, 404);
}

#[test]
fn what_goes_on_from_a_stored_response_is_no_conversation_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    let ask = |input: Value, previous: &Value| {
        let body = json!({
            "model": "gpt-5", "previous_response_id": previous, "input": input,
            "tools": [{"type": "function", "name": "list", "parameters": {"type": "object"}}],
        });
        let ask = Ask::post("/v1/responses", body.to_string());
        let answer = world.send(ask.header("authorization", "Bearer sk-client"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["id"].clone()
    };
    let first = ask(json!("Go on."), &Value::Null);
    for output in [rows(), test_run()] {
        let call =
            json!({"type": "function_call", "call_id": "c", "name": "list", "arguments": "{}"});
        let result = json!({"type": "function_call_output", "call_id": "c", "output": output});
        ask(json!([call, result]), &first);
    }
    let sessions = get(&world, "sessions?days=1");
    let [session] = &sessions["sessions"].as_array().unwrap()[..] else { panic!("{sessions}") };
    assert_eq!((&session["requests"], &session["is_known"]), (&json!(3), &json!(false)));
}

#[test]
fn conversations_of_a_client_that_names_none_are_told_apart_by_how_they_begin() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    for output in [rows(), test_run(), rows()] {
        world.send(messages(&conversation(&output)));
    }
    let sessions = get(&world, "sessions?days=1");
    let all = sessions["sessions"].as_array().unwrap();
    let mut requests: Vec<u64> =
        all.iter().map(|each| each["requests"].as_u64().unwrap()).collect();
    requests.sort_unstable();
    assert_eq!(requests, [1, 2]);
    assert!(all.iter().all(|session| session["is_known"] == true));
}

#[test]
fn what_the_model_fetched_back_is_there_with_its_session_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.mock.reply(Reply::expand_first_reference());
    world.mock.reply("seen");
    world.send(of_session("one", messages(&streaming(&test_run()))));
    let fetches = get(&world, "fetches?days=1");
    let [call] = fetches["fetches"].as_array().unwrap().as_slice() else { panic!("{fetches}") };
    assert_eq!(
        (&call["tool"], &call["program"], &call["part"]),
        (&json!("Bash"), &json!("cargo"), &json!("whole"))
    );
    assert_eq!(call["tokens"], get(&world, "gain")["tokens"]["expanded"]);
    let turns = get(&world, &format!("sessions/{}", call["session"].as_str().unwrap()));
    assert_eq!(turns["turns"][0]["fetches"][0]["tokens"], call["tokens"]);
    assert!(!turns.to_string().contains("case_number"));
    assert_eq!(get(&world, "fetches?text=kubectl")["fetches"], json!([]));
}

#[test]
fn history_is_open_on_this_machine_and_closed_to_clients_behind_a_proxy() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    world.send(of_session("one", messages(&conversation(&rows()))));
    let id = get(&world, "sessions")["sessions"][0]["id"].as_str().unwrap().to_owned();
    for path in ["history", "sessions", "fetches", &format!("sessions/{id}")] {
        let ask = Ask::new("GET", &format!("/_forge/api/{path}"));
        assert_eq!(world.send(ask.clone()).status, 200, "{path}");
        let forwarded = world.send(ask.header("x-forwarded-for", "203.0.113.7"));
        assert!(matches!(forwarded.status, 401 | 403), "{path}: {}", forwarded.status);
        let post = Ask::new("POST", &format!("/_forge/api/{path}"));
        assert_eq!(world.operate(post).status, 404, "{path}");
    }
}

#[test]
fn what_cannot_be_asked_of_the_past_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let world = keeping(folder.path());
    let many = (1..=1002).map(|edge| edge.to_string()).collect::<Vec<_>>().join(",");
    for (path, said) in [
        ("history?edges=5", "edges: expected 2 to 1001 moments"),
        ("history?edges=5,4", "each after the one before"),
        ("history?edges=a,b", "whole number"),
        (&*format!("history?edges={many}"), "edges: expected 2 to 1001 moments"),
        ("history?by=tool", "expected any of edges, days"),
        ("sessions?limit=0", "whole number"),
        ("fetches?edges=1,2", "expected any of limit, days"),
    ] {
        let answer = world.get(&format!("/_forge/api/{path}"));
        assert_eq!(answer.status, 400, "{path}");
        assert!(answer.text().contains(said), "{path}: {}", answer.text());
    }
    let without = crate::kit::world();
    for path in ["history", "sessions", "sessions/0123", "fetches"] {
        let answer = without.get(&format!("/_forge/api/{path}"));
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text().contains("there is no ledger"), "{}", answer.text());
    }
}
