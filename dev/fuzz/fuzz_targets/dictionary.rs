//! The dictionary reader survives any text and respects its limit; what is encoded is decoded to the same text.
#![no_main]

use tokenforge_engine::internals::dictionary::{DictionaryMethod, decode, encode};
use tokenforge_tokens::Counter;

libfuzzer_sys::fuzz_target!(|input: (u16, u8, &str)| {
    let (max_output, times, text) = input;
    if let Ok(decoded) = decode(text, max_output.into()) {
        assert!(decoded.len() <= max_output.into(), "{text}");
    }
    // What a fuzzer makes up hardly repeats by itself.
    let text: String = (0..times % 16).map(|time| format!("{time}{text}")).collect();
    let counter = Counter::default();
    for &method in DictionaryMethod::ALL {
        if let Some(encoded) = encode(&text, method, &counter) {
            assert_eq!(decode(&encoded, text.len()).as_deref(), Ok(&*text));
            assert!(counter.is_cheaper(&encoded, &text), "{encoded}");
            assert_eq!(encode(&encoded, method, &counter), None);
        }
    }
});
