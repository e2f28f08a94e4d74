//! The reader that is not told the form survives any text and respects its limit.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u16, &str)| {
    let (max_output, text) = input;
    tokenforge_laws::text::any(text, max_output.into());
});
