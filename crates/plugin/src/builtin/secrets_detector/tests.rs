use crate::Phase;
use crate::builtin::testing::{chain, exchange, refused, routed, run};
use serde_json::{Value, json};

const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

fn body() -> String {
    json!({"text": format!("use {TOKEN}\n"), "n": 1}).to_string()
}

#[tokio::test]
async fn s9_a_secret_is_replaced_by_its_kind_where_models_would_hear_of_it() {
    let chain = chain("secrets-detector", json!({}));
    for (phase, mut exchange) in [
        (Phase::PreUpstream, exchange(&body())),
        (Phase::PostUpstream, routed(&body())),
        (Phase::ToolResult, exchange(&body())),
    ] {
        let redacted = run(&chain, phase, &mut exchange).await.unwrap();
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
async fn l8_what_models_say_and_tools_are_called_with_is_left_alone_unless_asked_for() {
    let usual = chain("secrets-detector", json!({}));
    let asked = chain("secrets-detector", json!({"places": ["tool_call"]}));
    let calls = || [(Phase::ToolCall, exchange(&body())), (Phase::PreUpstream, routed(&body()))];
    for (phase, mut exchange) in calls() {
        assert!(run(&usual, phase, &mut exchange).await.unwrap() == body(), "{phase}");
    }
    for (phase, mut exchange) in calls() {
        assert!(run(&asked, phase, &mut exchange).await.unwrap() != body(), "{phase}");
    }
    let everywhere = json!({"places": ["request", "tool_call", "tool_result"]});
    let everywhere = chain("secrets-detector", everywhere);
    let said = run(&everywhere, Phase::PostUpstream, &mut exchange(&body())).await;
    assert!(said.unwrap() == body());
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
    let chain = chain(
        "secrets-detector",
        json!({"action": "refuse", "places": ["request", "tool_call", "tool_result"]}),
    );
    for (phase, status, make) in [
        (Phase::PreUpstream, 403, exchange as fn(&str) -> _),
        (Phase::PostUpstream, 502, routed),
        (Phase::ToolCall, 403, exchange),
        (Phase::ToolResult, 502, exchange),
    ] {
        let response = run(&chain, phase, &mut make(&body())).await.unwrap_err();
        assert_eq!(response.status(), status, "{phase}");
        let text = str::from_utf8(response.body()).unwrap();
        assert!(text.contains("github") && !text.contains(&TOKEN[4..]), "{text}");
        assert_eq!(run(&chain, phase, &mut make("{\"a\":1}")).await.unwrap(), "{\"a\":1}");
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
    let mut exchange = routed(&body());
    assert_eq!(run(&chain, Phase::ToolResult, &mut exchange).await.unwrap_err().status(), 502);
    let mut response = exchange.take_response().unwrap();
    response.headers.insert("content-encoding", "gzip".parse().unwrap());
    exchange.set_response(response);
    let chain = crate::builtin::testing::chain("secrets-detector", json!({}));
    assert_eq!(run(&chain, Phase::PostUpstream, &mut exchange).await.unwrap_err().status(), 502);
}

#[tokio::test]
async fn what_is_no_text_and_streams_of_events_pass_by() {
    let chain = chain("secrets-detector", json!({}));
    for kind in ["image/png", "text/event-stream; charset=utf-8", "Multipart/form-data"] {
        let mut exchange = routed(&body());
        let mut response = exchange.take_response().unwrap();
        response.headers.insert("content-type", kind.parse().unwrap());
        exchange.set_response(response);
        assert!(run(&chain, Phase::PostUpstream, &mut exchange).await.unwrap() == body(), "{kind}");
    }
}

#[tokio::test]
async fn a_changed_response_loses_what_was_said_about_its_bytes() {
    let chain = chain("secrets-detector", json!({}));
    let mut changed = routed(&body());
    run(&chain, Phase::PostUpstream, &mut changed).await.unwrap();
    assert!(!changed.response().unwrap().headers.contains_key("etag"));
    let mut same = routed("{}");
    run(&chain, Phase::PostUpstream, &mut same).await.unwrap();
    assert!(same.response().unwrap().headers.contains_key("etag"));
}
