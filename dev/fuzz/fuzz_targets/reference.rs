//! References are found in any text, and only where they are.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    tokenforge_laws::compress::reference(text);
});
