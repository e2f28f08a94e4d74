//! Resources of many servers: whose they are, and who hears of them.

use crate::kit::*;
use crate::remote::{Manner, Remote};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn m11_progress_and_questions_of_a_read_reach_its_client_from_any_server() {
    let world = world(&[("one", program()), ("two", program())]).await;
    for path in ["/mcp", "/mcp/two"] {
        let client = world.client_named(path, "test", json!({"elicitation": {}})).await;
        let params = json!({"uri": "fake:///slow", "_meta": {"progressToken": "mine"}});
        let reply = client.ask("resources/read", params).await;
        let [told, _] = &reply.messages[..] else { panic!("{path} {reply:?}") };
        assert_eq!(told["params"], json!({"progressToken": "mine", "progress": 1}), "{path}");
        assert_eq!(reply.result()["contents"][0]["text"], "at last");
        let read = request("read", "resources/read", json!({"uri": "fake:///ask"}));
        let mut call = client.open(&[], &read).await;
        let question = call.next().await.unwrap();
        assert_eq!(question["method"], "elicitation/create", "{path}");
        let accepted = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"a": 1}});
        client.send(&accepted).await;
        assert_eq!(call.reply().await.text(), r#"{"a":1}"#);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_a_read_that_is_taken_back_ends_and_its_server_hears_of_it() {
    let remote = Remote::start(Manner::Legacy).await;
    let world = world(&[("w", json!({"url": remote.url()}))]).await;
    let client = world.client("/mcp").await;
    let message = request("read", "resources/read", json!({"uri": "fake:///silent"}));
    let cancelling = async {
        while !remote.seen().iter().any(|seen| seen.message["method"] == "resources/read") {
            tokio::task::yield_now().await;
        }
        client.tell("notifications/cancelled", json!({"requestId": "read"})).await;
    };
    let (read, ()) = tokio::join!(client.open(&[], &message), cancelling);
    assert_eq!(read.reply().await.error_code(), -32800);
    while !remote.seen().iter().any(|seen| seen.message["method"] == "notifications/cancelled") {
        tokio::task::yield_now().await;
    }
    let sent = remote.last("resources/read").message["id"].clone();
    assert_eq!(remote.last("notifications/cancelled").message["params"]["requestId"], sent);
}

#[tokio::test(flavor = "multi_thread")]
async fn m1_a_subscription_goes_to_the_server_that_lists_the_resource() {
    let mut other = program();
    other["env"] = json!({"URI": "fake:///other"});
    let world = world(&[("one", program()), ("two", other)]).await;
    let client = world.client("/mcp").await;
    client.ask("resources/list", json!({})).await;
    client.ask("resources/subscribe", json!({"uri": "fake:///other"})).await.result();
    assert_eq!(client.state("one__subscriptions").await, json!([]));
    assert_eq!(client.state("two__subscriptions").await, json!(["fake:///other"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn m1_a_server_that_notes_that_it_reads_may_still_not_have_the_resource() {
    let mut other = program();
    other["env"] = json!({"URI": "fake:///other"});
    let world = world(&[("one", program()), ("three", program()), ("two", other)]).await;
    let client = world.client("/mcp").await;
    let uri = json!({"uri": "fake:///other"});
    let read = client.ask("resources/read", uri.clone()).await;
    assert_eq!(read.result()["contents"][0]["text"], "other");
    let mut stream = client.listen().await;
    assert_eq!(stream.next().await.unwrap()["params"]["data"], "reading");
    // Who has it is known now, and what it notes is about the request.
    let again = client.ask("resources/read", uri).await;
    assert_eq!(again.messages[0]["params"]["data"], "reading");
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_a_client_hears_of_its_subscriptions_and_ends_no_other() {
    for (path, prefix) in [("/mcp", "up__"), ("/mcp/up", "")] {
        let world = world(&[("up", program())]).await;
        let uri = json!({"uri": "fake:///one"});
        let (first, second) = (world.client(path).await, world.client(path).await);
        let stranger = world.client(path).await;
        for client in [&first, &second] {
            client.ask("resources/subscribe", uri.clone()).await.result();
        }
        assert_eq!(*first.ask("resources/unsubscribe", uri.clone()).await.result(), json!({}));
        let left = second.state(&format!("{prefix}subscriptions")).await;
        assert!(left.as_array().unwrap().contains(&json!("fake:///one")), "{path} {left}");
        let mut streams = [first.listen().await, second.listen().await, stranger.listen().await];
        let update = async |uri: &str| {
            second.call(&format!("{prefix}update"), json!({ "uri": uri })).await;
        };
        update("fake:///one/part").await;
        let told = streams[1].next().await.unwrap();
        assert_eq!(told["params"]["uri"], "fake:///one/part", "{path}");
        // The last one who leaves ends it.
        second.ask("resources/unsubscribe", uri.clone()).await.result();
        assert_eq!(second.state(&format!("{prefix}subscriptions")).await, json!([]));
        second.call(&format!("{prefix}grow"), json!({})).await;
        for mut stream in streams {
            let told: Value = stream.next().await.unwrap();
            assert_eq!(told["method"], "notifications/tools/list_changed", "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_an_update_reaches_no_client_that_subscribed_to_a_resource_with_a_similar_address() {
    let world = world(&[("up", program())]).await;
    let (first, second) = (world.client("/mcp/up").await, world.client("/mcp/up").await);
    first.ask("resources/subscribe", json!({"uri": "fake:///one"})).await.result();
    second.ask("resources/subscribe", json!({"uri": "fake:///one.old"})).await.result();
    let mut streams = [first.listen().await, second.listen().await];
    second.call("update", json!({"uri": "fake:///one.old"})).await;
    let told = streams[1].next().await.unwrap();
    assert_eq!(told["params"]["uri"], "fake:///one.old");
    second.call("grow", json!({})).await;
    let told = streams[0].next().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_a_subscription_ends_at_the_server_where_it_began() {
    let mut other = program();
    other["env"] = json!({"URI": "fake:///other"});
    let world = world(&[("one", program()), ("two", other)]).await;
    let client = world.client("/mcp").await;
    let uri = json!({"uri": "fake:///other"});
    client.ask("resources/subscribe", uri.clone()).await.result();
    assert_eq!(client.state("one__subscriptions").await, json!(["fake:///other"]));
    // Another server turns out to have it.
    client.ask("resources/list", json!({})).await.result();
    client.ask("resources/unsubscribe", uri).await.result();
    assert_eq!(client.state("one__subscriptions").await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn m12_a_server_that_ends_while_it_reads_is_said_to() {
    let world = world(&[("p", program())]).await;
    let client = world.client("/mcp").await;
    let reply = client.ask("resources/read", json!({"uri": "fake:///exit"})).await;
    let told = reply.answer()["error"]["message"].as_str().unwrap();
    assert!(told.contains("`p`") && told.contains("ended"), "{told}");
}
