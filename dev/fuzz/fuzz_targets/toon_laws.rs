//! The laws of TOON on documents.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = tokenforge_laws::document::toon(&tokenforge_laws::document_from(bytes));
});
