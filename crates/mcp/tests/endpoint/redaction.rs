//! Secret redaction of all that tool servers say to models: results of tools and tasks, resources, prompts.

use crate::behaviour::TOKEN;
use crate::kit::*;
use crate::modern::{ask, message};
use serde_json::{Value, json};

/// The answer has no secret but in its structured copy, which programs read.
#[track_caller]
fn assert_redacted(reply: &Reply, what: &str) {
    let mut result = reply.result().clone();
    for holder in ["", "/result"] {
        if let Some(Value::Object(members)) = result.pointer_mut(holder) {
            members.remove("structuredContent");
        }
    }
    let text = result.to_string();
    assert!(!text.contains(TOKEN) && text.contains("[REDACTED:github-token]"), "{what}: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn d21_results_of_tools_and_tasks_resources_and_prompts_have_no_secrets() {
    let world = world(&[("up", program())]).await;
    let client = world.client("/mcp").await;
    assert_redacted(&client.call("up__careless", json!({})).await, "a tool");
    assert_redacted(&client.ask("prompts/get", json!({"name": "up__secret"})).await, "a prompt");
    let uri = json!({"uri": "fake:///secret"});
    assert_redacted(&client.ask("resources/read", uri.clone()).await, "a resource");
    let client = world.client("/mcp/up").await;
    assert_redacted(&client.call("careless", json!({})).await, "a tool");
    assert_redacted(&client.ask("prompts/get", json!({"name": "secret"})).await, "a prompt");
    assert_redacted(&client.ask("resources/read", uri).await, "a resource");
    for method in ["tasks/get", "tasks/result"] {
        let reply = client.ask(method, json!({"taskId": "t"})).await;
        assert_redacted(&reply, method);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_what_a_client_knows_of_tasks_is_told_to_servers_but_for_what_its_era_has_not() {
    let world = world(&[("up", program())]).await;
    let can = json!({
        "tasks": {"list": {}}, "roots": {},
        "extensions": {"io.modelcontextprotocol/tasks": {}, "own": {"x": 1.5}},
    });
    for (path, tool) in [("/mcp", "up__told"), ("/mcp/up", "told")] {
        let client = world.client_named(path, "test", can.clone()).await;
        let told: Value = serde_json::from_str(client.call(tool, json!({})).await.text()).unwrap();
        let expected =
            json!({"tasks": {"list": {}}, "roots": {}, "extensions": {"own": {"x": 1.5}}});
        assert_eq!(told, expected, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn d21_what_cannot_be_checked_is_refused_where_that_was_promised() {
    for must_redact in [true, false] {
        let world = world_that(&[("up", program())], must_redact, |_| {}).await;
        for path in ["/mcp", "/mcp/up"] {
            let client = world.client(path).await;
            // Half a surrogate pair is nothing that this client reads itself.
            let uris = ["fake:///data", "fake:///half"];
            for uri in &uris[..if must_redact { 2 } else { 1 }] {
                let reply = client.ask("resources/read", json!({ "uri": uri })).await;
                if must_redact {
                    assert_eq!(reply.error_code(), -32603, "{path} {uri}");
                    let told = reply.answer()["error"]["message"].as_str().unwrap();
                    assert!(told.contains("secrets"), "{told}");
                    assert_eq!(reply.answer()["id"], "client-1");
                } else {
                    assert!(reply.result()["contents"].is_array(), "{path} {uri}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn d21_where_it_was_promised_structured_copies_and_observed_results_have_no_secrets_either() {
    let world = world_that(&[("up", program())], true, |mcp| mcp.observe = true).await;
    let client = world.client("/mcp/up").await;
    let call = client.call("careless", json!({})).await;
    let task = client.ask("tasks/result", json!({"taskId": "t"})).await;
    for reply in [call, task] {
        let text = reply.result().to_string();
        assert!(!text.contains(TOKEN), "{text}");
        assert_eq!(reply.result()["structuredContent"]["id"], "[REDACTED:github-token]");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn d21_how_a_server_says_that_it_is_to_be_used_has_no_secrets() {
    let mut leaky = program();
    leaky["env"] = json!({"LEAKY": "1"});
    let world = world(&[("up", leaky)]).await;
    for path in ["/mcp", "/mcp/up"] {
        let instructions = world.client(path).await.welcome["instructions"].to_string();
        assert!(instructions.contains("[REDACTED:github-token]"), "{path} {instructions}");
        let message = message("server/discover", json!({}));
        let found = ask(&world, path, &[], &message).await;
        assert!(!found.answer().to_string().contains(TOKEN), "{path} {found:?}");
    }
}
