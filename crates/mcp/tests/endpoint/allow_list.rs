//! What a client that may not call all tools can say beside calls of tools.

use crate::kit::*;
use serde_json::json;
use tokenforge_config::McpClient;

/// A hub with one server, whose client `reader` may call these tools.
async fn world_for_reader(tools: &[&str]) -> World {
    world_with(&[("up", program())], |mcp| {
        let tools = tools.iter().map(ToString::to_string).collect();
        let only = McpClient { tools: Some(tools), ..McpClient::default() };
        mcp.clients.insert("reader".to_owned(), only);
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn m23_a_tool_is_called_by_no_notification() {
    let world = world_for_reader(&["echo", "extra"]).await;
    let can_be_asked = json!({"elicitation": {}});
    for (name, grows) in [("reader", false), ("other", true)] {
        let client = world.client_named("/mcp/up", name, can_be_asked.clone()).await;
        assert!(!names(&client.tools().await).contains(&"extra"));
        client.tell("tools/call", json!({"name": "grow"})).await;
        assert_eq!(names(&client.tools().await).contains(&"extra"), grows, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m23_a_tool_is_named_once_in_whatever_letters() {
    let world = world_for_reader(&["echo"]).await;
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let reader = world.client_named(path, "reader", json!({})).await;
        let (own, hidden) = (format!("{prefix}echo"), format!("{prefix}rows"));
        let both = json!({"name": own, "Name": hidden, "arguments": {}});
        assert_eq!(reader.ask("tools/call", both).await.error_code(), -32602, "{path}");
        let mut call = request(1, "ping", json!({"name": hidden}));
        call["Method"] = "tools/call".into();
        assert_eq!(reader.send(&call).await.error_code(), -32600, "{path}");
    }
}
