//! The laws of the table on documents.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = tokenforge_laws::document::table(&tokenforge_laws::document_from(bytes));
});
