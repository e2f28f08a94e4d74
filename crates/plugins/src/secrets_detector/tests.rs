use crate::testing::{SHOWING, chain, exchange, refused, run};
use serde_json::{Value, json};
use tokenforge_plugin::Phase;

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

fn body() -> String {
    json!({"text": format!("use {TOKEN}\n"), "n": 1}).to_string()
}

#[tokio::test]
async fn s9_a_secret_is_replaced_by_its_kind_wherever_it_is() {
    let chain = chain("secrets-detector", json!({}));
    for phase in SHOWING {
        let redacted = run(&chain, phase, &mut exchange(&body())).await.unwrap();
        let redacted: Value = serde_json::from_slice(&redacted).unwrap();
        let text = redacted["text"].as_str().unwrap();
        assert!(
            text.starts_with("use [REDACTED:github") && text.ends_with("]\n"),
            "{phase}: {text}"
        );
        assert_eq!(redacted["n"], 1);
    }
}

#[tokio::test]
async fn s9_a_password_is_known_by_the_name_of_its_member() {
    let chain = chain("secrets-detector", json!({}));
    let body = json!({"db_password": "t1ger-Lily-88xQz", "note": "t1ger-Lily-88xQz"}).to_string();
    let redacted = run(&chain, Phase::ToolResult, &mut exchange(&body)).await.unwrap();
    let redacted: Value = serde_json::from_slice(&redacted).unwrap();
    assert!(redacted["db_password"].as_str().unwrap().starts_with("[REDACTED:"), "{redacted}");
    assert_eq!(redacted["note"], "t1ger-Lily-88xQz");
}

#[tokio::test]
async fn s9_what_holds_a_secret_can_be_refused_and_the_refusal_names_its_kind_only() {
    let chain = chain("secrets-detector", json!({"action": "refuse"}));
    for (phase, status) in
        [(Phase::PreUpstream, 403), (Phase::PostUpstream, 502), (Phase::ToolCall, 403)]
    {
        let response = run(&chain, phase, &mut exchange(&body())).await.unwrap_err();
        assert_eq!(response.status(), status, "{phase}");
        let text = str::from_utf8(response.body()).unwrap();
        assert!(text.contains("github") && !text.contains(&TOKEN[4..]), "{text}");
        assert_eq!(run(&chain, phase, &mut exchange("{\"a\":1}")).await.unwrap(), "{\"a\":1}");
    }
}

#[tokio::test]
async fn s9_places_can_be_chosen() {
    let chain = chain("secrets-detector", json!({"places": ["tool_result"]}));
    assert!(run(&chain, Phase::PreUpstream, &mut exchange(&body())).await.unwrap() == body());
    assert!(run(&chain, Phase::ToolResult, &mut exchange(&body())).await.unwrap() != body());
    assert!(
        refused("secrets-detector", json!({"action": "shout"}))
            .contains("expected `redact` or `refuse`")
    );
}

#[tokio::test]
async fn h9_what_cannot_be_looked_into_does_not_pass_a_closed_filter() {
    let chain = chain("secrets-detector", json!({"max_bytes": 4}));
    let mut exchange = exchange(&body());
    assert_eq!(run(&chain, Phase::PreUpstream, &mut exchange).await.unwrap_err().status(), 502);
    let mut response = exchange.take_response().unwrap();
    response.headers.insert("content-encoding", "gzip".parse().unwrap());
    exchange.set_response(response);
    let chain = crate::testing::chain("secrets-detector", json!({}));
    assert_eq!(run(&chain, Phase::PostUpstream, &mut exchange).await.unwrap_err().status(), 502);
}

#[tokio::test]
async fn what_is_no_text_and_streams_of_events_pass_by() {
    let chain = chain("secrets-detector", json!({}));
    for kind in ["image/png", "text/event-stream; charset=utf-8", "Multipart/form-data"] {
        let mut exchange = exchange(&body());
        let mut response = exchange.take_response().unwrap();
        response.headers.insert("content-type", kind.parse().unwrap());
        exchange.set_response(response);
        assert!(run(&chain, Phase::PostUpstream, &mut exchange).await.unwrap() == body(), "{kind}");
    }
}

#[tokio::test]
async fn a_changed_response_loses_what_was_said_about_its_bytes() {
    let chain = chain("secrets-detector", json!({}));
    let mut changed = exchange(&body());
    run(&chain, Phase::PostUpstream, &mut changed).await.unwrap();
    assert!(!changed.response().unwrap().headers.contains_key("etag"));
    let mut same = exchange("{}");
    run(&chain, Phase::PostUpstream, &mut same).await.unwrap();
    assert!(same.response().unwrap().headers.contains_key("etag"));
}
