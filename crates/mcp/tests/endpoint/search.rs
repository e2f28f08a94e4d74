//! Tool search: a constant list, and the tools behind it.

use crate::kit::*;
use crate::modern::{ask, message};
use crate::remote::{Manner, Remote};
use serde_json::{Value, json};
use tokenforge_config::{McpBackend, McpClient, Structured, ToolList};

fn searching(mcp: &mut tokenforge_config::Mcp) {
    mcp.tool_list = ToolList::Search;
}

/// The tools that a search finds, as they are shown.
async fn found(client: &Client<'_>, query: &str) -> Vec<Value> {
    let reply = client.call("find_tools", json!({ "query": query })).await;
    let lines = reply.text().lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn call_of(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

#[tokio::test(flavor = "multi_thread")]
async fn m21_the_list_is_constant_whatever_servers_do() {
    let world = world_with(&[("a", program()), ("b", program())], searching).await;
    let client = world.client("/mcp").await;
    let first = client.ask("tools/list", json!({})).await.result().to_string();
    let tools = client.tools().await;
    assert_eq!(names(&tools), ["find_tools", "call_tool", "expand_context"]);
    // A program that asks for it has the whole list.
    let whole = json!({"_meta": {"dev.tokenforge/tool_list": "all"}});
    assert_eq!(
        names(client.ask("tools/list", whole).await.result()["tools"].as_array().unwrap())[0],
        "a__rows"
    );
    // A server gets another tool, and says so.
    let mut stream = client.listen().await;
    assert_eq!(found(&client, "extra").await.len(), 0);
    client.call("call_tool", call_of("a__rows", json!({}))).await;
    client.call("a__grow", json!({})).await;
    let now = found(&client, "extra").await;
    assert_eq!(names(&now), ["a__extra"]);
    assert_eq!(client.ask("tools/list", json!({})).await.result().to_string(), first);
    // Nor is the client told: it would list the same again. What it hears first is a change of what it does see.
    world.hub.put("b", None).unwrap();
    let heard = stream.next().await.unwrap();
    assert_eq!(heard["method"], "notifications/prompts/list_changed");
    assert!(found(&client, "rows").await.iter().all(|tool| tool["name"] != "b__rows"));
}

#[tokio::test(flavor = "multi_thread")]
async fn m22_a_call_through_the_search_is_a_direct_call() {
    let world = world_with(&[("up", program())], searching).await;
    for (path, tool) in [("/mcp", "up__rows"), ("/mcp/up", "rows")] {
        let client = world.client(path).await;
        assert!(names(&found(&client, "rows").await).contains(&tool), "{path}");
        let through = client.call("call_tool", call_of(tool, json!({}))).await;
        let direct = client.call(tool, json!({})).await;
        assert_eq!(through.text(), direct.text(), "{path}");
        assert!(through.text().len() < crate::behaviour::pretty_rows().len());
        let echo = tool.replace("rows", "echo");
        let params = json!({"name": "call_tool", "arguments": call_of(&echo, json!({"n": 1.5})), "_meta": {"own": 1}});
        let reply = client.ask("tools/call", params).await;
        let seen: Value = serde_json::from_str(reply.text()).unwrap();
        assert_eq!((&seen["name"], &seen["arguments"]), (&json!("echo"), &json!({"n": 1.5})));
        assert_eq!(seen["_meta"]["own"], 1);
        // What is wrong with the arguments its server says.
        let failed =
            client.call("call_tool", call_of(&tool.replace("rows", "fail"), json!({}))).await;
        assert!(failed.result()["isError"] == true, "{failed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m22_a_name_that_no_tool_has_is_answered_with_similar_ones() {
    let world = world_with(&[("up", program())], searching).await;
    let client = world.client("/mcp").await;
    let reply = client.call("call_tool", call_of("up_rows", json!({}))).await;
    assert_eq!(reply.result()["isError"], true);
    assert!(reply.text().contains("up__rows") && reply.text().contains("find_tools"), "{reply:?}");
    let reply = client.call("call_tool", json!({"arguments": {}})).await;
    assert!(reply.result()["isError"] == true && reply.text().contains("`name`"), "{reply:?}");
    let reply = client.call("find_tools", json!({})).await;
    assert!(reply.result()["isError"] == true && reply.text().contains("query"), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m23_a_client_sees_and_calls_only_what_its_list_allows() {
    for tool_list in [ToolList::All, ToolList::Search] {
        let world = world_with(&[("up", program())], |mcp| {
            mcp.tool_list = tool_list;
            let only = |tools: &[&str]| McpClient {
                tools: Some(tools.iter().map(ToString::to_string).collect()),
                ..McpClient::default()
            };
            mcp.clients.insert("reader".to_owned(), only(&["up__rows", "up__grow"]));
            // The tenant of these tests' requests.
            mcp.clients.insert("t".to_owned(), only(&["rows", "echo", "up__grow"]));
        })
        .await;
        for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
            let named = |tool: &str| format!("{prefix}{tool}");
            let client = world.client_named(path, "reader", json!({})).await;
            let seen = match tool_list {
                ToolList::All => client.tools().await,
                ToolList::Search => found(&client, "rows echo structured").await,
            };
            let seen: Vec<&str> =
                names(&seen).into_iter().filter(|name| *name != "expand_context").collect();
            assert_eq!(seen, [named("rows")], "{path}");
            for hidden in ["echo", "structured", "process"] {
                let direct = client.call(&named(hidden), json!({})).await;
                assert_eq!(direct.error_code(), -32602, "{path} {hidden}");
                if tool_list == ToolList::Search {
                    let through =
                        client.call("call_tool", call_of(&named(hidden), json!({}))).await;
                    assert_eq!(through.result()["isError"], true, "{path} {hidden}");
                    assert!(
                        !through.text().contains(&named("structured")) || hidden == "structured"
                    );
                }
            }
            assert!(client.call(&named("rows"), json!({})).await.result()["content"].is_array());
            // Under another name it has what its key allows, and no more.
            let client = world.client_named(path, "unknown-client", json!({})).await;
            assert!(client.call(&named("echo"), json!({})).await.result()["content"].is_array());
            assert_eq!(client.call(&named("structured"), json!({})).await.error_code(), -32602);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m21_pinned_tools_are_listed_as_always() {
    let world = world_with(&[("up", program())], |mcp| {
        searching(mcp);
        mcp.pinned_tools = vec!["up__structured".to_owned()];
        mcp.structured = Structured::Drop;
    })
    .await;
    let client = world.client("/mcp").await;
    let tools = client.tools().await;
    assert_eq!(names(&tools), ["find_tools", "call_tool", "up__structured", "expand_context"]);
    assert!(tools[2].get("outputSchema").is_none() && tools[2]["x-own"] == 1.5);
    // Then a change is passed on: it may be one of these.
    let mut stream = client.listen().await;
    client.call("up__grow", json!({})).await;
    assert_eq!(stream.next().await.unwrap()["method"], "notifications/tools/list_changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn m21_a_server_that_is_down_harms_no_search() {
    let servers = [("down", json!({"command": "/nowhere/at/all"})), ("up", program())];
    let world = world_with(&servers, searching).await;
    let client = world.client("/mcp").await;
    let reply = client.call("find_tools", json!({"query": "rows"})).await;
    assert!(
        reply.text().contains("\"up__rows\"") && reply.text().ends_with("missing: down"),
        "{reply:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn m21_clients_without_a_session_search_too() {
    let world = world_with(&[("up", program())], searching).await;
    let list = ask(&world, "/mcp", &[], &message("tools/list", json!({}))).await;
    assert_eq!(
        (&list.result()["resultType"], &list.result()["ttlMs"]),
        (&json!("complete"), &json!(0))
    );
    let find = call_of("find_tools", json!({"query": "rows"}));
    let reply = ask(&world, "/mcp", &[], &message("tools/call", find)).await;
    assert!(reply.text().contains("\"up__rows\"") && reply.result()["resultType"] == "complete");
    let call = call_of("call_tool", call_of("up__echo", json!({"a": 1})));
    let reply = ask(&world, "/mcp", &[], &message("tools/call", call)).await;
    assert!(reply.text().contains("\"echo\""), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn d21_what_a_server_declares_has_no_secret_once_a_tool_says_it() {
    let mut leaky = program();
    leaky["env"] = json!({"LEAKY": "1"});
    let world = world_that(&[("up", leaky)], true, searching).await;
    let client = world.client("/mcp").await;
    let reply = client.call("find_tools", json!({"query": "leaky"})).await;
    assert!(!reply.text().contains(crate::behaviour::TOKEN), "{reply:?}");
    assert!(reply.text().contains("[REDACTED:github-token]"), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m22_a_call_that_is_taken_back_while_tools_are_listed_does_not_go_on() {
    let (silent, up) = (Remote::start(Manner::Silent).await, Remote::start(Manner::Legacy).await);
    let world = world_with(&[("up", json!({"url": up.url()}))], searching).await;
    let client = world.client("/mcp").await;
    // Only now, for a session begins when all servers have been greeted.
    let definition = McpBackend::from_json("silent", &json!({"url": silent.url()})).unwrap();
    world.hub.put("silent", Some(definition)).unwrap();
    let params = call_of("call_tool", call_of("up__echo", json!({})));
    let call = client.begin("call", params);
    let cancelling = async {
        loop {
            client.tell("notifications/cancelled", json!({"requestId": "call"})).await;
        }
    };
    let reply = tokio::select! {
        call = call => call.reply().await,
        () = cancelling => panic!("it has no end"),
    };
    assert_eq!(reply.error_code(), -32800);
    assert!(up.seen().iter().all(|seen| seen.message["method"] != "tools/call"));
}
