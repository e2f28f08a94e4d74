//! Log templates bring every text back, and reading survives any text.
#![no_main]

use tokenforge_engine::internals::{normalize, templates};

libfuzzer_sys::fuzz_target!(|text: &str| {
    // Lines of one shape are rare in random bytes: say them again with other numbers.
    let again = text.replace(|c: char| c.is_ascii_digit(), "7");
    for text in [text, &[text, "\n", &again, "\n", text, "\n", &again].concat()] {
        let _ = templates::decode(text);
        let _ = normalize::apply(text);
        if let Some(encoded) = templates::encode(text) {
            assert_eq!(templates::decode(&encoded).as_deref(), Some(text));
            assert_eq!(templates::encode(&encoded), None);
        }
    }
});
