//! The automatic choice is lossless and never worse than minified JSON.
#![no_main]

use tokenforge_tokens::Counter;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let document = tokenforge_laws::document_from(bytes);
    tokenforge_laws::document::auto(&document, Counter::Estimate);
});
