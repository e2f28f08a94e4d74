//! Tool servers behind the gateway: who may call them, and who may change them.

use crate::kit::{Ask, World, rows, world_on, world_with};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tokenforge_config::{GatewayKey, McpBackend, McpClient, PluginSettings, Secret, Settings};
use tokenforge_mock::client::Answer;
use tokenforge_store::{EntryKind, MemoryStore, Store};

/// A tool server in a shell: it has one tool, which puts out rows.
fn server() -> Value {
    saying(&rows())
}

/// The same, whose tool puts out this.
fn saying(text: &str) -> Value {
    let greeting = json!({
        "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "sh", "version": "1"},
    });
    let tools = json!({"tools": [{"name": "rows", "inputSchema": {"type": "object"}}]});
    let result = json!({"content": [{"type": "text", "text": text}]});
    let script = r#"while IFS= read -r line; do
        id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
        case "$line" in
            *'"initialize"'*) result=$GREETING ;;
            *'"tools/list"'*) result=$TOOLS ;;
            *'"tools/call"'*) result=$RESULT ;;
            *) continue ;;
        esac
        printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
    done"#;
    json!({
        "command": "sh", "args": ["-c", script],
        "env": {"GREETING": greeting.to_string(), "TOOLS": tools.to_string(), "RESULT": result.to_string()},
    })
}

/// A gateway that has the server from its settings.
fn with_server(set: impl FnOnce(&mut Settings)) -> World {
    world_with(|settings| {
        let backend = McpBackend::from_json("sh", &server()).unwrap();
        settings.mcp.backends.insert("sh".to_owned(), backend);
        set(settings);
    })
}

#[test]
fn m24_the_result_of_a_task_is_that_of_a_call_for_another_gateway_with_the_same_store() {
    let store = Arc::new(MemoryStore::default());
    let gateway = || {
        world_on(store.clone(), |settings| {
            let mut server = server();
            let tasks = json!({"list": {}, "requests": {"tools": {"call": {}}}});
            let greeting = json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "tasks": tasks},
                "serverInfo": {"name": "sh", "version": "1"},
            });
            server["env"]["GREETING"] = greeting.to_string().into();
            let task = json!({"task": {"taskId": "one", "status": "working"}});
            server["env"]["TASK"] = task.to_string().into();
            let script = server["args"][1].as_str().unwrap();
            let script = script.replace(
                r#"*'"tools/call"'*"#,
                r#"*'"task":{}'*) result=$TASK ;; *'"tasks/result"'* | *'"tools/call"'*"#,
            );
            server["args"][1] = script.into();
            let backend = McpBackend::from_json("sh", &server).unwrap();
            settings.mcp.backends.insert("sh".to_owned(), backend);
        })
    };
    let ask = |world: &World, method: &str, params: Value| {
        let begun = world.send(post("/mcp", &message("initialize", json!({}))));
        let session = begun.header("mcp-session-id").to_owned();
        let ask = post("/mcp", &message(method, params)).header("mcp-session-id", &session);
        world.send(ask.header("x-prefer-format", "toon")).json()["result"].clone()
    };
    let first = gateway();
    let call = json!({"name": "sh__rows", "arguments": {}});
    let direct = ask(&first, "tools/call", call.clone())["content"].clone();
    let mut begin = call;
    begin["task"] = json!({});
    let begun = ask(&first, "tools/call", begin);
    assert_eq!(begun["task"]["taskId"], "sh__one", "{begun}");
    while store.stats().unwrap().of(EntryKind::Kept).entries == 0 {
        std::thread::yield_now();
    }
    drop(first);
    let fetched = ask(&gateway(), "tasks/result", json!({"taskId": "sh__one"}));
    assert_eq!(fetched["content"], direct);
    assert!(fetched.to_string().len() < rows().len());
}

/// Puts servers into the file, as `tokenforge mcp add` does.
fn write(folder: &Path, servers: Value) {
    fs::write(folder.join("mcp.json"), json!({ "backends": servers }).to_string()).unwrap();
}

