//! Prints documents and what Rust makes of them, one JSON object a line, for other implementations to compare with:
//!
//! ```sh
//! cargo run -p tokenforge-laws --example documents -- 100000          # random ones, with everything JSON allows
//! cargo run -p tokenforge-laws --example documents -- 100000 common   # with only what every implementation holds
//! cargo run -p tokenforge-laws --example documents -- FOLDER          # the JSON among the tool outputs of a corpus
//! ```
//!
//! `common` means numbers that fit a double, whole surrogate pairs, keys that occur once and that JavaScript does
//! not reorder. A corpus is folders of JSON lines with a member `content`.

use serde_json::Value;
use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tokenforge_formats::{Json, stc, toon};
use tokenforge_samples::{Nasty, nasty};

const COMMON: Nasty = Nasty {
    duplicate_keys: false,
    lone_surrogates: false,
    odd_numbers: false,
    integer_keys: false,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let source = arguments.next().unwrap_or("100000".to_owned());
    let mut out = BufWriter::new(io::stdout().lock());
    if Path::new(&source).is_dir() {
        print_corpus(Path::new(&source), &mut out)?;
    } else {
        let is_common = arguments.next().as_deref() == Some("common");
        let taste = if is_common { COMMON } else { Nasty::default() };
        for seed in 0..source.parse()? {
            print(&nasty(seed, taste), &mut out)?;
        }
    }
    Ok(out.flush()?)
}

/// Prints the outputs in a folder that are JSON, those in its folders too.
fn print_corpus(folder: &Path, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            print_corpus(&path, out)?;
            continue;
        }
        for line in fs::read_to_string(&path)?.lines() {
            let output: Value = serde_json::from_str(line)?;
            if let Some(text) = output["content"].as_str()
                && Json::parse(text).is_ok()
            {
                print(text, out)?;
            }
        }
    }
    Ok(())
}

fn print(text: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let json = Json::parse(text)?;
    let line = serde_json::json!({
        "json": text,
        "minified": json.minify(),
        "adr": stc::encode(&json, stc::Spelling::Adr),
        "dense": stc::encode(&json, stc::Spelling::Dense),
        "toon": toon::encode(&json, &toon::EncodeOptions::default()).ok(),
    });
    Ok(writeln!(out, "{line}")?)
}
