//! Tasks, of clients with sessions and without, of all servers and of one.

use crate::behaviour::TOKEN;
use crate::kit::*;
use crate::modern::{ask, message};
use crate::remote::{Manner, Remote};
use serde_json::{Value, json};
use std::sync::Arc;
use tokenforge_config::McpClient;
use tokenforge_mcp::Originals;

/// Begins a task; its id as the client knows it.
async fn begin(client: &Client<'_>, tool: &str) -> String {
    let params = json!({"name": tool, "arguments": {}, "task": {"ttl": 60000}, "_meta": {"progressToken": "mine"}});
    let reply = client.ask("tools/call", params).await;
    reply.result()["task"]["taskId"].as_str().unwrap_or_else(|| panic!("{reply:?}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_the_result_of_a_task_is_that_of_a_call() {
    let world = world(&[("one", program()), ("two", program())]).await;
    for (path, prefix) in [("/mcp", "two__"), ("/mcp/two", "")] {
        let client = world.client(path).await;
        let tasks = &client.welcome["capabilities"]["tasks"];
        assert_eq!(
            *tasks,
            json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}),
            "{path}"
        );
        let id = begin(&client, &format!("{prefix}rows")).await;
        assert!(id.starts_with(&format!("{prefix}task-")), "{id}");
        let state = client.ask("tasks/get", json!({"taskId": id})).await;
        assert_eq!(
            (&state.result()["taskId"], &state.result()["status"]),
            (&json!(id), &json!("working"))
        );
        let reply = client.ask("tasks/result", json!({"taskId": id})).await;
        let direct = client.call(&format!("{prefix}rows"), json!({})).await;
        assert_eq!(reply.text(), direct.text(), "{path}");
        assert!(reply.text().len() < crate::behaviour::pretty_rows().len());
        let related = &reply.result()["_meta"]["io.modelcontextprotocol/related-task"];
        assert_eq!(related["taskId"], *id);
        assert!(
            reply.result()["_meta"]["dev.tokenforge/result"]["tokens_saved"].as_i64().unwrap() > 0
        );
        assert_eq!(reply.header("x-content-format"), direct.header("x-content-format"));
        // Fetched again, it is the same.
        let again = client.ask("tasks/result", json!({"taskId": id})).await;
        assert_eq!(again.text(), reply.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_tasks_of_all_servers_are_listed_cancelled_and_told_apart() {
    let world = world(&[("one", program()), ("two", program())]).await;
    let client = world.client("/mcp").await;
    let (first, second) = (begin(&client, "one__rows").await, begin(&client, "two__echo").await);
    assert_eq!((&*first, &*second), ("one__task-0", "two__task-0"));
    let list = client.ask("tasks/list", json!({})).await;
    let ids: Vec<&Value> =
        list.result()["tasks"].as_array().unwrap().iter().map(|task| &task["taskId"]).collect();
    assert_eq!(ids, [&json!(first), &json!(second)]);
    assert!(!list.result().to_string().contains(TOKEN), "what tasks say has no secrets either");
    let cancelled = client.ask("tasks/cancel", json!({"taskId": second})).await;
    assert_eq!(
        (&cancelled.result()["taskId"], &cancelled.result()["status"]),
        (&json!(second), &json!("cancelled"))
    );
    assert_eq!(
        client.ask("tasks/get", json!({"taskId": first})).await.result()["status"],
        "working"
    );
    for unknown in ["two__task-9", "unknown__task-0", "task-0", ""] {
        let reply = client.ask("tasks/get", json!({"taskId": unknown})).await;
        assert_eq!(reply.error_code(), -32602, "{unknown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_progress_and_states_of_a_task_reach_its_client_and_no_other() {
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let world = world(&[("up", program())]).await;
        let (client, other) = (world.client(path).await, world.client(path).await);
        let (mut stream, mut others) = (client.listen().await, other.listen().await);
        let id = begin(&client, &format!("{prefix}rows")).await;
        // No matter which client asks: the news goes to the client that owns the task.
        other.ask("tasks/get", json!({"taskId": id})).await;
        let progress = stream.next().await.unwrap();
        assert_eq!(progress["params"], json!({"progressToken": "mine", "progress": 1}), "{path}");
        let state = stream.next().await.unwrap();
        assert_eq!(state["method"], "notifications/tasks/status");
        assert_eq!(
            (&state["params"]["taskId"], &state["params"]["status"]),
            (&json!(id), &json!("completed"))
        );
        assert!(!state.to_string().contains(TOKEN));
        world
            .hub
            .put("new", Some(tokenforge_config::McpBackend::from_json("new", &program()).unwrap()))
            .unwrap();
        if path == "/mcp" {
            let heard = others.next().await.unwrap();
            assert_eq!(
                heard["method"], "notifications/tools/list_changed",
                "nothing of another's task"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_what_is_said_of_a_task_as_soon_as_it_is_begun_reaches_its_client_and_no_other() {
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let world = world(&[("up", program())]).await;
        let (client, other) = (world.client(path).await, world.client(path).await);
        let (mut stream, mut others) = (client.listen().await, other.listen().await);
        for _ in 0..20 {
            let id = begin(&client, &format!("{prefix}eager")).await;
            let said = [stream.next().await.unwrap(), stream.next().await.unwrap()];
            assert_eq!(said[0]["params"]["taskId"], *id, "{path}");
            assert_eq!(said[1]["params"], json!({"progressToken": "mine", "progress": 1}));
        }
        client.call(&format!("{prefix}grow"), json!({})).await;
        let heard = others.next().await.unwrap();
        assert_eq!(heard["method"], "notifications/tools/list_changed", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn d21_results_of_tasks_have_no_secrets_through_all_servers() {
    let world = world(&[("up", program())]).await;
    let client = world.client("/mcp").await;
    let id = begin(&client, "up__careless").await;
    client.ask("tasks/get", json!({"taskId": id})).await;
    for method in ["tasks/get", "tasks/result"] {
        let reply = client.ask(method, json!({"taskId": id})).await;
        let text = reply.result().to_string().replace(&format!("{{\"id\":\"{TOKEN}\"}}"), "");
        assert!(
            !text.contains(TOKEN) && text.contains("[REDACTED:github-token]"),
            "{method}: {text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_a_task_can_be_begun_through_the_search() {
    let world = world_with(&[("up", program())], |mcp| {
        mcp.tool_list = tokenforge_config::ToolList::Search;
    })
    .await;
    let client = world.client("/mcp").await;
    let params = json!({"name": "call_tool", "arguments": {"name": "up__rows", "arguments": {}}, "task": {}});
    let id = client.ask("tools/call", params).await.result()["task"]["taskId"].clone();
    let reply = client.ask("tasks/result", json!({"taskId": id})).await;
    assert!(reply.text().len() < crate::behaviour::pretty_rows().len());
}

/// A message of a client without a session that knows tasks.
fn knowing(method: &str, params: Value) -> Value {
    let mut message = message(method, params);
    let meta = &mut message["params"]["_meta"];
    meta["io.modelcontextprotocol/clientCapabilities"] =
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    message
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_without_a_session_the_server_decides_and_the_result_is_inside_of_the_state() {
    let remote = Remote::start(Manner::Modern).await;
    let world = world(&[("up", json!({"url": remote.url()}))]).await;
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let found = ask(&world, path, &[], &message("server/discover", json!({}))).await;
        assert!(
            found.result()["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"]
                .is_object()
        );
        let tool = json!({"name": format!("{prefix}rows"), "arguments": {}});
        let reply = ask(&world, path, &[], &knowing("tools/call", tool.clone())).await;
        assert_eq!(reply.result()["resultType"], "task", "{reply:?}");
        let id = reply.result()["taskId"].as_str().unwrap().to_owned();
        assert!(id.starts_with(&format!("{prefix}task-")), "{id}");
        let get = || knowing("tasks/get", json!({"taskId": id}));
        let state = ask(&world, path, &[], &get()).await;
        assert_eq!(
            (&state.result()["status"], &state.result()["resultType"]),
            (&json!("working"), &json!("complete"))
        );
        let state = ask(&world, path, &[], &get()).await;
        assert_eq!(
            (&state.result()["taskId"], &state.result()["status"]),
            (&json!(id), &json!("completed"))
        );
        // A client that knows no tasks gets the result at once.
        let direct = ask(&world, path, &[], &message("tools/call", tool)).await;
        assert_eq!(state.result()["result"]["content"][0]["text"], direct.text(), "{path}");
        // The server is told which task it is where it looks for that.
        let seen = remote.last("tasks/get");
        assert_eq!(seen.headers["mcp-name"], seen.message["params"]["taskId"].as_str().unwrap());
        for method in ["tasks/update", "tasks/cancel"] {
            let params = json!({"taskId": id, "inputResponses": {}});
            let reply = ask(&world, path, &[], &knowing(method, params)).await;
            assert!(reply.answer().get("result").is_some(), "{method}: {reply:?}");
        }
        for gone in ["tasks/list", "tasks/result"] {
            // It is the server that knows what it has.
            if path == "/mcp" {
                let reply = ask(&world, path, &[], &knowing(gone, json!({"taskId": id}))).await;
                assert_eq!(reply.error_code(), -32601, "{gone}");
            }
        }
        let other = [("mcp-name", "another")];
        let mut mismatched = get();
        mismatched["params"]["taskId"] = json!(null);
        let reply = ask(&world, path, &other, &mismatched).await;
        assert_eq!(reply.error_code(), -32020, "header and message must name the same task");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_a_client_of_all_servers_hears_of_the_tasks_that_it_asks_for() {
    let remote = Remote::start(Manner::Modern).await;
    let world = world(&[("old", program()), ("up", json!({"url": remote.url()}))]).await;
    let call = json!({"name": "up__rows", "arguments": {}});
    let begun = ask(&world, "/mcp", &[], &knowing("tools/call", call.clone())).await;
    let id = begun.result()["taskId"].as_str().unwrap().to_owned();
    let direct = ask(&world, "/mcp", &[], &message("tools/call", call)).await;
    let wanted = json!({"notifications": {"taskIds": [id, "old__task-0", "none__task-0"], "toolsListChanged": true}});
    let listen = knowing("subscriptions/listen", wanted.clone());
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")];
    let mut stream = world.open(http::Method::POST, "/mcp", &headers, &listen.to_string()).await;
    let said = [stream.next().await.unwrap(), stream.next().await.unwrap()];
    assert_eq!(said[0]["method"], "notifications/subscriptions/acknowledged");
    let agreed = json!({"taskIds": [id], "toolsListChanged": true});
    assert_eq!(said[0]["params"]["notifications"], agreed);
    let told = &said[1]["params"];
    assert_eq!(said[1]["method"], "notifications/tasks");
    assert_eq!((&told["taskId"], &told["status"]), (&json!(id), &json!("completed")));
    assert_eq!(told["result"]["content"][0]["text"], direct.text(), "as the result of a call");
    assert_eq!(told["_meta"]["io.modelcontextprotocol/subscriptionId"], "m");
    assert!(!told.to_string().contains(TOKEN));
    // Who does not say that it knows tasks hears of none.
    let reply = ask(&world, "/mcp", &[], &message("subscriptions/listen", wanted)).await;
    assert_eq!((reply.status.as_u16(), reply.error_code()), (400, -32021));
}

#[tokio::test(flavor = "multi_thread")]
async fn m23_tasks_of_tools_that_a_client_may_not_call_are_not_there_for_it() {
    let remote = Remote::start(Manner::Modern).await;
    let servers = [("old", program()), ("up", json!({"url": remote.url()}))];
    let world = world_with(&servers, |mcp| {
        let only = McpClient { tools: Some(vec!["echo".to_owned()]), ..McpClient::default() };
        mcp.clients.insert("reader".to_owned(), only);
    })
    .await;
    for (path, prefix) in [("/mcp", "old__"), ("/mcp/old", "")] {
        let other = world.client(path).await;
        let reader = world.client_named(path, "reader", json!({})).await;
        let theirs = begin(&other, &format!("{prefix}rows")).await;
        let own = begin(&reader, &format!("{prefix}echo")).await;
        for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
            let hidden = reader.ask(method, json!({"taskId": theirs})).await;
            assert_eq!(hidden.error_code(), -32602, "{path} {method}");
            reader.ask(method, json!({"taskId": own})).await.result();
            // Servers may take either of two for the id.
            let both = reader.ask(method, json!({"taskId": own, "TaskId": theirs})).await;
            assert_eq!(both.error_code(), -32602, "{path} {method}");
        }
        let list = reader.ask("tasks/list", json!({})).await;
        let text = list.result().to_string();
        assert!(text.contains(&own) && !text.contains(&format!("\"{theirs}\"")), "{path} {text}");
        let all = other.ask("tasks/list", json!({})).await.result().to_string();
        assert!(all.contains(&own) && all.contains(&theirs), "{path} {all}");
    }
    // Nor is a client told of them that names them.
    let call = json!({"name": "up__rows", "arguments": {}});
    let begun = ask(&world, "/mcp", &[], &knowing("tools/call", call)).await;
    let id = begun.result()["taskId"].clone();
    let mut listen = knowing("subscriptions/listen", json!({"notifications": {"taskIds": [id]}}));
    listen["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = "reader".into();
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")];
    let mut stream = world.open(http::Method::POST, "/mcp", &headers, &listen.to_string()).await;
    assert_eq!(stream.next().await.unwrap()["params"]["notifications"], json!({}));
    // Nor where it speaks to one server.
    let begin = json!({"name": "echo", "arguments": {}, "task": {}});
    let mut begin = knowing("tools/call", begin);
    begin["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = "reader".into();
    let own = ask(&world, "/mcp/up", &[], &begin).await.result()["task"]["taskId"].clone();
    let theirs = id.as_str().unwrap().strip_prefix("up__").unwrap();
    for (wanted, passed) in
        [(json!([theirs]), json!({})), (json!([theirs, own]), json!({"taskIds": [own]}))]
    {
        listen["params"]["notifications"]["taskIds"] = wanted;
        let mut stream =
            world.open(http::Method::POST, "/mcp/up", &headers, &listen.to_string()).await;
        stream.next().await.unwrap();
        let sent = remote.last("subscriptions/listen").message;
        assert_eq!(sent["params"]["notifications"], passed);
    }
    listen["params"]["notifications"] = json!({"taskIds": [own], "TaskIds": [theirs]});
    let reply = world.open(http::Method::POST, "/mcp/up", &headers, &listen.to_string()).await;
    assert_eq!(reply.reply().await.error_code(), -32602);
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_the_state_of_a_task_whose_client_left_reaches_no_client() {
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let world = world(&[("up", program())]).await;
        let (client, other) = (world.client(path).await, world.client(path).await);
        let mut others = other.listen().await;
        let id = begin(&client, &format!("{prefix}rows")).await;
        client.leave().await;
        // Its server tells the state.
        other.ask("tasks/get", json!({"taskId": id})).await.result();
        other.call(&format!("{prefix}grow"), json!({})).await;
        let heard = others.next().await.unwrap();
        assert_eq!(heard["method"], "notifications/tools/list_changed", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_the_result_of_a_task_is_that_of_a_call_after_a_restart_too() {
    let remote = Remote::start(Manner::Legacy).await;
    let servers = [("up", json!({"url": remote.url()}))];
    let kept = Arc::new(Kept::default());
    let first = world_keeping(&servers, false, kept.clone(), |_| {}).await;
    let client = first.client("/mcp").await;
    // However long its arguments are, at first.
    let long = json!({"text": "x".repeat(32 << 10), "key": TOKEN});
    let call = json!({"name": "up__rows", "arguments": long, "task": {}});
    let begun = client.ask("tools/call", call).await;
    let id = begun.result()["task"]["taskId"].as_str().unwrap().to_owned();
    let direct = client.call("up__rows", json!({})).await.text().to_owned();
    let fetch = json!({"taskId": id});
    assert_eq!(client.ask("tasks/result", fetch.clone()).await.text(), direct);
    while !kept.has_task("up", "task-0") {
        tokio::task::yield_now().await;
    }
    assert!(!kept.find_task("t", "up", "task-0").unwrap().contains(TOKEN), "it has no secrets");
    first.hub.stop().await;

    let second = world_keeping(&servers, false, kept, |mcp| {
        let only =
            |tool: &str| McpClient { tools: Some(vec![tool.to_owned()]), ..McpClient::default() };
        mcp.clients.insert("reader".to_owned(), only("rows"));
        mcp.clients.insert("stranger".to_owned(), only("echo"));
    })
    .await;
    let reader = second.client_named("/mcp", "reader", json!({})).await;
    let reply = reader.ask("tasks/result", fetch.clone()).await;
    assert_eq!(reply.text(), direct);
    assert!(reader.ask("tasks/list", json!({})).await.result().to_string().contains(&id));
    let stranger = second.client_named("/mcp", "stranger", json!({})).await;
    assert_eq!(stranger.ask("tasks/result", fetch).await.error_code(), -32602);
}