fn message(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn post(path: &str, body: &str) -> Ask {
    Ask::post(path, body).header("accept", "application/json, text/event-stream")
}

/// Begins a session and calls a tool.
fn call(world: &World, tool: &str, headers: &[(&str, &str)]) -> Answer {
    let all = |ask: Ask| headers.iter().fold(ask, |ask, (name, value)| ask.header(name, value));
    let begun = world.send(all(post("/mcp", &message("initialize", json!({})))));
    let session = begun.header("mcp-session-id").to_owned();
    let call = post("/mcp", &message("tools/call", json!({"name": tool, "arguments": {}})));
    world.send(all(call).header("mcp-session-id", &session))
}

fn in_folder(folder: &Path) -> World {
    world_with(|settings| settings.mcp.file = Some(folder.join("mcp.json")))
}

#[test]
fn m14_m18_m20_servers_are_added_used_kept_and_removed_without_any_database() {
    let folder = tempfile::tempdir().unwrap();
    let world = in_folder(folder.path());
    let operate = |world: &World, method: &str, path: &str| {
        world.operate(Ask::new(method, &format!("/_forge/api/mcp{path}")))
    };
    write(folder.path(), json!({"sh": server()}));
    assert_eq!(world.get("/_forge/api/mcp").json()["backends"], json!([]));
    let read = operate(&world, "POST", "/reload");
    assert_eq!((read.status, &read.json()["backends"][0]["prefix"]), (200, &json!("sh")));
    write(folder.path(), json!({"s__h": server()}));
    assert_eq!(operate(&world, "POST", "/reload").status, 500, "what cannot be read is not used");
    write(folder.path(), json!({"sh": server()}));
    let result = call(&world, "sh__rows", &[("x-prefer-format", "toon")]);
    assert_eq!(result.header("x-content-format"), "toon", "{}", result.text());
    assert_eq!(operate(&world, "GET", "/sh/tools").json()["tools"][0]["name"], "rows");
    let disabled = operate(&world, "POST", "/sh/disable");
    assert_eq!(disabled.json()["enabled"], false);
    assert_eq!(call(&world, "sh__rows", &[]).json()["error"]["code"], -32602);
    drop(world);
    let world = in_folder(folder.path());
    assert_eq!(world.get("/_forge/api/mcp/sh").json()["enabled"], false);
    assert_eq!(operate(&world, "POST", "/sh/enable").json()["enabled"], true);
    let patch = Ask::new("PATCH", "/_forge/api/mcp/sh").body(r#"{"timeout": "7s"}"#);
    assert_eq!(world.operate(patch).json()["timeout"], "7s");
    assert_eq!(operate(&world, "POST", "/sh/refresh").json()["tools"][0]["name"], "rows");
    assert!(call(&world, "sh__rows", &[]).json()["result"].is_object());
    assert_eq!(operate(&world, "DELETE", "/sh").status, 200);
    assert_eq!(world.get("/_forge/api/mcp/sh").status, 404);
    assert_eq!(world.get("/_forge/api/mcp").json()["backends"], json!([]));
}

#[test]
fn m15_calls_are_counted_for_the_operator_and_for_prometheus() {
    let world = with_server(|_| {});
    call(&world, "sh__rows", &[]);
    let stats = world.get("/_forge/api/mcp/stats").json();
    assert_eq!(stats["tools"][0]["calls"], 1, "{stats}");
    let text = world.get("/_forge/metrics").text();
    assert!(text.contains("tokenforge_mcp_calls_total{backend=\"sh\",tool=\"rows\"} 1"), "{text}");
}

#[test]
fn what_a_call_saved_is_written_down_with_its_tool_and_its_client() {
    let folder = tempfile::tempdir().unwrap();
    let world = with_server(|settings| settings.ledger.path = Some(folder.path().to_owned()));
    call(&world, "sh__rows", &[("user-agent", "agent/7"), ("x-prefer-format", "auto")]);
    // What waits to be written is written first.
    let gain = world.get("/_forge/api/gain").json();
    assert_eq!((&gain["requests"], &gain["results"]), (&json!(1), &json!(1)), "{gain}");
    let row = &gain["rows"][0];
    assert_eq!(row["name"], "mcp__sh__rows");
    assert!(row["after"].as_u64().unwrap() < row["before"].as_u64().unwrap(), "{gain}");
    assert_eq!(row["cost_saved"], Value::Null, "the model is unknown");
    let by_client = world.get("/_forge/api/gain?by=client").json();
    assert_eq!(by_client["rows"][0]["name"], "agent");
    assert_eq!(row["before"], world.counter("fresh_tokens_before"));
    assert_eq!(row["after"], world.counter("fresh_tokens_after"));
}

#[test]
fn m16_nothing_is_shown_or_changed_without_the_token_and_no_key_with_it() {
    let web = json!({
        "url": "http://127.0.0.1:9/mcp?key=very-secret", "headers": {"X-Key": "very-secret"},
    });
    let keyed =
        json!({"command": "x", "args": ["--key", "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"]});
    let world = world_with(|settings| {
        settings.admin_token = Some(Secret::new("the-token"));
        for (prefix, tree) in [("web", web), ("sh", keyed)] {
            let backend = McpBackend::from_json(prefix, &tree).unwrap();
            settings.mcp.backends.insert(prefix.to_owned(), backend);
        }
    });
    assert_eq!(world.post("/_forge/api/mcp/reload", "").status, 401);
    assert_eq!(world.get("/_forge/api/mcp").status, 401);
    let token = |ask: Ask| ask.header("authorization", "Bearer the-token");
    assert_eq!(world.send(token(Ask::new("GET", "/_forge/api/mcp/web"))).status, 200);
    for path in [
        "/_forge/api/mcp",
        "/_forge/api/mcp/web",
        "/_forge/api/mcp/sh",
        "/_forge/api/mcp/web/tools",
    ] {
        let shown = world.send(token(Ask::new("GET", path))).text();
        assert!(!shown.contains("very-secret") && !shown.contains("ghp_a1B2"), "{shown}");
    }
    assert!(Settings::default().listen.ip().is_loopback());
}

#[test]
fn a_client_without_a_gateway_key_calls_no_tool() {
    let key = GatewayKey { name: "web".into(), key: Secret::new("k1") };
    let world = world_with(|settings| settings.keys = vec![key]);
    assert_eq!(world.send(post("/mcp", &message("initialize", json!({})))).status, 401);
    let with_key = post("/mcp", &message("initialize", json!({}))).header("x-forge-key", "k1");
    // A client with a key may use any name for the gateway.
    assert_eq!(world.send(with_key.header("host", "gateway.example")).status, 200);
}

#[test]
fn a_page_of_a_website_calls_no_tool() {
    let world = world_with(|_| {});
    let hello = || post("/mcp", &message("initialize", json!({})));
    assert_eq!(world.send(hello().header("origin", "https://evil.example")).status, 403);
    assert_eq!(world.send(hello().header("host", "evil.example")).status, 403);
    assert_eq!(world.send(hello()).status, 200);
}

#[test]
fn i16_plugins_look_at_a_result_before_its_form_is_chosen() {
    let row = |n: u32| json!({"id": n, "mail": "jane.roe@contoso.com", "state": "open"});
    let people: Value = (0..30).map(row).collect();
    let backend = McpBackend::from_json("sh", &saying(&people.to_string())).unwrap();
    let world = world_with(|settings| {
        settings.plugins = vec![PluginSettings::named("pii-filter")];
        settings.mcp.backends.insert("sh".to_owned(), backend);
    });
    let result = call(&world, "sh__rows", &[("x-prefer-format", "toon")]);
    assert_eq!(result.header("x-content-format"), "toon", "{}", result.text());
    assert!(!result.text().contains("jane.roe"), "{}", result.text());
}

#[test]
fn m23_a_gateway_key_has_the_tools_of_its_entry_whatever_its_client_is_called() {
    let world = with_server(|settings| {
        let key = |name: &str, key| GatewayKey { name: name.to_owned(), key: Secret::new(key) };
        settings.keys = vec![key("web", "k1"), key("ops", "k2")];
        let nothing = McpClient { tools: Some(vec![]), ..McpClient::default() };
        settings.mcp.clients.insert("web".to_owned(), nothing);
    });
    let refused = call(&world, "sh__rows", &[("x-forge-key", "k1"), ("user-agent", "ops/1")]);
    assert_eq!(refused.json()["error"]["code"], -32602, "{}", refused.text());
    let allowed = call(&world, "sh__rows", &[("x-forge-key", "k2")]);
    assert!(allowed.json()["result"]["content"].is_array(), "{}", allowed.text());
}
