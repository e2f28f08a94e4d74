//! What the operator sees and changes, and who else may not.

use crate::kit::{Ask, Open, conversation, forwarded, messages, rows, test_run, world, world_with};
use serde_json::{Value, json};
use tokenforge_config::Secret;
use tokenforge_mock::Reply;

fn patch(change: &Value) -> Ask {
    Ask::new("PATCH", "/_forge/api/config").body(change.to_string())
}

#[test]
fn g43_a_bad_change_is_a_400_and_changes_nothing() {
    let world = world();
    let before = world.get("/_forge/api/config").json();
    for change in [
        json!({"pipes": {"tool_output": {"mode": "max"}}}),
        json!({"pipes": {"tool_output": {"mode": "safe", "target_ratio": 7}}}),
        json!({"pipes": {"tool_output": {"min_bytes": -1}}}),
        json!({"pipes": {"tool_output": {"unheard": 1}}}),
        json!({"listen": "0.0.0.0:1"}),
        json!({"keys": []}),
        json!({"admin_token": "x"}),
        json!({"upstreams": {"backend": "http://evil.example"}}),
        json!([]),
        json!("safe"),
    ] {
        let answer = world.operate(patch(&change));
        assert_eq!(answer.status, 400, "{change}");
        assert!(answer.json()["error"]["message"].as_str().unwrap().len() > 20, "{change}");
        assert_eq!(world.get("/_forge/api/config").json(), before, "{change}");
    }
    let broken = Ask::new("PATCH", "/_forge/api/config").body("{");
    assert_eq!(world.operate(broken).status, 400);
    assert_eq!(world.send(messages(&conversation("short"))).status, 200);
}

#[test]
fn a_good_change_counts_from_the_next_request_on() {
    let world = world();
    let change = json!({"pipes": {"tool_output": {"enabled": false}}});
    let changed = world.operate(patch(&change));
    assert_eq!(changed.status, 200);
    assert_eq!(changed.json()["pipes"]["tool_output"]["enabled"], false);
    let body = conversation(&rows()).to_string();
    world.post("/v1/messages", &body);
    assert_eq!(world.mock.last().body, body.as_bytes());
    world.operate(patch(&json!({"pipes": {"tool_output": {"enabled": null}}})));
    world.post("/v1/messages", &body);
    assert_ne!(world.mock.last().body, body.as_bytes());
}

#[test]
fn with_a_token_set_only_a_client_that_shows_it_is_the_operator() {
    let world = world_with(|settings| settings.admin_token = Some(Secret::new("the-token")));
    for path in ["metrics", "api/stats", "api/events", "api/config"] {
        let ask = Ask::new("GET", &format!("/_forge/{path}"));
        assert_eq!(world.send(ask.clone()).status, 401, "{path}");
        let wrong = ask.clone().header("authorization", "Bearer the-toke");
        assert_eq!(world.send(wrong).status, 401, "{path}");
        if path != "api/events" {
            let right = ask.header("authorization", "Bearer the-token");
            assert_eq!(world.send(right).status, 200, "{path}");
        }
    }
    assert_eq!(world.send(patch(&json!({"redact_secrets": true}))).status, 401);
    assert_eq!(world.get("/_forge/healthz").status, 200);
    // Not warm yet, perhaps; but not shut either.
    assert_ne!(world.get("/_forge/readyz").status, 401);
}

