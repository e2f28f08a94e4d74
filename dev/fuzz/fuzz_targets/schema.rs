//! Minifying tools changes descriptions and nothing else, and compacting them three keywords more.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let tools = tokenforge_laws::tools_from(bytes);
    let _ = tokenforge_laws::compress::schema(&tools);
    let _ = tokenforge_laws::compress::compact_schema(&tools);
});
