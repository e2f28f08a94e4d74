//! Clients of the modern era, and servers of either.

use crate::kit::*;
use crate::remote::{Manner, Remote};
use http::{Method, StatusCode};
use serde_json::{Value, json};

pub(crate) fn message(method: &str, mut params: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let given = params["_meta"].take();
    params["_meta"] = meta;
    for (key, value) in given.as_object().into_iter().flatten() {
        params["_meta"][key] = value.clone();
    }
    request("m", method, params)
}

pub(crate) async fn ask(
    world: &World,
    path: &str,
    headers: &[(&str, &str)],
    message: &Value,
) -> Reply {
    let method = message["method"].as_str().unwrap();
    let named = |key: &str| message["params"][key].as_str();
    let name = named("name").or(named("uri")).or(named("taskId"));
    let mut all = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    all.extend(name.map(|name| ("mcp-name", name)));
    all.extend_from_slice(headers);
    world.post(path, &all, message).await
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_session_servers_are_discovered_listed_and_called() {
    let (old, new) = (Remote::start(Manner::Legacy).await, Remote::start(Manner::Modern).await);
    let world =
        world(&[("old", json!({"url": old.url()})), ("new", json!({"url": new.url()}))]).await;
    let found = ask(&world, "/mcp", &[], &message("server/discover", json!({}))).await;
    let versions = found.result()["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")));
    assert_eq!(
        (&found.result()["resultType"], &found.result()["ttlMs"]),
        (&json!("complete"), &json!(0))
    );
    assert!(found.header("mcp-session-id").is_none());
    let list = ask(&world, "/mcp", &[], &message("tools/list", json!({}))).await;
    assert_eq!(
        names(list.result()["tools"].as_array().unwrap()),
        ["new__rows", "new__echo", "old__rows", "old__echo"]
    );
    assert_eq!(list.result()["cacheScope"], "private");
    for prefix in ["old", "new"] {
        let call = message(
            "tools/call",
            json!({"name": format!("{prefix}__echo"), "arguments": {"a": 1}}),
        );
        let reply = ask(&world, "/mcp", &[("mcp-param-region", "eu")], &call).await;
        assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
        assert_eq!(reply.result()["resultType"], "complete");
    }
    // The name is the server's own in header and message, and what is not ours goes on.
    let seen = new.last("tools/call");
    assert_eq!(
        (&seen.headers["mcp-name"], &seen.message["params"]["name"]),
        (&"echo".parse().unwrap(), &json!("echo"))
    );
    assert_eq!(seen.headers["mcp-param-region"], "eu");
    assert_eq!(seen.headers["mcp-protocol-version"], "2026-07-28");
    assert!(new.seen().iter().all(|seen| seen.message["method"] != "initialize"));
    assert!(old.last("tools/call").headers.contains_key("mcp-session-id"));
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_message_must_say_the_same() {
    let old = Remote::start(Manner::Legacy).await;
    let world = world(&[("w", json!({"url": old.url()}))]).await;
    let call = message("tools/call", json!({"name": "w__echo"}));
    let wrong = |headers: &[(&'static str, &'static str)], message: Value| {
        let (world, headers) = (&world, headers.to_vec());
        async move {
            let reply = world.post("/mcp", &headers, &message).await;
            (reply.status, reply.error_code())
        }
    };
    let (version, method) = (("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"));
    let mismatch = (StatusCode::BAD_REQUEST, -32020);
    assert_eq!(wrong(&[method, ("mcp-name", "w__echo")], call.clone()).await, mismatch);
    assert_eq!(wrong(&[version, ("mcp-name", "w__echo")], call.clone()).await, mismatch);
    assert_eq!(wrong(&[version, method], call.clone()).await, mismatch);
    assert_eq!(wrong(&[version, method, ("mcp-name", "w__rows")], call.clone()).await, mismatch);
    let named = [version, method, ("mcp-name", "=?base64?d19fZWNobw==?=")];
    assert_eq!(world.post("/mcp", &named, &call).await.status, StatusCode::OK);
    let mut poor = call.clone();
    poor["params"]["_meta"]
        .as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(
        wrong(&[version, method, ("mcp-name", "w__echo")], poor).await,
        (StatusCode::BAD_REQUEST, -32602)
    );
    let mut future = call.clone();
    future["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    let headers = [("mcp-protocol-version", "2099-01-01"), method, ("mcp-name", "w__echo")];
    let reply = world.post("/mcp", &headers, &future).await;
    assert_eq!((reply.status, reply.error_code()), (StatusCode::BAD_REQUEST, -32022));
    assert_eq!(reply.answer()["error"]["data"]["requested"], "2099-01-01");
    let unknown = ask(&world, "/mcp", &[], &message("nothing/here", json!({}))).await;
    assert_eq!((unknown.status, unknown.error_code()), (StatusCode::NOT_FOUND, -32601));
    let one = ask(&world, "/mcp/w", &[], &message("nothing/here", json!({}))).await;
    assert_eq!((one.status, one.error_code()), (StatusCode::NOT_FOUND, -32601));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_hears_of_changed_lists_on_a_stream_that_it_asks_for() {
    let old = Remote::start(Manner::Legacy).await;
    let world = world(&[("w", json!({"url": old.url()}))]).await;
    let listen =
        message("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")];
    let mut stream = world.open(Method::POST, "/mcp", &headers, &listen.to_string()).await;
    let first = stream.next().await.unwrap();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["notifications"], json!({"toolsListChanged": true}));
    assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "m");
    while old.listeners() == 0 {
        tokio::task::yield_now().await;
    }
    ask(&world, "/mcp", &[], &message("tools/call", json!({"name": "w__grow"}))).await;
    assert_eq!(stream.next().await.unwrap()["method"], "notifications/tools/list_changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_a_server_s_own_stream_of_changes_passes_under_the_client_s_id() {
    let new = Remote::start(Manner::Modern).await;
    let world = world(&[("n", json!({"url": new.url()}))]).await;
    let listen =
        message("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")];
    let mut stream = world.open(Method::POST, "/mcp/n", &headers, &listen.to_string()).await;
    for method in ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"] {
        let told = stream.next().await.unwrap();
        assert_eq!(told["method"], method);
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "m");
    }
    assert_ne!(new.last("subscriptions/listen").message["id"], "m");
    // Clients that do not ask the server themselves hear of it too.
    let legacy = world.client("/mcp").await;
    let told = legacy.listen().await.next().await.unwrap();
    assert_eq!(told, json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_legacy_era_uses_a_server_of_the_modern_one() {
    let new = Remote::start(Manner::Modern).await;
    let world = world(&[("n", json!({"url": new.url()}))]).await;
    let client = world.client("/mcp/n").await;
    assert_eq!(client.welcome["protocolVersion"], "2025-06-18");
    assert!(client.call("echo", json!({})).await.text().contains("2026-07-28"));
    let seen = new.last("tools/call");
    assert_eq!(seen.headers["mcp-method"], "tools/call");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_of_a_modern_server_is_found_among_all() {
    let new = Remote::start(Manner::Modern).await;
    let world = world(&[("n", json!({"url": new.url()}))]).await;
    let read = message("resources/read", json!({"uri": "fake:///one"}));
    let reply = ask(&world, "/mcp", &[], &read).await;
    assert_eq!(reply.result()["contents"][0]["text"], "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_of_a_legacy_server_says_what_the_modern_era_wants_said() {
    let old = Remote::start(Manner::Legacy).await;
    let world = world(&[("w", json!({"url": old.url()}))]).await;
    let read = message("resources/read", json!({"uri": "fake:///one"}));
    for path in ["/mcp", "/mcp/w"] {
        let reply = ask(&world, path, &[], &read).await;
        let [kind, ttl, scope] =
            ["resultType", "ttlMs", "cacheScope"].map(|key| reply.result()[key].clone());
        assert_eq!((kind, ttl, scope), (json!("complete"), json!(0), json!("private")), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_takes_its_request_back() {
    let old = Remote::start(Manner::Legacy).await;
    let world = world(&[("w", json!({"url": old.url()}))]).await;
    let call = message("tools/call", json!({"name": "w__silent"}));
    let asking = ask(&world, "/mcp", &[], &call);
    let until_sent = async {
        while !old.seen().iter().any(|seen| seen.message["params"]["name"] == "silent") {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = asking => panic!("it is never answered"),
        () = until_sent => {}
    }
    while !old.seen().iter().any(|seen| seen.message["method"] == "notifications/cancelled") {
        tokio::task::yield_now().await;
    }
}
