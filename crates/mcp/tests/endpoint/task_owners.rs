//! Tenants: a task exists for the tenant whose call created it, and for no other.

use crate::kit::*;
use crate::modern::{ask, message};
use crate::remote::{Manner, Remote};
use serde_json::{Value, json};
use std::sync::Arc;

const VERSION: &str = "2025-11-25";

async fn client<'w>(world: &'w World, tenant: &'static str, path: &'static str) -> Client<'w> {
    world.client_of_tenant(tenant, VERSION, path, "test", json!({})).await
}

/// A client with which servers have a conversation of its own, since they may ask it something.
async fn talkative<'w>(world: &'w World, tenant: &'static str, path: &'static str) -> Client<'w> {
    world.client_of_tenant(tenant, VERSION, path, "test", json!({"elicitation": {}})).await
}

async fn begin(client: &Client<'_>, tool: String) -> String {
    let reply = client.ask("tools/call", json!({"name": tool, "task": {}})).await;
    reply.result()["task"]["taskId"].as_str().unwrap_or_else(|| panic!("{reply:?}")).to_owned()
}

async fn listed(client: &Client<'_>) -> Vec<String> {
    let list = client.ask("tasks/list", json!({})).await;
    let tasks = list.result()["tasks"].as_array().unwrap();
    tasks.iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
}

async fn state(client: &Client<'_>, id: &str) -> Value {
    client.ask("tasks/get", json!({"taskId": id})).await.result()["status"].clone()
}

