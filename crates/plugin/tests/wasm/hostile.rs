//! Modules that mean harm, or are broken: none of them harms anybody but its own call.

use crate::kit::{EVERYWHERE, SMALL, chain, chain_of, exchange, module, plugin, replying};
use std::time::Duration;
use tokenforge_plugin::wasm::{Fault, Limits, WasmPlugin};
use tokenforge_plugin::{Chain, FailureCause, Outcome, Phase, Placement};

/// What went wrong in a call, after which everything is as it was.
async fn failure(chain: &Chain, phase: Phase) -> String {
    let mut exchange = exchange();
    assert!(matches!(chain.run(phase, &mut exchange).await, Outcome::Continue));
    assert_eq!(exchange.take_request_body().unwrap(), "question");
    assert!(!exchange.request().headers.contains_key("x-new"));
    exchange.take_failures().remove(0).to_string()
}

async fn failure_of(call: &str) -> String {
    failure(&chain(&module(EVERYWHERE, call, "")), Phase::PreUpstream).await
}

#[track_caller]
fn refused(wasm: &[u8]) -> Fault {
    plugin(wasm).err().unwrap()
}

#[tokio::test]
async fn an_endless_loop_ends_with_its_fuel() {
    let failure = failure_of("(loop $again (br $again)) (i64.const 0)").await;
    assert!(failure.ends_with("the module used up its fuel of 5000000"), "{failure}");
}

#[test]
fn an_endless_loop_where_the_module_is_asked_what_it_is_ends_too() {
    let text = r#"(module (memory (export "memory") 1)
        (func (export "alloc") (param i32) (result i32) (i32.const 0))
        (func (export "describe") (param i32 i32) (result i64) (loop $again (br $again)) (i64.const 0))
        (func (export "call") (param i32 i32) (result i64) (i64.const 0)))"#;
    assert!(matches!(refused(&wat::parse_str(text).unwrap()), Fault::OutOfFuel(_)));
}

#[tokio::test]
async fn a_loop_over_all_memory_costs_what_it_takes() {
    let fill = "(loop $again (memory.fill (i32.const 0) (i32.const 1) (i32.const 131072)) (br $again)) (i64.const 0)";
    assert!(failure_of(fill).await.contains("fuel"));
}

#[test]
fn a_call_past_its_timeout_is_stopped_although_it_has_fuel() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let endless = module(EVERYWHERE, "(loop $again (br $again)) (i64.const 0)", "");
    let limits = Limits { fuel: u64::MAX / 2, ..SMALL };
    let plugin = WasmPlugin::new(&endless, limits, serde_json::Value::Null).unwrap();
    let placement = Placement { timeout: Duration::from_millis(1), ..Placement::default() };
    let chain = Chain::new(vec![(std::sync::Arc::new(plugin), placement)]);
    let mut exchange = exchange();
    assert!(matches!(
        runtime.block_on(chain.run(Phase::PreAuth, &mut exchange)),
        Outcome::Continue
    ));
    assert!(matches!(exchange.take_failures()[0].cause, FailureCause::Timeout(_)));
    // This waits for the thread on which the module ran.
    drop(runtime);
}

#[tokio::test]
async fn memory_grows_to_its_limit_and_not_beyond() {
    let grow = "(loop $again (br_if $again (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
        (i64.div_s (i64.const 1) (i64.extend_i32_u (i32.sub (memory.size) (i32.const 16))))";
    // A megabyte is 16 pages: were it another number, nothing would be divided by zero.
    assert!(failure_of(grow).await.contains("zero"));
}

#[test]
fn a_module_that_begins_with_too_much_memory_is_refused() {
    for memory in ["(memory (export \"memory\") 60000)", "(memory (export \"memory\") 17)"] {
        let text = format!(
            r#"(module {memory}
            (func (export "alloc") (param i32) (result i32) (i32.const 0))
            (func (export "describe") (param i32 i32) (result i64) (i64.const 0))
            (func (export "call") (param i32 i32) (result i64) (i64.const 0)))"#
        );
        assert!(matches!(refused(&wat::parse_str(text).unwrap()), Fault::Invalid(_)), "{memory}");
    }
}

