//! What the stdio proxy does about each message, without any program.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::{Value, json};
use tokenforge_config::{Mcp, McpClient, ToolList};
use tokenforge_mcp::{CALL_TOOL, FIND_TOOLS, HubSettings, ProxyMessages, ProxyStep, StdioProxy};

/// A secret, as a careless server says it.
const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

fn proxy_that(must_redact: bool, set: impl FnOnce(&mut Mcp)) -> StdioProxy {
    let mut mcp = Mcp::default();
    set(&mut mcp);
    StdioProxy::new(HubSettings {
        mcp,
        engine: Default::default(),
        expands: true,
        lists_expand_tool: true,
        must_redact,
        has_tenants: false,
    })
}

fn proxy() -> StdioProxy {
    proxy_that(false, |_| {})
}

/// For a client that may call `log` alone.
fn limited() -> StdioProxy {
    proxy_that(false, |mcp| {
        let only = McpClient { tools: Some(vec!["log".to_owned()]), ..McpClient::default() };
        mcp.clients.insert("*".to_owned(), only);
    })
}

fn searching() -> StdioProxy {
    proxy_that(false, |mcp| mcp.tool_list = ToolList::Search)
}

fn request(id: impl Into<Value>, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params}).to_string()
}

fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

fn answer(id: impl Into<Value>, result: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id.into(), "result": result}).to_string()
}

#[track_caller]
fn messages(step: ProxyStep) -> ProxyMessages {
    match step {
        ProxyStep::Messages(messages) => messages,
        other => panic!("{other:?}"),
    }
}

/// The only message to the client, and nothing to the server.
#[track_caller]
fn told(step: ProxyStep) -> Value {
    let messages = messages(step);
    assert!(messages.to_server.is_empty() && messages.to_client.len() == 1, "{messages:?}");
    serde_json::from_str(&messages.to_client[0]).unwrap()
}

