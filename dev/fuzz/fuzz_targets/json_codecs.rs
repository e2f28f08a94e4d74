//! The codecs of texts that hold JSON without being JSON alone give every text back, and their readers survive any text.
#![no_main]

use tokenforge_laws::codecs::{json_codecs, survive, texts_holding};
use tokenforge_laws::document_from;

libfuzzer_sys::fuzz_target!(|input: (u16, String)| {
    let (seed, text) = input;
    survive(&text);
    for text in texts_holding(&document_from(text.as_bytes()), seed.into()) {
        json_codecs(&text);
    }
});
