//! Clients of the legacy era, and servers behind addresses.

use crate::kit::*;
use crate::remote::{Manner, Remote};
use http::{Method, StatusCode};
use serde_json::json;

async fn two() -> (Remote, Remote, World) {
    let (one, two) = (Remote::start(Manner::Legacy).await, Remote::start(Manner::Legacy).await);
    let definition = json!({"url": one.url(), "headers": {"Authorization": "Bearer own-key"}});
    let world = world(&[("w", definition), ("x", json!({"url": two.url()}))]).await;
    (one, two, world)
}

#[tokio::test(flavor = "multi_thread")]
async fn m1_two_servers_are_one_list_and_a_call_reaches_its_own_under_its_own_name() {
    let (one, two, world) = two().await;
    let client = world.client("/mcp").await;
    let tools = client.tools().await;
    let expected = [
        "w__rows",
        "w__echo",
        "x__rows",
        "x__echo",
        "w__structured",
        "x__structured",
        "expand_context",
    ];
    assert_eq!(names(&tools), expected);
    let reply = client.call("x__echo", json!({"n": 1.50})).await;
    assert_eq!(reply.answer()["id"], "client-1");
    assert!(reply.text().contains("\"name\":\"echo\""), "{}", reply.text());
    assert_eq!(two.last("tools/call").message["params"]["name"], "echo");
    assert!(one.seen().iter().all(|seen| seen.message["method"] != "tools/call"));
    assert_eq!(one.last("tools/list").headers["authorization"], "Bearer own-key");
}

