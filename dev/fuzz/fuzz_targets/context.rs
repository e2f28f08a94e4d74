//! Calls and wrappers of any kind are read without harm, and unchanged payloads give back the output.
#![no_main]

use tokenforge_engine::context::CallContext;
use tokenforge_engine::internals::wrapper::unwrap;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for (name, arguments) in [(text, "{}"), ("Bash", text), ("call_tool", text)] {
        let context = CallContext::new(name, arguments, false);
        if let Some(command) = &context.command {
            assert!(command.main().is_none() || command.all().count() > 0);
        }
        let _ = context.is_file_text();
    }
    let parts = unwrap(text);
    let payloads: Vec<&str> = parts.payloads().collect();
    assert_eq!(parts.rewrap(&payloads), text);
    let mut at = 0;
    for piece in parts.pieces() {
        assert_eq!(piece.range().start, at);
        at = piece.range().end;
    }
    assert_eq!(at, text.len());
});
