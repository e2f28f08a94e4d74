//! The safe and cosmetic modules survive any text, and applying one twice changes nothing.
#![no_main]

use tokenforge_engine::internals::{binary, cap, padding, progress, whitespace};
use tokenforge_engine::terminal;

const MODULES: [fn(&str) -> Option<String>; 6] = [
    progress::settle,
    terminal::strip,
    binary::suppress,
    binary::suppress_base64,
    padding::squeeze,
    whitespace::trim_line_ends,
];

libfuzzer_sys::fuzz_target!(|input: (u8, &str)| {
    let (max_bytes, text) = input;
    for apply in MODULES {
        if let Some(once) = apply(text) {
            assert_ne!(once, text);
            assert_eq!(apply(&once), None, "{once:?}");
        }
    }
    if let Some(capped) = cap::cap(text, max_bytes.into()) {
        assert_eq!(cap::cap(&capped.text, max_bytes.into()), None, "{}", capped.text);
    }
});