#[tokio::test(flavor = "multi_thread")]
async fn m2_one_server_is_listed_under_its_own_names() {
    let (_one, two, world) = two().await;
    let client = world.client("/mcp/x").await;
    assert_eq!(client.welcome["serverInfo"], json!({"name": "fake", "version": "1", "x-own": 1.5}));
    assert_eq!(client.welcome["protocolVersion"], "2025-06-18");
    let tools = client.tools().await;
    assert_eq!(names(&tools), ["rows", "echo", "structured", "expand_context"]);
    assert_eq!(tools[0]["x-own"], 1.5);
    client.call("echo", json!({})).await;
    assert_eq!(two.last("tools/call").message["params"]["name"], "echo");
    let unknown = world.post("/mcp/unknown", &[], &request(1, "initialize", json!({}))).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_and_resources_of_many_servers_are_found() {
    let (_one, two, world) = two().await;
    let client = world.client("/mcp").await;
    let prompts = client.ask("prompts/list", json!({})).await;
    let prompts = prompts.result()["prompts"].as_array().unwrap();
    assert_eq!(names(prompts), ["w__hello", "x__hello"]);
    let prompt = client.ask("prompts/get", json!({"name": "x__hello"})).await;
    assert_eq!(prompt.result()["description"], "hello");
    assert_eq!(two.last("prompts/get").message["params"]["name"], "hello");
    let resource = client.ask("resources/read", json!({"uri": "fake:///one"})).await;
    assert_eq!(resource.result()["contents"][0]["text"], "one");
    let missing = client.ask("resources/read", json!({"uri": "fake:///none"})).await;
    assert!(missing.answer()["error"].is_object());
    assert_eq!(
        client.ask("logging/setLevel", json!({"level": "debug"})).await.result(),
        &json!({})
    );
    assert_eq!(client.ask("ping", json!({})).await.result(), &json!({}));
}

#[tokio::test(flavor = "multi_thread")]
async fn m10_m11_a_session_begins_is_needed_and_ends() {
    let (one, _two, world) = two().await;
    let client = world.client("/mcp").await;
    assert_eq!(client.welcome["protocolVersion"], "2025-06-18");
    assert!(client.welcome["instructions"].as_str().unwrap().contains("Use it well."));
    let list = request(1, "tools/list", json!({}));
    assert_eq!(world.post("/mcp", &[], &list).await.status, StatusCode::BAD_REQUEST);
    let other = [("mcp-session-id", "unknown")];
    assert_eq!(world.post("/mcp", &other, &list).await.status, StatusCode::NOT_FOUND);
    let stranger = [("mcp-session-id", client.session.as_str()), ("x-tenant", "other")];
    assert_eq!(world.post("/mcp", &stranger, &list).await.status, StatusCode::NOT_FOUND);
    let future =
        [("mcp-session-id", client.session.as_str()), ("mcp-protocol-version", "2099-01-01")];
    assert_eq!(world.post("/mcp", &future, &list).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(client.leave().await, StatusCode::NO_CONTENT);
    assert_eq!(client.ask("tools/list", json!({})).await.status, StatusCode::NOT_FOUND);
    assert!(one.seen().iter().any(|seen| seen.message["method"] == "notifications/initialized"));
    assert_eq!(one.last("notifications/initialized").headers["mcp-protocol-version"], "2025-06-18");
    let unknown = request(1, "initialize", json!({"protocolVersion": "1999-01-01"}));
    let reply = world.post("/mcp", &[], &unknown).await;
    assert_eq!(reply.result()["protocolVersion"], "2025-11-25");
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_progress_comes_before_the_answer_as_a_stream_under_the_client_s_token() {
    let (_one, _two, world) = two().await;
    let client = world.client("/mcp").await;
    let params = json!({"name": "w__progress", "_meta": {"progressToken": "mine"}});
    let reply = client.begin("call", params).await.reply().await;
    assert!(reply.is_stream());
    assert_eq!(reply.header("x-accel-buffering"), Some("no"));
    let [first, second, answer] = &reply.messages[..] else { panic!("{reply:?}") };
    assert_eq!(first["params"], json!({"progressToken": "mine", "progress": 1}));
    assert_eq!(second["params"]["progress"], 2);
    assert_eq!((&answer["id"], reply.text()), (&json!("call"), "done"));
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_a_list_that_changed_is_told_on_the_client_s_stream() {
    let (one, _two, world) = two().await;
    let client = world.client("/mcp").await;
    let mut stream = client.listen().await;
    client.tools().await;
    while one.listeners() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(client.call("w__grow", json!({})).await.text(), "grown");
    assert_eq!(stream.next().await.unwrap()["method"], "notifications/tools/list_changed");
    assert!(names(&client.tools().await).contains(&"w__extra"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_s_question_reaches_the_client_that_can_be_asked_and_its_answer_the_server() {
    let (one, _two, world) = two().await;
    let client = world.client_named("/mcp", "test", json!({"elicitation": {}})).await;
    assert_eq!(
        one.last("initialize").message["params"]["capabilities"],
        json!({"elicitation": {}})
    );
    let mut call = client.begin("call", json!({"name": "w__ask"})).await;
    let question = call.next().await.unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}});
    assert_eq!(client.send(&answer).await.status, StatusCode::ACCEPTED);
    let reply = call.reply().await;
    assert_eq!(reply.text(), r#"{"action":"accept"}"#);
    // A client that cannot be asked is not asked.
    let deaf = world.client("/mcp/x").await;
    assert_eq!(one.seen().iter().filter(|seen| seen.message["method"] == "initialize").count(), 1);
    let reply = deaf.call("ask", json!({})).await;
    assert!(reply.text().contains("null") || reply.text().contains("error"), "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_taken_back_ends_and_its_server_hears_of_it() {
    let (one, _two, world) = two().await;
    let client = world.client("/mcp").await;
    let calling = client.begin("call", json!({"name": "w__silent"}));
    let cancelling = async {
        while !one.seen().iter().any(|seen| seen.message["params"]["name"] == "silent") {
            tokio::task::yield_now().await;
        }
        let params = json!({"requestId": "call", "reason": "enough"});
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
            .await
    };
    let (call, told) = tokio::join!(calling, cancelling);
    assert_eq!(told.status, StatusCode::ACCEPTED);
    assert_eq!(call.reply().await.error_code(), -32800);
    while !one.seen().iter().any(|seen| seen.message["method"] == "notifications/cancelled") {
        tokio::task::yield_now().await;
    }
    let sent = one.last("tools/call").message["id"].clone();
    assert_eq!(
        one.last("notifications/cancelled").message["params"],
        json!({"requestId": sent, "reason": "enough"})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_forgot_its_session_is_greeted_anew() {
    let (one, _two, world) = two().await;
    let client = world.client("/mcp/w").await;
    assert_eq!(client.call("progress", json!({})).await.text(), "done");
    one.forget();
    assert_eq!(client.call("progress", json!({})).await.text(), "done");
    assert_eq!(one.seen().iter().filter(|seen| seen.message["method"] == "initialize").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_is_refused_and_says_why() {
    let (_one, _two, world) = two().await;
    let post = |body: &'static str, kind: &'static str| {
        let world = &world;
        async move {
            let mut request = http::Request::post(format!("http://{}/mcp", world.address));
            request = request.header("content-type", kind);
            let answer = world.raw(request.body(bytes::Bytes::from(body)).unwrap()).await;
            (answer.status, answer.messages[0]["error"]["code"].as_i64().unwrap())
        }
    };
    assert_eq!(post("{", "application/json").await, (StatusCode::BAD_REQUEST, -32700));
    assert_eq!(post("[]", "application/json").await, (StatusCode::BAD_REQUEST, -32600));
    assert_eq!(post("{}", "text/plain").await.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let get = world.open(Method::GET, "/mcp", &[], "").await;
    assert_eq!(get.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_a_request_that_is_taken_back_before_its_server_has_it_does_not_reach_it() {
    let remote = Remote::start(Manner::Legacy).await;
    let world = world(&[("p", json!({"url": remote.url(), "max_concurrent": 1}))]).await;
    let client = world.client("/mcp/p").await;
    let has = |tool: &str| remote.seen().iter().any(|seen| seen.message["params"]["name"] == tool);
    let first = client.begin("first", json!({"name": "silent"}));
    let second = async {
        while !has("silent") {
            tokio::task::yield_now().await;
        }
        // It waits for the first one to be answered.
        let second = client.begin("second", json!({"name": "echo"}));
        let cancelling = async {
            loop {
                client.tell("notifications/cancelled", json!({"requestId": "second"})).await;
            }
        };
        let second = tokio::select! {
            second = second => second,
            () = cancelling => panic!("it has no end"),
        };
        assert_eq!(second.reply().await.error_code(), -32800);
        client.tell("notifications/cancelled", json!({"requestId": "first"})).await;
    };
    let (first, ()) = tokio::join!(first, second);
    assert_eq!(first.reply().await.error_code(), -32800);
    assert!(!has("echo"));
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_a_server_that_was_out_of_reach_is_listened_to_again() {
    let remote = Remote::start(Manner::Legacy).await;
    remote.refuse(1);
    let world = world(&[("w", json!({"url": remote.url()}))]).await;
    let client = world.client("/mcp").await;
    let mut stream = client.listen().await;
    client.tools().await;
    while remote.listeners() == 0 {
        tokio::task::yield_now().await;
    }
    client.call("w__grow", json!({})).await;
    assert_eq!(stream.next().await.unwrap()["method"], "notifications/tools/list_changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn m23_a_call_that_names_two_tools_calls_none() {
    let (_one, _two, world) = two().await;
    let client = world.client("/mcp").await;
    let session = [("mcp-session-id", client.session.as_str())];
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w__echo","name":"w__rows"}}"#;
    let reply = world.open(Method::POST, "/mcp", &session, call).await.reply().await;
    assert_eq!(reply.error_code(), -32602);
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_a_plugin_broke_do_not_go_on_as_they_were() {
    let (one, _two, world) = two().await;
    let client = world.client("/mcp").await;
    let reply = client.call_with(&[("x-broken-plugins", "1")], "w__echo").await;
    assert_eq!(reply.result()["isError"], true, "{reply:?}");
    assert!(one.seen().iter().all(|seen| seen.message["method"] != "tools/call"));
}
