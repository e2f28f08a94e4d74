//! Minifying changes nothing but white space.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tokenforge_laws::document::minify(&tokenforge_laws::document_from(bytes));
});
