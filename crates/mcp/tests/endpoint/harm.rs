//! Servers that misbehave, and what that does to others: nothing.

use crate::kit::*;
use crate::remote::{Manner, Remote};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn m12_a_server_that_is_down_harms_no_other() {
    let gone = "http://127.0.0.1:9/mcp";
    let world = world(&[("down", json!({"url": gone})), ("up", program())]).await;
    let client = world.client("/mcp").await;
    assert!(names(&client.tools().await).contains(&"up__rows"));
    let failed = client.call("down__rows", json!({})).await;
    assert_eq!(failed.error_code(), -32000);
    assert!(failed.answer()["error"]["message"].as_str().unwrap().contains("`down`"));
    assert!(client.call("up__echo", json!({})).await.text().contains("echo"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_is_given_up_in_time() {
    let silent = Remote::start(Manner::Silent).await;
    let slow = json!({"url": silent.url(), "timeout": "200ms"});
    let mut quick = program();
    quick["timeout"] = "300ms".into();
    let world = world(&[("silent", slow), ("up", quick)]).await;
    let client = world.client("/mcp").await;
    assert!(names(&client.tools().await).contains(&"up__rows"));
    assert_eq!(client.call("silent__rows", json!({})).await.error_code(), -32000);
    let late = client.call("up__silent", json!({})).await;
    assert!(late.answer()["error"]["message"].as_str().unwrap().contains("300 ms"), "{late:?}");
    // It hears that the gateway no longer waits, and goes on.
    assert!(client.call("up__echo", json!({})).await.text().contains("echo"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_garbage_is_said_to() {
    for text in [
        "nonsense",
        "[]",
        "{}",
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":7}"#,
    ] {
        let garbage = Remote::start(Manner::Always(text)).await;
        let world = world(&[("g", json!({"url": garbage.url()})), ("up", program())]).await;
        let client = world.client("/mcp").await;
        let failed = client.call("g__rows", json!({})).await;
        assert_eq!(failed.error_code(), -32000, "{text}");
        assert!(!failed.answer().to_string().contains("nonsense"));
        assert!(client.call("up__echo", json!({})).await.text().contains("echo"));
    }
    let world = world(&[("up", program())]).await;
    let client = world.client("/mcp").await;
    assert_eq!(client.call("up__garbage", json!({})).await.text(), "after");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_too_much_is_cut_off_and_goes_on() {
    let remote = Remote::start(Manner::Legacy).await;
    let world = world(&[("p", program()), ("r", json!({"url": remote.url()}))]).await;
    let client = world.client("/mcp").await;
    for prefix in ["p", "r"] {
        let failed = client.call(&format!("{prefix}__huge"), json!({})).await;
        assert!(
            failed.answer()["error"]["message"].as_str().unwrap().contains("8 MiB"),
            "{prefix}"
        );
        assert!(client.call(&format!("{prefix}__echo"), json!({})).await.text().contains("echo"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_notifications_stops_no_other_call() {
    let remote = Remote::start(Manner::Legacy).await;
    let world = world(&[("p", program()), ("r", json!({"url": remote.url()}))]).await;
    let client = world.client("/mcp").await;
    for prefix in ["p", "r"] {
        let flooded = client.call(&format!("{prefix}__flood"), json!({})).await;
        assert_eq!(flooded.text(), "afloat");
        assert!(client.call(&format!("{prefix}__echo"), json!({})).await.text().contains("echo"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_requests_than_allowed_are_with_a_server_at_once() {
    let mut one = program();
    one["max_concurrent"] = 1.into();
    one["timeout"] = "300ms".into();
    let world = world(&[("p", one)]).await;
    let client = world.client("/mcp/p").await;
    let (first, second) =
        tokio::join!(client.call("silent", json!({})), client.call("silent", json!({})));
    let both = format!("{first:?} {second:?}");
    assert!(both.contains("did not answer") && both.contains("-32000"), "{both}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m17_answers_that_are_not_quite_right_are_answers() {
    let remote = Remote::start(Manner::Legacy).await;
    let world = world(&[("p", program()), ("r", json!({"url": remote.url()}))]).await;
    let client = world.client("/mcp").await;
    for prefix in ["p", "r"] {
        let call = async |tool: &str| client.call(&format!("{prefix}__{tool}"), json!({})).await;
        assert_eq!(call("nameless").await.error_code(), -32700, "{prefix}");
        assert_eq!(call("text-id").await.text(), "as a text", "{prefix}");
        let together = call("batch").await;
        assert_eq!(together.messages[0]["method"], "notifications/message", "{prefix}");
        assert_eq!(together.text(), "together");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_or_tells_too_much_at_once_harms_no_request() {
    let world = world(&[("p", program())]).await;
    let client = world.client("/mcp").await;
    assert_eq!(client.call("p__shout", json!({})).await.text(), "after");
    let answers = client.state("p__answers").await;
    let told = answers[0]["error"]["message"].as_str().unwrap();
    assert!(told.contains("8 MiB") && answers[0]["id"] == 1, "{answers}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m24_a_wait_for_a_task_keeps_no_call_from_its_server() {
    let remote = Remote::start(Manner::Legacy).await;
    for mut definition in [program(), json!({"url": remote.url()})] {
        definition["max_concurrent"] = 1.into();
        let world = world(&[("p", definition)]).await;
        let client = world.client("/mcp/p").await;
        let call = client.ask("tools/call", json!({"name": "silent", "task": {}})).await;
        let task = call.result()["task"]["taskId"].clone();
        let fetch = request("fetch", "tasks/result", json!({"taskId": task}));
        let others = async {
            client.tools().await;
            assert!(client.call("echo", json!({})).await.text().contains("echo"));
            let cancelled = client.ask("tasks/cancel", json!({"taskId": task})).await;
            assert_eq!(cancelled.result()["status"], "cancelled");
            client.tell("notifications/cancelled", json!({"requestId": "fetch"})).await;
        };
        let (fetched, ()) = tokio::join!(client.open(&[], &fetch), others);
        assert_eq!(fetched.reply().await.error_code(), -32800);
    }
}