#[track_caller]
fn changed(step: ProxyStep) -> String {
    match step {
        ProxyStep::Change(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn m23_a_tool_that_a_client_may_not_call_is_called_by_no_other_spelling_of_the_message() {
    let push = r#""method":"tools/call","params":{"name":"push"}"#;
    for text in [
        format!(r#"{{"id":1,{push}}}"#),
        format!(r#"{{"jsonrpc":"1.0","id":1,{push}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping",{push}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{}},{push}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":null,{push}}}"#),
        format!("\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":1,{push}}}"),
        format!(r#"{{"jsonrpc":"2.0","id":1,{push}}},"#),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"push","name":"log"}}"#
            .to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["push"]}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log","Name":"push"}}"#
            .to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"push"}}"#
            .to_owned(),
        call(1, "log", json!({})).replacen('{', r#"{"Params":{"name":"push"},"#, 1),
    ] {
        let error = told(limited().from_client(&text));
        assert!(error["error"]["code"].as_i64().unwrap() < -32000, "{text}: {error}");
        // A client that may call all tools may also write what the gateway cannot read.
        let step = proxy().from_client(&text);
        assert!(matches!(step, ProxyStep::Pass), "{text}: {step:?}");
    }
    assert!(matches!(limited().from_client("\r\n"), ProxyStep::Pass));
}

#[test]
fn m23_a_carriage_return_ends_no_message_within_another() {
    let inner = call(2, "push", json!({}));
    let text = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{{\"x\":\r{inner}\r}}}}\r\n"
    );
    let passed = changed(limited().from_client(&text));
    assert_eq!(passed, text.replace('\r', " "));
    assert!(matches!(proxy().from_client(&text), ProxyStep::Pass));
    let usual = format!("{}\r\n", call(3, "log", json!({})));
    assert!(matches!(limited().from_client(&usual), ProxyStep::Pass));
}

#[test]
fn m17_the_messages_of_a_batch_are_looked_at_one_by_one() {
    let text = format!("[{}, {}]\n", call(1, "push", json!({})), call(2, "log", json!({})));
    for mut proxy in [limited(), proxy()] {
        let ProxyStep::Batch(all) = proxy.from_client(&text) else { panic!("{text}") };
        assert_eq!(all, [call(1, "push", json!({})), call(2, "log", json!({}))]);
    }
    let mut proxy = proxy();
    proxy.from_client(&call(1, "log", json!({})));
    let result = answer(1, json!({"content": []}));
    let ProxyStep::Batch(all) = proxy.from_server(&format!("[{result}]")) else { panic!() };
    assert_eq!(all, std::slice::from_ref(&result));
    assert!(matches!(proxy.from_server(&all[0]), ProxyStep::Result(_)));
    for text in ["[]", "[1]", "[{}]"] {
        assert!(matches!(proxy.from_server(text), ProxyStep::Pass), "{text} is no batch");
    }
}

#[test]
fn m23_a_batch_in_a_batch_passes_for_no_limited_client() {
    let text = format!("[[{}],{}]", call(1, "push", json!({})), call(2, "log", json!({})));
    let mut proxy = limited();
    let ProxyStep::Batch(all) = proxy.from_client(&text) else { panic!("{text}") };
    let error = told(proxy.from_client_in_batch(&all[0]));
    assert_eq!(error["error"]["code"], -32600);
    assert!(matches!(proxy.from_client_in_batch(&all[1]), ProxyStep::Pass));
    assert!(matches!(self::proxy().from_client_in_batch(&all[0]), ProxyStep::Pass));
    // Nor does the server's.
    let list = answer(3, json!({"tools": [{"name": "push", "description": TOKEN}]}));
    for text in [format!("[[{list}],{list}]"), format!("[[{list}]]"), format!("[[[{list}]],1]")] {
        for mut proxy in [limited(), proxy_that(true, |_| {})] {
            let shown = match proxy.from_server(&text) {
                ProxyStep::Batch(all) => changed(proxy.from_server_in_batch(&all[0])),
                step => changed(step),
            };
            assert!(!shown.contains("push") && !shown.contains(TOKEN), "{text}: {shown}");
        }
    }
}

#[test]
fn m23_a_call_without_an_id_is_no_way_around_the_list() {
    let silent =
        json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "push"}}).to_string();
    let to = messages(limited().from_client(&silent));
    assert!(to.to_client.is_empty() && to.to_server.is_empty(), "{to:?}");
    assert!(matches!(proxy().from_client(&silent), ProxyStep::Pass));
    let told = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert!(matches!(limited().from_client(told), ProxyStep::Pass));
}

#[test]
fn d21_a_result_beside_an_error_that_is_null_has_no_secrets() {
    let mut proxy = proxy();
    proxy.from_client(&request(1, "notes/list", json!({})));
    let notes = json!({"notes": [{"text": TOKEN}]});
    let both = json!({"jsonrpc": "2.0", "id": 1, "result": notes, "error": null});
    let shown = changed(proxy.from_server(&both.to_string()));
    assert!(!shown.contains(TOKEN), "{shown}");
}

#[test]
fn m17_requests_with_long_ids_are_not_remembered_without_bound() {
    let mut proxy = proxy();
    let id = |n: u32| format!("{n}{}", "x".repeat(7 << 20));
    for n in 0..6 {
        proxy.from_client(&call(id(n), "log", json!({})));
    }
    let result = json!({"content": []});
    assert!(matches!(proxy.from_server(&answer(id(0), result.clone())), ProxyStep::Pass));
    assert!(matches!(proxy.from_server(&answer(id(5), result)), ProxyStep::Result(_)));
}

#[test]
fn m23_an_answer_to_a_request_that_is_forgotten_shows_no_hidden_tool() {
    let list = json!({"tools": [{"name": "log"}, {"name": "push"}]});
    let mut proxy = limited();
    proxy.from_client(&request(1, "tools/list", json!({})));
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert!(matches!(proxy.from_client(&cancelled.to_string()), ProxyStep::Pass));
    let shown = changed(proxy.from_server(&answer(1, list.clone())));
    assert!(shown.contains("log") && !shown.contains("push"), "{shown}");
    let mut proxy = limited();
    for id in 0..5000 {
        let method = if id == 0 { "tools/list" } else { "prompts/list" };
        proxy.from_client(&request(id, method, json!({})));
    }
    let shown = changed(proxy.from_server(&answer(0, list)));
    assert!(shown.contains("log") && !shown.contains("push"), "{shown}");
}

#[test]
fn m17_of_too_many_open_requests_the_last_ones_are_known() {
    let mut proxy = proxy();
    for id in 0..5000 {
        proxy.from_client(&call(id, "log", json!({})));
    }
    for id in [1000, 4096, 4999] {
        let step = proxy.from_server(&answer(id, json!({"content": []})));
        assert!(matches!(step, ProxyStep::Result(_)), "{id}: {step:?}");
    }
}

#[test]
fn d21_an_unknown_list_has_no_secrets() {
    let mut proxy = proxy();
    proxy.from_client(&request(1, "notes/list", json!({})));
    let shown = changed(proxy.from_server(&answer(1, json!({"notes": [{"text": TOKEN}]}))));
    assert!(!shown.contains(TOKEN), "{shown}");
    // Names and ids, which calls depend on, stay.
    let prompts = answer(2, json!({"prompts": [{"name": "x", "description": TOKEN}]}));
    proxy.from_client(&request(2, "prompts/list", json!({})));
    assert!(matches!(proxy.from_server(&prompts), ProxyStep::Pass));
}

#[test]
fn d21_a_server_hears_that_its_question_could_not_be_checked_and_the_client_hears_nothing() {
    let half = r#""params":{"messages":"\ud800"}"#;
    let mut proxy = proxy_that(true, |_| {});
    let question =
        format!(r#"{{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage",{half}}}"#);
    let to = messages(proxy.from_server(&question));
    assert!(to.to_client.is_empty(), "{to:?}");
    let error: Value = serde_json::from_str(&to.to_server[0]).unwrap();
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!("q"), &json!(-32601)));
    let word = format!(r#"{{"jsonrpc":"2.0","method":"notifications/message",{half}}}"#);
    let to = messages(proxy.from_server(&word));
    assert!(to.to_client.is_empty() && to.to_server.is_empty(), "{to:?}");
    assert!(matches!(proxy.from_server("\n"), ProxyStep::Pass), "an empty line says nothing");
}

fn cancel(id: &Value) -> String {
    let params = json!({ "requestId": id });
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
}

#[test]
fn m22_a_call_that_is_taken_back_while_it_waits_for_the_list_does_not_go_on() {
    let mut proxy = searching();
    let push = json!({"name": "push", "arguments": {}});
    let asked = messages(proxy.from_client(&call("a", CALL_TOOL, push.clone())));
    messages(proxy.from_client(&call("b", FIND_TOOLS, json!({"query": "push"}))));
    let to = messages(proxy.from_client(&cancel(&json!("a"))));
    assert!(to.to_client.is_empty() && to.to_server.is_empty(), "the server has no such request");
    let own = |text: &str| serde_json::from_str::<Value>(text).unwrap()["id"].clone();
    let list = answer(own(&asked.to_server[0]), json!({"tools": [{"name": "push"}]}));
    assert_eq!(told(proxy.from_server(&list))["id"], "b", "who did not take it back is answered");
    // What the server has is taken back there.
    let to = messages(proxy.from_client(&call("c", CALL_TOOL, push)));
    assert_eq!(to.to_server.len(), 1);
    assert!(matches!(proxy.from_client(&cancel(&json!("c"))), ProxyStep::Pass));
}

#[test]
fn m21_a_list_without_a_waiting_request_is_cancelled_and_not_forwarded() {
    let mut proxy = searching();
    let find = |id: u32| call(id, FIND_TOOLS, json!({"query": "push"}));
    let asked = messages(proxy.from_client(&find(1))).to_server;
    let own = serde_json::from_str::<Value>(&asked[0]).unwrap()["id"].clone();
    let to = messages(proxy.from_client(&cancel(&json!(1))));
    let sent: Value = serde_json::from_str(&to.to_server[0]).unwrap();
    assert_eq!(sent["params"]["requestId"], own);
    // It is answered all the same.
    let to = messages(proxy.from_server(&answer(own, json!({"tools": []}))));
    assert!(to.to_client.is_empty() && to.to_server.is_empty(), "{to:?}");
    assert_eq!(messages(proxy.from_client(&find(2))).to_server.len(), 1, "and asked for anew");
}

#[test]
fn m24_the_result_of_a_task_is_known_however_long_its_arguments_were_and_however_many_follow() {
    let mut proxy = proxy();
    let long = json!({"text": "x".repeat(64 << 10)});
    for id in 0..1500 {
        let arguments = if id == 1000 { long.clone() } else { json!({}) };
        proxy.from_client(&call(id, "log", arguments));
        let task = json!({"taskId": format!("task-{id}"), "status": "working"});
        proxy.from_server(&answer(id, json!({ "task": task })));
    }
    for task in [600, 1000, 1499] {
        let fetch = request("r", "tasks/result", json!({"taskId": format!("task-{task}")}));
        proxy.from_client(&fetch);
        let step = proxy.from_server(&answer("r", json!({"content": []})));
        assert!(matches!(step, ProxyStep::Result(_)), "{task}: {step:?}");
    }
}

#[test]
fn d21_how_a_server_says_that_it_is_to_be_used_has_no_secrets() {
    let mut proxy = proxy();
    proxy.from_client(&request(1, "initialize", json!({"clientInfo": {"name": "x"}})));
    let shown = changed(proxy.from_server(&answer(1, json!({"instructions": TOKEN}))));
    assert!(!shown.contains(TOKEN), "{shown}");
}
