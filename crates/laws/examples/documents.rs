//! Prints random documents and what Rust makes of them, one JSON object a line, for other implementations to
//! compare with: `cargo run -p tokenforge-laws --example documents -- 100000 > documents.jsonl`.
//!
//! With `common` as second argument the documents have only what every implementation can hold: numbers that fit
//! a double, whole surrogate pairs, keys that occur once and that JavaScript does not reorder.

use std::io::{self, BufWriter, Write};
use tokenforge_formats::{Json, stc, toon};
use tokenforge_samples::{Nasty, nasty};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments.next().map_or(Ok(100_000), |count| count.parse())?;
    let taste = match arguments.next().as_deref() {
        Some("common") => Nasty {
            duplicate_keys: false,
            lone_surrogates: false,
            odd_numbers: false,
            integer_keys: false,
        },
        _ => Nasty::default(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for seed in 0..count {
        let text = nasty(seed, taste);
        let json = Json::parse(&text)?;
        let line = serde_json::json!({
            "json": text,
            "minified": json.minify(),
            "adr": stc::encode(&json, stc::Spelling::Adr),
            "dense": stc::encode(&json, stc::Spelling::Dense),
            "toon": toon::encode(&json, &toon::EncodeOptions::default()).ok(),
        });
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}
