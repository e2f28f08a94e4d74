//! The JSON scanner agrees with another parser on what is JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tokenforge_laws::text::json(bytes));
