//! What is shown of a page is shorter than the page, whatever that is.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    tokenforge_laws::compress::html(text);
});
