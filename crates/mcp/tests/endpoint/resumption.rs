//! Clients that lose a stream and take it up again (`Last-Event-ID`).

use crate::kit::*;
use crate::remote::{Manner, Remote};
use http::StatusCode;
use serde_json::{Value, json};

async fn one() -> (Remote, World) {
    let remote = Remote::start(Manner::Legacy).await;
    let world = world(&[("w", json!({"url": remote.url()}))]).await;
    (remote, world)
}

fn accepted(question: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}})
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_a_client_that_lost_its_stream_gets_what_it_missed_and_what_comes() {
    let (_remote, world) = one().await;
    let client = world.client_named("/mcp/w", "test", json!({"elicitation": {}})).await;
    let mut call = client.begin("call", json!({"name": "ask"})).await;
    let question = call.next().await.unwrap();
    let last = call.last_event().to_owned();
    let stream = last.split('-').next().unwrap().to_owned();
    drop(call);

    let mut again = client.resume(&format!("{stream}-0")).await;
    assert_eq!(again.next().await.unwrap(), question, "what came after an event comes again");
    drop(again);
    let mut again = client.resume(&last).await;
    assert_eq!(client.send(&accepted(&question)).await.status, StatusCode::ACCEPTED);
    let answer = again.next().await.unwrap();
    assert_eq!(
        (&answer["id"], &answer["result"]["content"][0]["type"]),
        (&json!("call"), &json!("text"))
    );
    assert!(again.next().await.is_none(), "the stream ends with the answer");

    // The answer itself can get lost.
    assert_eq!(client.resume(&last).await.reply().await.answer(), &answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_a_stream_is_taken_up_again_by_its_own_session_only() {
    let (_remote, world) = one().await;
    let client = world.client_named("/mcp/w", "test", json!({"elicitation": {}})).await;
    let mut call = client.begin("call", json!({"name": "ask"})).await;
    call.next().await.unwrap();
    let other = world.client("/mcp/w").await;
    assert_eq!(other.resume(call.last_event()).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(client.resume("99-1").await.status, StatusCode::BAD_REQUEST);
    client.leave().await;
    assert_eq!(client.resume(call.last_event()).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_a_server_that_lets_its_client_go_lets_ours_go_too() {
    let (_remote, world) = one().await;
    let client = world.client_of("2025-11-25", "/mcp/w", "test", json!({})).await;
    let mut call = client.begin("call", json!({"name": "later"})).await;
    assert!(call.next().await.is_none(), "the stream ends without an answer");
    assert!(call.last_event().ends_with("-0"), "it can be taken up before anything was said");
    let reply = client.resume(call.last_event()).await.reply().await;
    assert_eq!((&reply.answer()["id"], reply.text()), (&json!("call"), "at last"));

    // Who does not know that it may come back is not let go.
    let older = world.client("/mcp/w").await;
    assert_eq!(older.call("later", json!({})).await.text(), "at last");
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_what_was_told_on_a_stream_that_got_lost_is_told_again() {
    let (remote, world) = one().await;
    let client = world.client("/mcp/w").await;
    let mut stream = client.listen().await;
    client.tools().await;
    while remote.listeners() == 0 {
        tokio::task::yield_now().await;
    }
    client.call("grow", json!({})).await;
    let told = stream.next().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
    assert_eq!(stream.last_event(), "0-1");
    drop(stream);
    assert_eq!(client.resume("0-0").await.next().await.unwrap(), told);
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_an_answer_that_broke_off_is_asked_for_again() {
    let (_remote, world) = one().await;
    let client = world.client("/mcp/w").await;
    assert_eq!(client.call("broken", json!({})).await.text(), "at last");
}