#[tokio::test]
async fn an_answer_outside_the_memory_is_refused() {
    for answer in [
        "0x0002000000000001",
        "0x0001ffff00000002",
        "0xffffffffffffffff",
        "0x00000000ffffffff",
        "0xffffffff00000001",
        "0x8000000080000000",
    ] {
        let failure = failure_of(&format!("(i64.const {answer})")).await;
        assert!(failure.ends_with("gave an answer outside its memory"), "{answer}: {failure}");
    }
}

#[test]
fn room_outside_the_memory_is_refused() {
    for pointer in ["-1", "131072", "131071", "0x80000000"] {
        let text = format!(
            r#"(module (memory (export "memory") 2)
            (func (export "alloc") (param i32) (result i32) (i32.const {pointer}))
            (func (export "describe") (param i32 i32) (result i64) (i64.const 0))
            (func (export "call") (param i32 i32) (result i64) (i64.const 0)))"#
        );
        assert!(
            matches!(refused(&wat::parse_str(text).unwrap()), Fault::OutOfBounds(_)),
            "{pointer}"
        );
    }
}

#[tokio::test]
async fn a_reply_that_cannot_be_read_is_refused_and_not_repeated() {
    for reply in [
        &b""[..],
        b"secret",
        b"\xff\xfe",
        b"{\"flow\":\"secret\"}",
        b"{\"secret\":1}",
        b"{} secret",
        b"[]",
        b"{\"status\":\"secret\"}",
        b"{\"headers\":{\"a\":\"\xff\"}}",
    ] {
        let failure = failure(&chain(&replying(reply)), Phase::PreUpstream).await;
        assert!(failure.contains("the module's answer to `call` cannot be read"), "{failure}");
        assert!(!failure.contains("secret"), "{failure}");
    }
}

#[tokio::test]
async fn a_reply_that_asks_for_what_it_may_not_is_refused_and_undone() {
    for (phase, reply) in [
        (Phase::PreAuth, "{\"body\":true}\nnew"),
        (Phase::PreUpstream, "{\"headers\":{\"x-new\":\"1\"},\"status\":200}"),
        (Phase::PreUpstream, "{\"headers\":{\"x-new\":\"1\",\"transfer-encoding\":\"chunked\"}}"),
        (Phase::PreUpstream, "{\"headers\":{\"x-new\":\"1\",\"x y\":\"1\"}}"),
        (Phase::PreUpstream, "{\"headers\":{\"x-new\":\"1\\n\"}}"),
        (Phase::PreUpstream, "{\"flow\":\"terminate\",\"status\":99}"),
        (Phase::PreUpstream, "{\"flow\":\"terminate\",\"status\":101}"),
        (Phase::ToolCall, "{\"headers\":{\"x-new\":\"1\"}}"),
        (Phase::ToolResult, "{\"body\":true}\nno JSON"),
    ] {
        let failure = failure(&chain(&replying(reply.as_bytes())), phase).await;
        assert!(failure.starts_with("plugin `test`"), "{failure}");
    }
}

#[tokio::test]
async fn a_trap_is_a_failure_of_that_call() {
    for (call, expected) in [
        ("unreachable", "unreachable"),
        ("(i64.div_u (i64.const 1) (i64.const 0))", "zero"),
        ("(i64.load (i32.const -8))", "out of bounds"),
        ("(call $deeper)", "stack"),
    ] {
        let deeper = "(func $deeper (result i64) (i64.add (call $deeper) (i64.const 1)))";
        let failure = failure(&chain(&module(EVERYWHERE, call, deeper)), Phase::PreUpstream).await;
        assert!(failure.contains("trapped") && failure.contains(expected), "{failure}");
    }
}

