//! Any filter that can be read keeps the laws on any output. The input is both, with a line of `===` between them.
#![no_main]

use tokenforge_engine::filter::{FamilyFilter, FilterSet};
use tokenforge_laws::filter as laws;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (written, output) = text.split_once("\n===\n").unwrap_or((text, text));
    if let Ok(filter) = FamilyFilter::parse("fuzz.toml", written) {
        filter.check();
        laws::filter(&filter, output);
    }
    if let Some(filter) = FilterSet::builtin().find(None, output) {
        laws::filter(filter, output);
    }
});