#[test]
fn without_a_token_no_page_of_a_website_is_the_operator() {
    let world = world();
    let stats = || Ask::new("GET", "/_forge/api/stats");
    for (name, value) in [
        ("host", "evil.example"),
        ("host", "localhost.evil.example:8787"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost.evil.example"),
    ] {
        assert_eq!(world.send(stats().header(name, value)).status, 403, "{name}: {value}");
        let change = patch(&json!({"redact_secrets": true})).header(name, value);
        assert_eq!(world.send(change).status, 403, "{name}: {value}");
    }
    let address = world.address.to_string();
    let own = stats().header("host", &address).header("origin", &format!("http://{address}"));
    assert_eq!(world.send(own).status, 200);
    assert_eq!(world.get("/_forge/api/config").json()["redact_secrets"], false);
}

#[test]
fn what_is_not_there_is_said() {
    let world = world();
    assert_eq!(world.operate(Ask::new("GET", "/_forge/api/unheard")).status, 404);
    assert_eq!(world.operate(Ask::post("/_forge/api/config", "{}")).status, 404);
    assert!(world.mock.requests().is_empty());
}

#[test]
fn c13_the_figures_tell_what_was_saved_and_what_was_asked_for_again() {
    let world = world();
    world.mock.reply(Reply::expand_first_reference());
    world.mock.reply("seen");
    world.send(messages(&conversation(&test_run())));
    world.send(messages(&conversation(&test_run())));
    let stats = world.get("/_forge/api/stats").json();
    let counter = |name: &str| stats["counters"][name].as_u64().unwrap();
    assert_eq!(counter("requests"), 2);
    assert_eq!((counter("cache_misses"), counter("cache_hits")), (1, 1));
    assert_eq!(counter("compressed"), 2);
    assert_eq!(counter("expansions"), 1);
    assert!(counter("expansion_tokens") > 1000);
    assert!(counter("bytes_before") > 3 * counter("bytes_after"));
    let tokens = &stats["tokens"];
    let figure = |name: &str| tokens[name].as_i64().unwrap();
    assert!(figure("saved_fresh") > 1000);
    assert_eq!(figure("saved_repeated"), figure("saved_fresh"));
    assert_eq!(
        figure("saved_net"),
        figure("saved_fresh") + figure("saved_repeated") - figure("expanded")
    );
    let metrics = world.get("/_forge/metrics").text();
    for (name, value) in stats["counters"].as_object().unwrap() {
        assert!(metrics.contains(&format!("\ntokenforge_{name}_total {value}\n")), "{name}");
    }
}

#[test]
fn events_are_told_as_they_happen() {
    let world = world();
    let mut watching = Open::to(world.address);
    watching.write(&Ask::new("GET", "/_forge/api/events").bytes());
    watching.until("\r\n\r\n");
    world.send(messages(&conversation(&rows())));
    let heard = watching.until("after_tokens");
    assert!(heard.contains("text/event-stream"), "{heard}");
    assert!(!heard.contains("row 59"), "{heard}");
    watching.leave();
}

#[test]
fn the_answer_tells_how_many_tokens_there_were_and_are() {
    let world = world();
    let answer = world.send(messages(&conversation(&rows())));
    let tokens = |name: &str| answer.header(name).parse::<usize>().unwrap();
    assert!(tokens("x-forge-tokens-after") < tokens("x-forge-tokens-before"));
    let nothing = world.send(Ask::new("GET", "/v1/models"));
    assert_eq!(nothing.header("x-forge-tokens-before"), "");
}

#[test]
fn p12_the_tokens_are_those_of_a_real_tokenizer() {
    let world = world();
    world.send(messages(&conversation(&rows())));
    let stats = world.get("/_forge/api/stats").json();
    let counter = tokenforge_tokens::Counter::from(
        tokenforge_tokens::for_model("claude-sonnet-4-5").vocabulary,
    );
    let saved = counter.count(&rows()) - counter.count(&forwarded(&world.mock));
    assert_eq!(stats["tokens"]["saved_fresh"], saved);
}

#[test]
fn an_original_is_given_whole_or_in_parts() {
    let world = world();
    world.send(messages(&conversation(&test_run())));
    let id = tokenforge_mock::first_reference(&world.mock.last().body).unwrap().to_owned();
    let expand = |query: &str| {
        let path = format!("/_forge/api/expand?id={id}{query}");
        world.send(Ask::new("GET", &path).header("x-api-key", "sk-client"))
    };
    assert_eq!(expand("").text(), test_run());
    let second = test_run().lines().nth(4).unwrap().to_owned();
    assert!(expand("&lines=5-5").text().contains(&second));
    assert!(expand("&grep=broken").text().contains("suite::broken"));
    assert!(!expand("&grep=broken").text().contains("case_number_317"));
    assert_eq!(expand("&lines=x").status, 404);
    assert_eq!(expand("&unheard=1").status, 400);
    let marked = format!("/_forge/api/expand?id=%3C%3C%3CSHADOW:{id}%3E%3E%3E");
    assert_eq!(world.send(Ask::new("GET", &marked).header("x-api-key", "sk-client")).status, 200);
}
