//! Whatever is asked of an original, the answer is bounded.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (&str, &str, u8, &str)| {
    let (lines, pattern, context, text) = input;
    tokenforge_laws::compress::expansion(text, lines, pattern, context.into());
});
