//! Minifying tools changes descriptions and nothing else.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = tokenforge_laws::compress::schema(&tokenforge_laws::tools_from(bytes));
});