/// Checks that a client cannot reach a task in any way in which clients with sessions speak of tasks.
async fn reaches_nothing(client: &Client<'_>, id: &str, path: &str) {
    for method in ["tasks/get", "tasks/result", "tasks/update", "tasks/cancel"] {
        let reply = client.ask(method, json!({"taskId": id})).await;
        assert_eq!(reply.error_code(), -32602, "{path} {method}");
    }
    // Another version may have more methods, and a server may do what it is asked without an id.
    let unknown = client.ask("tasks/delete", json!({"taskId": id})).await;
    assert!([-32602, -32601].contains(&unknown.error_code()), "{path} {unknown:?}");
    client.tell("tasks/cancel", json!({"taskId": id})).await;
    let listed = listed(client).await;
    assert!(!listed.iter().any(|listed| listed == id), "{path} {listed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m25_another_tenant_sees_no_task() {
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let remote = Remote::start(Manner::Legacy).await;
        let servers = [("up", json!({"url": remote.url()}))];
        let world = world_of_tenants(&servers, Arc::default()).await;
        let (alice, bob) = (client(&world, "alice", path).await, client(&world, "bob", path).await);
        let own = begin(&alice, format!("{prefix}rows")).await;
        reaches_nothing(&bob, &own, path).await;
        reaches_nothing(&talkative(&world, "bob", path).await, &own, path).await;
        let theirs = begin(&bob, format!("{prefix}echo")).await;
        assert_eq!(listed(&alice).await, std::slice::from_ref(&own), "{path}");
        assert_eq!(listed(&bob).await, [theirs], "{path}");
        assert_eq!(state(&alice, &own).await, "working", "{path}: no other tenant cancelled it");
        let result = alice.ask("tasks/result", json!({"taskId": own})).await;
        assert!(result.text().contains("row 19"), "{path}");
        let cancelled = alice.ask("tasks/cancel", json!({"taskId": own})).await;
        assert_eq!(cancelled.result()["status"], "cancelled", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m25_tasks_keep_their_tenant_after_a_restart_and_on_another_replica() {
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let remote = Remote::start(Manner::Legacy).await;
        let servers = [("up", json!({"url": remote.url()}))];
        let kept = Arc::new(Kept::default());
        let first = world_of_tenants(&servers, kept.clone()).await;
        let replica = world_of_tenants(&servers, kept.clone()).await;
        let alice = client(&first, "alice", path).await;
        // Arguments that are too long to keep change nothing about whose task it is.
        let long = json!({"text": "x".repeat(100 << 10)});
        let call = json!({"name": format!("{prefix}rows"), "arguments": long, "task": {}});
        let long = alice.ask("tools/call", call).await.result()["task"]["taskId"].clone();
        let own = [begin(&alice, format!("{prefix}rows")).await, long.as_str().unwrap().to_owned()];
        // Asked at once: the store had the call before the client had the id.
        let same = client(&replica, "alice", path).await;
        assert_eq!(listed(&same).await.len(), 2, "{path}");
        for id in &own {
            reaches_nothing(&client(&replica, "bob", path).await, id, path).await;
        }
        first.hub.stop().await;
        let second = world_of_tenants(&servers, kept).await;
        let bob = talkative(&second, "bob", path).await;
        let alice = client(&second, "alice", path).await;
        for id in &own {
            reaches_nothing(&bob, id, path).await;
            let result = alice.ask("tasks/result", json!({"taskId": id})).await;
            assert!(result.text().contains("row 19"), "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m25_a_task_of_unknown_owner_is_not_there_for_any_tenant() {
    let remote = Remote::start(Manner::Legacy).await;
    let servers = [("up", json!({"url": remote.url()}))];
    let elsewhere = world(&servers).await;
    let id = begin(&elsewhere.client("/mcp").await, "up__rows".to_owned()).await;
    let tenants = world_of_tenants(&servers, Arc::default()).await;
    for tenant in ["alice", "bob", "t"] {
        reaches_nothing(&client(&tenants, tenant, "/mcp").await, &id, "/mcp").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m25_the_state_of_a_task_reaches_no_other_tenant() {
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let remote = Remote::start(Manner::Legacy).await;
        let servers = [("up", json!({"url": remote.url()}))];
        let world = world_of_tenants(&servers, Arc::default()).await;
        // The server tells all its clients about every task.
        let alice = talkative(&world, "alice", path).await;
        let bob = talkative(&world, "bob", path).await;
        let (mut hers, mut his) = (alice.listen().await, bob.listen().await);
        bob.ask("resources/list", json!({})).await;
        let id = begin(&alice, format!("{prefix}rows")).await;
        while remote.listeners() < 2 {
            tokio::task::yield_now().await;
        }
        state(&alice, &id).await;
        let told = loop {
            let told = hers.next().await.unwrap();
            if told["method"] == "notifications/tasks/status" {
                break told;
            }
        };
        assert_eq!(told["params"]["taskId"], *id, "{path}");
        bob.call(&format!("{prefix}grow"), json!({})).await;
        loop {
            let heard = his.next().await.unwrap();
            assert_ne!(heard["method"], "notifications/tasks/status", "{path}");
            if heard["method"] == "notifications/tools/list_changed" {
                break;
            }
        }
    }
}

/// A message of a client without a session that knows tasks.
fn knowing(method: &str, params: Value) -> Value {
    let mut message = message(method, params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    message
}

#[tokio::test(flavor = "multi_thread")]
async fn m25_without_a_session_another_tenant_sees_no_task_either() {
    let remote = Remote::start(Manner::Modern).await;
    let servers = [("up", json!({"url": remote.url()}))];
    let kept = Arc::new(Kept::default());
    let first = world_of_tenants(&servers, kept.clone()).await;
    let second = world_of_tenants(&servers, kept).await;
    let (alice, bob) = ([("x-tenant", "alice")], [("x-tenant", "bob")]);
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let call = knowing("tools/call", json!({"name": format!("{prefix}rows"), "arguments": {}}));
        let begun = ask(&first, path, &alice, &call).await;
        let id = begun.result()["taskId"].as_str().unwrap().to_owned();
        for world in [&first, &second] {
            for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
                let about = knowing(method, json!({"taskId": id, "inputResponses": {}}));
                let reply = ask(world, path, &bob, &about).await;
                assert_eq!(reply.error_code(), -32602, "{path} {method}");
            }
            let list = ask(world, path, &bob, &knowing("tasks/list", json!({}))).await;
            assert!(!list.answer().to_string().contains("task-"), "{path} {list:?}");
            let wanted = json!({"notifications": {"taskIds": [id], "toolsListChanged": true}});
            let listen = knowing("subscriptions/listen", wanted);
            let headers = [
                ("x-tenant", "bob"),
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", "subscriptions/listen"),
            ];
            let mut told =
                world.open(http::Method::POST, path, &headers, &listen.to_string()).await;
            let first = told.next().await.unwrap();
            assert!(!first.to_string().contains("task-"), "{path} {first}");
        }
        for world in [&first, &second] {
            let get = knowing("tasks/get", json!({"taskId": id}));
            let state = ask(world, path, &alice, &get).await;
            assert_ne!(state.result()["status"], "cancelled", "{path}");
        }
    }
}
