//! What an operator does while clients are there.

use crate::kit::*;
use serde_json::json;
use tokenforge_config::McpBackend;

fn backend() -> McpBackend {
    McpBackend::from_json("p", &program()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn m14_servers_are_added_changed_disabled_and_removed_while_clients_are_there() {
    let world = world(&[]).await;
    let client = world.client("/mcp").await;
    let mut stream = client.listen().await;
    assert_eq!(names(&client.tools().await), ["expand_context"]);
    world.hub.put("p", Some(backend())).unwrap();
    assert_eq!(stream.next().await.unwrap()["method"], "notifications/tools/list_changed");
    assert!(names(&client.tools().await).contains(&"p__rows"));
    let disabled = backend().patched("p", &json!({"enabled": false})).unwrap();
    world.hub.put("p", Some(disabled)).unwrap();
    assert_eq!(names(&client.tools().await), ["expand_context"]);
    assert_eq!(client.call("p__rows", json!({})).await.error_code(), -32602);
    world.hub.put("p", Some(backend())).unwrap();
    assert!(client.call("p__echo", json!({})).await.text().contains("echo"));
    world.hub.put("p", None).unwrap();
    assert!(world.hub.show("p").is_none());
    assert_eq!(names(&client.tools().await), ["expand_context"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn m15_tools_are_shown_with_their_schemas_and_figures() {
    let world = world(&[("p", program())]).await;
    let client = world.client("/mcp").await;
    client.call("p__rows", json!({})).await;
    client.call("p__fail", json!({})).await;
    let tools = world.hub.tools("p").await.unwrap().unwrap();
    assert_eq!(names(&tools), ["rows", "echo", "structured"]);
    assert_eq!(tools[0]["inputSchema"]["type"], "object");
    assert_eq!(tools[0]["figures"]["calls"], 1);
    assert!(world.hub.tools("unknown").await.is_none());
    let figures = world.hub.stats().document();
    let failed =
        figures["tools"].as_array().unwrap().iter().find(|tool| tool["tool"] == "fail").unwrap();
    assert_eq!((&failed["calls"], &failed["errors"]), (&json!(1), &json!(1)));
    assert!(world.hub.refresh("p").await.unwrap().is_ok());
}
