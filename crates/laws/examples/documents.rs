//! Prints random documents and what Rust makes of them, one JSON object a line, for clients in other languages
//! to compare with: `cargo run --example documents -- 100000 > documents.jsonl`.

use std::io::{self, BufWriter, Write};
use tokenforge_formats::{Json, stc};
use tokenforge_samples::{Nasty, nasty};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: u64 = std::env::args().nth(1).map_or(Ok(100_000), |count| count.parse())?;
    let mut out = BufWriter::new(io::stdout().lock());
    for seed in 0..count {
        let text = nasty(seed, Nasty::default());
        let json = Json::parse(&text)?;
        let line = serde_json::json!({
            "json": text,
            "minified": json.minify(),
            "adr": stc::encode(&json, stc::Spelling::Adr),
            "dense": stc::encode(&json, stc::Spelling::Dense),
        });
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}
