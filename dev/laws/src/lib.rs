//! The laws that formats, token counts, the engine and readers of requests obey, as functions that panic when one is broken.
//!
//! Property tests call them with random documents, fuzz targets with whatever libFuzzer finds. [`document`] takes
//! JSON; [`text`] takes anything, for what readers promise on any input: no panic, no invalid output, no output
//! beyond the limit; [`engine`] takes tool outputs, [`codecs`] and [`compress`] what its parts take, [`reading`] requests.

pub mod codecs;
pub mod compress;
pub mod damage;
pub mod document;
pub mod engine;
pub mod filter;
pub mod pointers;
pub mod reading;
pub mod secrets;
pub mod text;
pub mod tokens;

use tokenforge_samples::{Nasty, nasty, tools};

// The examples of a page that says how to embed the engine and the codecs run as tests here, where both are at hand.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryPage;

/// How much a property test tries: what `./test` has the time for, or, with `TEST_ALL` set, what `./test all` tries.
pub fn effort<T>(quick: T, all: T) -> T {
    if std::env::var_os("TEST_ALL").is_some() { all } else { quick }
}

/// The JSON document that a fuzzer's bytes stand for: themselves, or one made up from them as a seed.
pub fn document_from(bytes: &[u8]) -> String {
    json_or(bytes, |seed| nasty(seed, Nasty::default()))
}

/// The list of tools that a fuzzer's bytes stand for: themselves, if they are JSON, or one made up from them.
pub fn tools_from(bytes: &[u8]) -> String {
    json_or(bytes, tools)
}

fn json_or(bytes: &[u8], make_up: impl Fn(u64) -> String) -> String {
    match tokenforge_formats::Json::from_slice(bytes) {
        Ok(json) => json.text().to_owned(),
        Err(_) => {
            let seed = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
            });
            make_up(seed)
        }
    }
}
