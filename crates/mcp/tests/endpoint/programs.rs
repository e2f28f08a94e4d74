//! Servers that are programs.

use crate::kit::*;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn m17_a_program_is_started_when_it_is_needed_and_answers() {
    let world = world(&[("p", program())]).await;
    assert_eq!(world.hub.list()[0]["conversations"], 0);
    let client = world.client("/mcp").await;
    assert!(client.call("p__echo", json!({"x": "é"})).await.text().contains("é"));
    assert_eq!(world.hub.list()[0]["conversations"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_gets_its_own_variables_and_none_of_ours() {
    let mut definition = program();
    definition["env"] = json!({"FAKE_TOKEN": "its own"});
    let world = world(&[("p", definition)]).await;
    let client = world.client("/mcp/p").await;
    let variable =
        async |name: &str| client.call("variable", json!({ "name": name })).await.text().to_owned();
    assert_eq!(variable("FAKE_TOKEN").await, "Some(\"its own\")");
    assert_ne!(variable("PATH").await, "None");
    // Cargo sets this for us.
    assert_eq!(variable("CARGO_MANIFEST_DIR").await, "None");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_in_mid_call_is_said_to_and_started_again() {
    let world = world(&[("p", program()), ("q", program())]).await;
    let client = world.client("/mcp").await;
    let first = client.call("p__process", json!({})).await.text().to_owned();
    let other = client.call("q__process", json!({})).await.text().to_owned();
    let failed = client.call("p__exit", json!({})).await;
    assert!(failed.answer()["error"]["message"].as_str().unwrap().contains("ended"), "{failed:?}");
    let second = client.call("p__process", json!({})).await;
    assert_ne!(second.text(), first);
    assert_eq!(client.call("q__process", json!({})).await.text(), other);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_cannot_be_started_rests() {
    let world = world(&[("p", json!({"command": "/nowhere/at-all"}))]).await;
    let client = world.client("/mcp").await;
    let said =
        async || client.call("p__x", json!({})).await.answer()["error"]["message"].to_string();
    assert!(said().await.contains("cannot be started"));
    let mut last = String::new();
    for _ in 0..3 {
        last = said().await;
    }
    assert!(last.contains("asked again in"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_can_be_asked_have_programs_of_their_own_and_others_share_one() {
    let world = world(&[("p", program())]).await;
    let process =
        async |client: &Client<'_>| client.call("p__process", json!({})).await.text().to_owned();
    let (one, two) = (world.client("/mcp").await, world.client("/mcp").await);
    assert_eq!(process(&one).await, process(&two).await);
    let own = world.client_named("/mcp", "test", json!({"roots": {}})).await;
    assert_ne!(process(&one).await, process(&own).await);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_stopped_with_the_hub_even_if_it_will_not_hear() {
    let mut definition = program();
    definition["args"] = json!(["--linger"]);
    let world = world(&[("p", definition)]).await;
    let client = world.client("/mcp").await;
    let id: u32 = client.call("p__process", json!({})).await.text().parse().unwrap();
    let runs = || std::path::Path::new(&format!("/proc/{id}")).exists();
    assert!(runs());
    world.hub.stop().await;
    assert!(!runs());
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_of_clients_that_left_without_a_word_make_room() {
    let world = world(&[("p", program())]).await;
    for _ in 0..20 {
        let client = world.client_named("/mcp", "test", json!({"roots": {}})).await;
        assert_eq!(client.call("p__fail", json!({})).await.text(), "it failed");
    }
    assert_eq!(world.hub.list()[0]["conversations"], 16);
}
