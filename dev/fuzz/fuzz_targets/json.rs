//! The JSON scanner agrees with another parser on what is JSON, and minifying changes nothing but white space.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tokenforge_laws::text::json(bytes);
    tokenforge_laws::document::minify(&tokenforge_laws::document_from(bytes));
});
