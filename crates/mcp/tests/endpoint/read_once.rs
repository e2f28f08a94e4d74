//! How often the endpoint reads an answer on its way.

use crate::behaviour::rows;
use crate::kit::*;
use serde_json::json;
use tokenforge_mcp::reads;

#[tokio::test(flavor = "multi_thread")]
async fn m26_an_answer_is_read_once() {
    let world = world(&[("w", program())]).await;
    let client = world.client("/mcp").await;
    client.call("w__echo", json!({})).await;
    // The server repeats the arguments as a text, so only its answer has these quotes escaped.
    reads::watch(r#"\"only-in-the-answer\":"#);
    let reply = client
        .call_with_arguments(
            &[("x-prefer-format", "auto")],
            "w__echo",
            json!({"only-in-the-answer": rows()}),
        )
        .await;
    assert!(reply.text().contains("only-in-the-answer"), "{}", reply.text());
    assert_ne!(reply.header("x-content-format"), Some("json"), "it is rewritten on its way");
    assert_eq!(reads::counted(), 1);
}
