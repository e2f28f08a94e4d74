//! Modules as text, and requests for them.

use http::{Request, Response};
use std::sync::Arc;
use tokenforge_plugin::wasm::{Fault, Limits, WasmPlugin};
use tokenforge_plugin::{Chain, ErrorPolicy, Exchange, Placement, ToolId};

/// Limits that are reached soon.
pub(crate) const SMALL: Limits = Limits { fuel: 5_000_000, memory_bytes: 1 << 20 };

/// Describes a plugin that sees everything.
pub(crate) const EVERYWHERE: &str = r#"{"abi":1,"name":"test","phases":{"pre_auth":0,"post_auth":0,"pre_upstream":1000,
    "post_upstream":1000,"tool_call":1000,"tool_result":1000,"on_error":1000}}"#;

/// A module that describes itself so, with this function body for `call` and these other fields.
pub(crate) fn module(description: &str, call: &str, fields: &str) -> Vec<u8> {
    let text = format!(
        r#"(module
            (memory (export "memory") 2)
            (data (i32.const 0) "{data}")
            (func (export "alloc") (param i32) (result i32) (i32.const 8192))
            (func (export "describe") (param i32 i32) (result i64) (i64.const {length}))
            (func (export "call") (param $message i32) (param $length i32) (result i64) {call})
            {fields})"#,
        data = escaped(description),
        length = description.len(),
    );
    wat::parse_str(text).unwrap()
}

/// A module that always replies so.
pub(crate) fn replying(reply: &[u8]) -> Vec<u8> {
    let call = format!("(i64.const {})", (2048_u64 << 32) | reply.len() as u64);
    let bytes: String = reply.iter().map(|byte| format!("\\{byte:02x}")).collect();
    module(EVERYWHERE, &call, &format!("(data (i32.const 2048) \"{bytes}\")"))
}

/// A module that answers requests itself, with the message that it was given.
pub(crate) fn mirror(description: &str) -> Vec<u8> {
    const HEAD: &str = "{\"flow\":\"terminate\",\"status\":200,\"body\":true}\n";
    let call = format!(
        "(memory.copy (i32.const {after}) (local.get $message) (local.get $length))
         (i64.or (i64.const {pointer}) (i64.extend_i32_u (i32.add (local.get $length) (i32.const {head}))))",
        after = 2048 + HEAD.len(),
        pointer = 2048_u64 << 32,
        head = HEAD.len(),
    );
    module(description, &call, &format!("(data (i32.const 2048) \"{}\")", escaped(HEAD)))
}

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("\\{byte:02x}")).collect()
}

pub(crate) fn plugin(wasm: &[u8]) -> Result<WasmPlugin, Fault> {
    WasmPlugin::new(wasm, SMALL, serde_json::json!({"a": 1}))
}

/// A chain of one module.
pub(crate) fn chain(wasm: &[u8]) -> Chain {
    chain_of(plugin(wasm).unwrap())
}

pub(crate) fn chain_of(plugin: WasmPlugin) -> Chain {
    let placement = Placement {
        on_error: ErrorPolicy::Open,
        timeout: std::time::Duration::from_secs(60),
        ..Placement::default()
    };
    Chain::new(vec![(Arc::new(plugin), placement)])
}

/// A request, its response and a tool call, complete.
pub(crate) fn exchange() -> Exchange {
    let request = Request::post("/v1/messages?x=1").header("x-from", "client").body(()).unwrap();
    let mut exchange = Exchange::new(request.into_parts().0, ([127, 0, 0, 1], 50_000).into());
    exchange.tenant = Some("acme".into());
    let mut exchange = exchange.of_tool(ToolId::new("files", "read"));
    exchange.set_request_body("question".into());
    let response = Response::builder().status(201).header("x-from", "upstream").body(()).unwrap();
    exchange.set_response(response.into_parts().0);
    exchange.set_response_body("answer".into());
    exchange.set_tool_arguments("{\"path\":1}".into());
    exchange.set_tool_result("{\"content\":[]}".into());
    exchange
}