#[test]
fn a_module_that_does_not_export_what_it_must_is_refused_by_name() {
    const EXPORTS: [(&str, &str); 4] = [
        ("memory", r#"(memory (export "memory") 1)"#),
        ("alloc", r#"(func (export "alloc") (param i32) (result i32) (i32.const 0))"#),
        ("describe", r#"(func (export "describe") (param i32 i32) (result i64) (i64.const 0))"#),
        ("call", r#"(func (export "call") (param i32 i32) (result i64) (i64.const 0))"#),
    ];
    for (missing, _) in EXPORTS {
        let others = EXPORTS.iter().filter(|(name, _)| *name != missing).map(|(_, field)| *field);
        let others: String = others.collect();
        for field in [String::new(), format!("(func (export \"{missing}\") (param f64))")] {
            let wasm = wat::parse_str(format!("(module {others} {field})")).unwrap();
            let fault = refused(&wasm).to_string();
            assert!(fault.contains("must export") && fault.contains(missing), "{fault}");
        }
    }
}

#[test]
fn a_module_that_imports_or_starts_by_itself_is_refused() {
    let import = r#"(module (import "wasi_snapshot_preview1" "clock_time_get" (func (param i32 i64 i32) (result i32))))"#;
    let fault = refused(&wat::parse_str(import).unwrap()).to_string();
    assert!(fault.contains("wasi_snapshot_preview1.clock_time_get"), "{fault}");
    let start = module(
        EVERYWHERE,
        "(i64.const 0)",
        "(func $start (loop $again (br $again))) (start $start)",
    );
    assert!(matches!(refused(&start), Fault::Invalid(_)));
}

#[test]
fn what_is_no_module_is_refused() {
    let whole = replying(b"{}");
    for wasm in [&b""[..], b"\0asm", b"hello", &whole[..whole.len() - 1], &whole[..40]] {
        assert!(matches!(refused(wasm), Fault::Invalid(_)));
    }
}

#[test]
fn a_description_that_makes_no_sense_is_refused() {
    for (description, expected) in [
        (r#"{"abi":2,"name":"x","phases":{}}"#, "version 2"),
        (r#"{"abi":1,"name":"","phases":{}}"#, "`name`"),
        (r#"{"abi":1,"name":"a\"} 1\nb","phases":{}}"#, "`name`"),
        (r#"{"abi":1,"name":"x","phases":{"sometimes":0}}"#, "`phases`"),
        (r#"{"abi":1,"name":"x","phases":{"pre_auth":-1}}"#, "cannot be read"),
        (r#"{"abi":1,"name":"x","phases":{},"more":1}"#, "cannot be read"),
        (r#"{"error":"words: expected\na list"}"#, "the module says: words: expected a list"),
        ("", "cannot be read"),
    ] {
        let fault = refused(&module(description, "(i64.const 0)", "")).to_string();
        assert!(fault.contains(expected), "{fault}");
    }
}

#[tokio::test]
async fn nothing_of_one_call_is_left_for_the_next() {
    // Counts its calls in its memory, and traps at the second.
    let call = "(i32.store8 (i32.const 100) (i32.add (i32.load8_u (i32.const 100)) (i32.const 1)))
        (if (i32.gt_u (i32.load8_u (i32.const 100)) (i32.const 1)) (then unreachable))
        (i64.const 0x0000080000000002)";
    let description = r#"{"abi":1,"name":"counts","phases":{"pre_auth":0}}"#;
    let wasm = module(description, call, "(data (i32.const 2048) \"{}\")");
    let chain = chain_of(plugin(&wasm).unwrap());
    for _ in 0..3 {
        let mut exchange = exchange();
        assert!(matches!(chain.run(Phase::PreAuth, &mut exchange).await, Outcome::Continue));
        assert!(exchange.take_failures().is_empty());
    }
}
