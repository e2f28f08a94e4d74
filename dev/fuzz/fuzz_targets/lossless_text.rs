//! The lossless text stages give every text back, and their decoders survive any text.
#![no_main]

use tokenforge_engine::internals::{columns, diff_headers, fold, numbers, paths};

type Code = fn(&str) -> Option<String>;

const STAGES: [(Code, Code); 5] = [
    (numbers::encode, numbers::decode),
    (paths::encode, paths::decode),
    (columns::encode, columns::decode),
    (fold::encode, fold::decode),
    (diff_headers::encode, diff_headers::decode),
];

libfuzzer_sys::fuzz_target!(|text: &str| {
    for (encode, decode) in STAGES {
        let _ = decode(text);
        if let Some(encoded) = encode(text) {
            assert_eq!(decode(&encoded).as_deref(), Some(text), "{encoded}");
        }
    }
});
