//! The laws of STC 2 on documents.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tokenforge_laws::document::stc2(&tokenforge_laws::document_from(bytes));
});
