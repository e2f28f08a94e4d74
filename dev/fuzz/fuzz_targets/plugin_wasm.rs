//! Any module, and any answer of a module, fails by itself: no panic, no endless call, no more memory than allowed.
#![no_main]

use std::sync::Arc;
use tokenforge_plugin::wasm::{Limits, WasmPlugin};
use tokenforge_plugin::{Chain, Exchange, Outcome, Phase, Placement, ToolId};

const LIMITS: Limits = Limits { fuel: 100_000, memory_bytes: 1 << 20 };

libfuzzer_sys::fuzz_target!(|input: (bool, &[u8])| {
    let (is_module, bytes) = input;
    let module = if is_module { bytes.to_vec() } else { replying(bytes) };
    let Ok(plugin) = WasmPlugin::new(&module, LIMITS, serde_json::json!({})) else { return };
    let chain = Chain::new(vec![(Arc::new(plugin), Placement::default())]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (head, ()) = http::Request::new(()).into_parts();
    for &phase in Phase::ALL {
        let mut exchange = Exchange::new(head.clone(), ([127, 0, 0, 1], 1).into()).of_tool(ToolId::new("a", "b"));
        exchange.set_response(http::Response::new(()).into_parts().0);
        exchange.set_request_body("body".into());
        exchange.set_response_body("body".into());
        exchange.set_tool_arguments("{}".into());
        exchange.set_tool_result("{}".into());
        if let Outcome::Terminate(response) = runtime.block_on(chain.run(phase, &mut exchange)) {
            assert!(!response.status().is_informational());
        }
    }
});

/// A module that is called in every phase and always replies so.
fn replying(reply: &[u8]) -> Vec<u8> {
    let phases: Vec<String> = Phase::ALL.iter().map(|phase| format!("\"{phase}\":9")).collect();
    let description = format!("{{\"abi\":1,\"name\":\"fuzz\",\"phases\":{{{}}}}}", phases.join(","));
    let data = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let text = format!(
        r#"(module (memory (export "memory") 2)
            (data (i32.const 0) "{}") (data (i32.const 8192) "{}")
            (func (export "alloc") (param i32) (result i32) (i32.const 65536))
            (func (export "describe") (param i32 i32) (result i64) (i64.const {}))
            (func (export "call") (param i32 i32) (result i64) (i64.const {})))"#,
        data(description.as_bytes()),
        data(reply),
        description.len(),
        (8192_u64 << 32) | reply.len() as u64,
    );
    wat::parse_str(text).unwrap()
}
