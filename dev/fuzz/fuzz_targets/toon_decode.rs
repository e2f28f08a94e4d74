//! The TOON reader, strict and lenient, survives any text and respects its limit.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u16, &str)| {
    let (max_output, text) = input;
    tokenforge_laws::text::toon(text, max_output.into());
});
