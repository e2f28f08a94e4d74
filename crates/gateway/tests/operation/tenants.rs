//! Who may use the gateway, and that no tenant gets the originals of another.

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
fn g40_no_tenant_gets_an_original_of_another() {
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
fn with_keys_set_a_client_without_one_is_refused() {
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

/// Every place of a request in which a credential can stand, with the key of `a` or of `b` in it.
const PLACES: &[(&str, &str)] = &[
    ("authorization", "Bearer key-of-a"),
    ("authorization", "bearer   key-of-a"),
    ("authorization", "key-of-a"),
    ("authorization", "Basic a2V5LW9mLWE6"), // key-of-a:
    ("authorization", "Basic dXNlcjprZXktb2YtYQ=="), // user:key-of-a
    ("x-api-key", "key-of-a"),
    ("api-key", "key-of-a"),
    ("x-goog-api-key", "key-of-a"),
    ("x-auth-token", "key-of-a"),
    ("cookie", "session=1; forge=key-of-a"),
    // Nor is another tenant's.
    ("authorization", "Bearer key-of-b"),
];

#[test]
fn d69_a_gateway_key_does_not_go_upstream_wherever_it_stands() {
    let world = world_with(keys);
    for (name, value) in PLACES {
        world.mock.clear();
        let ask = from("x-forge-key", "key-of-a", &conversation("short"));
        let ask = ask.header(name, value).header("x-provider", "kept");
        assert_eq!(world.send(ask).status, 200, "{name}: {value}");
        let sent = world.mock.last();
        assert!(!sent.headers.contains_key(*name), "{name}: {value}");
        assert_eq!(sent.header("x-provider"), "kept");
    }
}

#[test]
fn d69_a_key_beside_the_providers_own_is_taken_out_alone() {
    let world = world_with(keys);
    let ask = from("authorization", "Bearer sk-provider", &conversation("short"));
    let ask = ask.header("authorization", "Bearer key-of-a").header("x-api-key", "key-of-a");
    assert_eq!(world.send(ask).status, 200);
    let sent = world.mock.last();
    let shown: Vec<_> = sent.headers.get_all("authorization").iter().collect();
    assert_eq!(shown, ["Bearer sk-provider"]);
    assert!(!sent.headers.contains_key("x-api-key"));
}

#[test]
fn d69_a_key_in_the_query_does_not_go_upstream() {
    let world = world_with(keys);
    for (query, left) in [
        ("?alt=sse&key=key-of-a&x=%20y", "?alt=sse&x=%20y"),
        ("?key=key%2Dof%2Da", ""),
        ("?api_key=key-of-b&alt=sse", "?alt=sse"),
        ("?key=sk-provider", "?key=sk-provider"),
    ] {
        let ask = Ask::new("GET", &format!("/v1/models{query}"));
        assert_ne!(world.send(ask.header("x-forge-key", "key-of-a")).status, 401);
        assert_eq!(world.mock.last().path_and_query, format!("/v1/models{left}"));
    }
}
