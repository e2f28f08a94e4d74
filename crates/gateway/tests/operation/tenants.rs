//! Who may use the gateway, and that nobody gets what is another's.

use crate::kit::{Ask, World, conversation, messages, test_run, world, world_with};
use serde_json::{Value, json};
use tokenforge_config::{GatewayKey, Secret};
use tokenforge_mock::{Reply, first_reference};

fn keys(world: &mut tokenforge_config::Settings) {
    let key = |name: &str, key: &str| GatewayKey { name: name.into(), key: Secret::new(key) };
    world.keys = vec![key("a", "key-of-a"), key("b", "key-of-b")];
}

/// Has `ask` put something aside; its id.
fn put_aside(world: &World, ask: Ask) -> String {
    assert_eq!(world.send(ask).status, 200);
    first_reference(&world.mock.last().body).expect("something was left out").to_owned()
}

fn from(header: &str, value: &str, body: &Value) -> Ask {
    Ask::post("/v1/messages", body.to_string()).header(header, value)
}

#[test]
fn g40_nobody_gets_what_was_put_aside_for_another() {
    let shared = world();
    let keyed = world_with(keys);
    for (world, header, a, b) in [
        (&shared, "x-api-key", "sk-a", "sk-b"),
        (&shared, "authorization", "Bearer a", "Bearer b"),
        (&keyed, "x-forge-key", "key-of-a", "key-of-b"),
    ] {
        let id = put_aside(world, from(header, a, &conversation(&test_run())));
        let expand = Ask::new("GET", &format!("/_forge/api/expand?id={id}"));
        let retrieve = Ask::new("GET", &format!("/v1/retrieve/{id}"));
        assert_eq!(world.send(expand.clone().header(header, a)).text(), test_run());
        assert_eq!(world.send(retrieve.clone().header(header, a)).status, 200);
        assert_eq!(world.send(expand.header(header, b)).status, 404, "{header}");
        assert_eq!(world.send(retrieve.header(header, b)).status, 404, "{header}");
        // And not through the tool.
        world.mock.clear();
        world.mock.reply(Reply::calling("expand_context", json!({"id": id})));
        world.mock.reply("as you say");
        world.send(from(header, b, &conversation("short")));
        let told = world.mock.last();
        assert!(!String::from_utf8_lossy(&told.body).contains("case_number_317"), "{header}");
        assert_eq!(told.json()["messages"][4]["content"][0]["is_error"], true, "{header}");
    }
}

#[test]
fn g40_a_key_in_the_query_tells_tenants_apart_too() {
    let world = world();
    let body = json!({
        "contents": [
            {"role": "user", "parts": [{"text": "Go on."}]},
            {"role": "model", "parts": [{"functionCall": {"name": "Bash", "args": {"command": "cargo test"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "Bash", "response": {"output": test_run()}}}]},
        ],
        "tools": [{"functionDeclarations": [{"name": "Bash", "description": "Runs."}]}],
    });
    let path = |key: &str| format!("/v1beta/models/gemini-2.5-pro:generateContent?key={key}");
    let id = put_aside(&world, Ask::post(&path("a"), body.to_string()));
    assert_eq!(world.get(&format!("/_forge/api/expand?id={id}&key=b")).status, 404);
    assert_eq!(world.get(&format!("/v1/retrieve/{id}?key=b")).status, 404);
    assert_eq!(world.get(&format!("/v1/retrieve/{id}")).status, 404);
    assert_eq!(world.get(&format!("/v1/retrieve/{id}?key=a")).status, 200);
}

#[test]
fn g41_two_clients_with_the_same_words_share_an_id_and_nothing_else() {
    let world = world();
    let body = conversation(&test_run());
    let id = put_aside(&world, from("x-api-key", "sk-a", &body));
    let expand = |key: &str| {
        let ask = Ask::new("GET", &format!("/_forge/api/expand?id={id}"));
        world.send(ask.header("x-api-key", key)).status
    };
    // A credential that is renewed changes no byte (decision 29); what was kept is still its owner's.
    assert_eq!((expand("sk-a"), expand("sk-b")), (200, 404));
    assert_eq!(put_aside(&world, from("x-api-key", "sk-b", &body)), id);
    assert_eq!((expand("sk-a"), expand("sk-b")), (200, 200));
}

#[test]
fn with_keys_nobody_without_one_gets_through() {
    let world = world_with(keys);
    let body = conversation("short");
    for ask in [
        messages(&body),
        messages(&body).header("x-forge-key", "key-of-c"),
        messages(&body).header("authorization", "Bearer key-of"),
        Ask::new("GET", "/v1/models"),
        Ask::post("/v1/compress", r#"{"messages":[]}"#),
        Ask::new("GET", "/v1/retrieve/shadow_a"),
        Ask::new("GET", "/_forge/api/expand?id=shadow_a"),
    ] {
        assert_eq!(world.send(ask).status, 401);
    }
    assert!(world.mock.requests().is_empty());
    let ask = messages(&body).header("x-forge-key", "key-of-a");
    assert_eq!(world.send(ask).status, 200);
    assert_eq!(world.mock.last().header("x-forge-key"), "");
    assert_eq!(world.mock.last().header("x-api-key"), "sk-client");
    // In the place of the provider's key it does not go on.
    assert_eq!(world.send(from("authorization", "Bearer key-of-b", &body)).status, 200);
    assert_eq!(world.mock.last().header("authorization"), "");
    assert_eq!(world.get("/_forge/healthz").status, 200);
}
