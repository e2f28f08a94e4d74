//! The laws of STC on documents.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tokenforge_laws::document::stc(&tokenforge_laws::document_from(bytes));
});
