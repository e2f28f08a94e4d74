//! Which form a client gets, and how it hears which.

use crate::behaviour::{pretty_rows, rows, test_run};
use crate::kit::*;
use serde_json::{Value, json};
use tokenforge_formats::decode_any;
use tokenforge_formats::negotiate::Format;
use tokenforge_mcp::{FORMAT_KEY, RESULT_KEY};

fn value_of(text: &str) -> Value {
    serde_json::from_str(&decode_any(text, 1 << 20).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn m3_m4_m5_the_header_wins_over_accept_and_the_answer_says_what_was_sent() {
    let world = world_with(&[("w", program())], |mcp| mcp.format = Some(Format::Json)).await;
    let client = world.client("/mcp").await;
    let toon = client
        .call_with(&[("x-prefer-format", "TOON"), ("accept", "application/stc+json")], "w__rows")
        .await;
    assert_eq!(toon.header("x-content-format"), Some("toon"));
    assert_eq!(value_of(toon.text()), rows());
    assert_eq!(toon.result()["_meta"][RESULT_KEY]["format"], "toon");
    let json =
        client.call_with(&[("x-prefer-format", "json"), ("accept", "text/toon")], "w__rows").await;
    assert_eq!(
        (json.header("x-content-format"), json.text()),
        (Some("json"), pretty_rows().as_str())
    );
    let accepted = client.call_with(&[("accept", "text/toon")], "w__rows").await;
    assert_eq!(accepted.header("x-content-format"), Some("toon"));
    let refused = client.call_with(&[("accept", "text/toon;q=0")], "w__rows").await;
    assert_eq!(refused.header("x-content-format"), Some("json"));
    let coded = client.call_with(&[("accept-encoding", "stc, gzip")], "w__rows").await;
    assert_eq!(
        (coded.header("x-content-format"), coded.header("content-encoding")),
        (Some("stc"), None)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn m3_only_a_request_that_names_stc_version_2_gets_it() {
    let world = world(&[("w", program())]).await;
    let client = world.client("/mcp").await;
    for form in ["stc", "auto"] {
        let form = ("x-prefer-format", form);
        for version in ["1", "2"] {
            let reply = client.call_with(&[form, ("x-stc-version", version)], "w__rows").await;
            assert_eq!(reply.text().starts_with("stc2"), version == "2", "{}", reply.text());
            // Who leaves the form to us may get lines that lean on others, which are no form of JSON alone.
            if form.1 == "stc" || version == "2" {
                assert_eq!(reply.header("x-content-format"), Some("stc"));
                assert_eq!(value_of(reply.text()), rows());
            }
        }
        let reply = client.call_with(&[form], "w__rows").await;
        assert!(!reply.text().starts_with("stc2"), "{}", reply.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a1_d11_d56_programs_get_json_and_the_models_of_known_agents_stc_2() {
    let world = world_with(&[("w", program())], |mcp| mcp.format = None).await;
    let program = world.client_named("/mcp", "mcp", json!({})).await;
    let reply = program.call("w__rows", json!({})).await;
    assert_eq!(serde_json::from_str::<Value>(reply.text()).unwrap(), rows());
    assert_eq!(reply.text(), pretty_rows(), "not a byte is another");
    assert!(!names(&program.tools().await).contains(&"expand_context"), "it would be of no use");
    let codex = world.client_named("/mcp", "codex-mcp-client", json!({})).await;
    assert_eq!(codex.call("w__rows", json!({})).await.text(), pretty_rows());
    for agent in ["claude-code", "gemini-cli-mcp-client-w", "opencode"] {
        let agent = world.client_named("/mcp", agent, json!({})).await;
        let reply = agent.call("w__rows", json!({})).await;
        assert!(reply.text().starts_with("stc2"), "{}", reply.text());
        assert_eq!(value_of(reply.text()), rows());
        assert!(names(&agent.tools().await).contains(&"expand_context"));
        let asked = agent.call_with(&[("x-prefer-format", "json")], "w__rows").await;
        assert_eq!(asked.text(), pretty_rows());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m3_the_format_may_come_in_meta() {
    let world = world(&[("w", program())]).await;
    let client = world.client("/mcp").await;
    let params = json!({"name": "w__rows", "_meta": {FORMAT_KEY: "stc"}});
    let reply = client.ask("tools/call", params).await;
    assert_eq!(reply.header("x-content-format"), Some("stc"));
}

#[tokio::test(flavor = "multi_thread")]
async fn m7_i12_schemas_and_structured_copies_stay_or_go_together_by_client() {
    let world = world(&[("w", program())]).await;
    let has_schema = |tools: &[Value]| tools.iter().any(|tool| tool.get("outputSchema").is_some());
    for path in ["/mcp", "/mcp/w"] {
        let tool = if path == "/mcp" { "w__structured" } else { "structured" };
        let other = world.client(path).await;
        assert!(has_schema(&other.tools().await));
        let reply = other.call(tool, json!({})).await;
        assert_eq!(reply.result()["structuredContent"], json!({ "rows": rows() }));
        assert_eq!(value_of(reply.text()), json!({ "rows": rows() }));
        let claude = world.client_named(path, "claude-code", json!({})).await;
        assert!(!has_schema(&claude.tools().await));
        let reply = claude.call(tool, json!({})).await;
        assert!(reply.result().get("structuredContent").is_none());
        assert_eq!(value_of(reply.text()), json!({ "rows": rows() }));
        let codex = world.client_named(path, "codex-mcp-client", json!({})).await;
        assert!(has_schema(&codex.tools().await));
        let reply = codex.call(tool, json!({})).await;
        assert_eq!(reply.result()["structuredContent"], json!({ "rows": rows() }));
        assert_eq!(reply.text(), "See structuredContent.");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m8_m9_blocks_errors_and_meta_are_kept() {
    let world = world(&[("w", program())]).await;
    let client = world.client("/mcp/w").await;
    let mixed = client.call("mixed", json!({})).await;
    let content = mixed.result()["content"].as_array().unwrap();
    let kinds: Vec<&str> = content.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["image", "text", "text"]);
    assert_eq!(content[0]["data"], "aGk=");
    assert_eq!(mixed.result()["_meta"]["theirs"], 1);
    let failed = client.call("fail", json!({})).await;
    assert_eq!((&failed.result()["isError"], failed.text()), (&json!(true), "it failed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn l4_what_is_left_out_can_be_asked_for_by_whom_it_was_left_out_for() {
    let world = world(&[("w", program())]).await;
    let client = world.client("/mcp").await;
    let reply = client
        .ask("tools/call", json!({"name": "w__tests", "arguments": {"command": "cargo test"}}))
        .await;
    let reference = reply.result()["_meta"][RESULT_KEY]["original_ref"][0].as_str();
    let reference =
        reference.unwrap_or_else(|| panic!("nothing was left out: {}", reply.text())).to_owned();
    assert!(reply.text().len() < test_run().len() / 4);
    let whole = client.call("expand_context", json!({ "id": reference })).await;
    assert_eq!(whole.text(), test_run());
    let part =
        client.call("expand_context", json!({"id": reference, "grep": "case_number_7 "})).await;
    assert!(part.text().contains("case_number_7 ") && part.text().len() < 200, "{}", part.text());
    let unknown = client.call("expand_context", json!({"id": "shadow_nothing"})).await;
    assert_eq!(unknown.result()["isError"], true);
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "o"}});
    let other = [("x-tenant", "other")];
    let begun = world.post("/mcp", &other, &request(0, "initialize", params)).await;
    let headers =
        [("x-tenant", "other"), ("mcp-session-id", begun.header("mcp-session-id").unwrap())];
    let call =
        request(1, "tools/call", json!({"name": "expand_context", "arguments": {"id": reference}}));
    let foreign = world.post("/mcp", &headers, &call).await;
    assert_eq!(foreign.result()["isError"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn i13_observed_results_are_counted_and_our_tool_is_not_listed() {
    let world = world_with(&[("w", program())], |mcp| mcp.observe = true).await;
    let client = world.client("/mcp/w").await;
    assert_eq!(client.call("rows", json!({})).await.text(), pretty_rows());
    assert!(!names(&client.tools().await).contains(&"expand_context"));
    let figures = world.hub.stats().document();
    let formats = figures["tools"][0]["formats"].as_object().unwrap();
    assert!(formats.values().any(|saved| saved["tokens_saved"].as_i64().unwrap() > 0), "{figures}");
}

#[tokio::test(flavor = "multi_thread")]
async fn l3_what_a_server_reads_from_a_file_stays_exact() {
    let world = world(&[("fs", program())]).await;
    for (path, tool) in [("/mcp", "fs__read_text_file"), ("/mcp/fs", "read_text_file")] {
        let client = world.client(path).await;
        assert_eq!(client.call(tool, json!({"path": "rows.json"})).await.text(), pretty_rows());
    }
}
