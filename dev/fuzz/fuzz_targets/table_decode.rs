//! The table reader survives any text and respects its limit.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u16, &str)| {
    let (max_output, text) = input;
    tokenforge_laws::text::table(text, max_output.into());
});
