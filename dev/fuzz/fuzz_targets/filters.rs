//! Whatever a tool says, what filters leave of it is JSON of the same shape, and filtering it again changes nothing.
#![no_main]

use serde_json::{Value, json};
use tokenforge_plugin::{Chain, Exchange, Outcome, Phase, Placement, Registry, ToolId};

libfuzzer_sys::fuzz_target!(|texts: Vec<(String, String)>| {
    let mut registry = Registry::default();
    tokenforge_plugin::builtin::register(&mut registry).unwrap();
    let plugins = ["pii-filter", "secrets-detector"].map(|name| (registry.build(name, &Value::Null).unwrap(), Placement::default()));
    let chain = Chain::new(plugins.into());
    let inner = json!({"inner": &texts}).to_string();
    let members: serde_json::Map<String, Value> = texts.iter().map(|(name, text)| (name.clone(), json!([text, &inner]))).collect();
    let once = filtered(&chain, &Value::Object(members.clone()));
    assert_eq!(once.as_object().unwrap().keys().collect::<Vec<_>>(), members.keys().collect::<Vec<_>>());
    assert_eq!(filtered(&chain, &once), once);
});

fn filtered(chain: &Chain, result: &Value) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (head, ()) = http::Request::new(()).into_parts();
    let mut exchange = Exchange::new(head, ([127, 0, 0, 1], 1).into()).of_tool(ToolId::new("a", "b"));
    exchange.set_tool_result(result.to_string().into());
    assert!(matches!(runtime.block_on(chain.run(Phase::ToolResult, &mut exchange)), Outcome::Continue));
    assert!(exchange.take_failures().is_empty());
    serde_json::from_slice(&exchange.take_tool_result().unwrap()).unwrap()
}
