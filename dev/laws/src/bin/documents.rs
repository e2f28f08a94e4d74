//! Prints documents and what Rust makes of them, one JSON object a line, for other implementations to compare with:
//!
//! ```sh
//! cargo run -p tokenforge-laws --bin documents -- 100000          # random ones, with everything JSON allows
//! cargo run -p tokenforge-laws --bin documents -- 100000 common   # with only what every implementation holds
//! cargo run -p tokenforge-laws --bin documents -- 100000 stc2     # such, and such that repeat themselves, in STC 2
//! cargo run -p tokenforge-laws --bin documents -- FOLDER          # the JSON among the tool outputs of a corpus
//! cargo run -p tokenforge-laws --bin documents -- FOLDER stc2     # the same in STC 2
//! ```
//!
//! In TOON each comes with canonical numbers, and with those that were written (`toon_verbatim`) and what that decodes to.
//! In STC 2 each document comes with its three levels, and with a damaged text and what becomes of that.
//! `common` means numbers that fit a double, whole surrogate pairs, keys that occur once and that JavaScript does
//! not reorder. A corpus is folders of JSON lines with a member `content`.

use serde_json::Value;
use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Form, Json, MAX_OUTPUT, stc, toon};
use tokenforge_laws::damage::{SYNTAX, scratch};
use tokenforge_samples::{Nasty, nasty, repetitive};

const COMMON: Nasty = Nasty {
    duplicate_keys: false,
    lone_surrogates: false,
    odd_numbers: false,
    integer_keys: false,
};

type Print = fn(&str, u64, &mut dyn Write) -> Result<(), Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let source = arguments.next().unwrap_or("100000".to_owned());
    let what = arguments.next();
    let is_stc2 = what.as_deref() == Some("stc2");
    let print: Print = if is_stc2 { print_stc2 } else { print };
    let mut out = BufWriter::new(io::stdout().lock());
    if Path::new(&source).is_dir() {
        print_corpus(Path::new(&source), print, &mut out)?;
    } else {
        let taste = if what.as_deref() == Some("common") { COMMON } else { Nasty::default() };
        for seed in 0..source.parse()? {
            let text = if is_stc2 && seed % 2 == 1 { repetitive(seed) } else { nasty(seed, taste) };
            print(&text, seed, &mut out)?;
        }
    }
    Ok(out.flush()?)
}

/// Prints the outputs in a folder that are JSON, those in its folders too.
fn print_corpus(folder: &Path, print: Print, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            print_corpus(&path, print, out)?;
            continue;
        }
        for (line, seed) in fs::read_to_string(&path)?.lines().zip(0..) {
            let output: Value = serde_json::from_str(line)?;
            if let Some(text) = output["content"].as_str()
                && Json::parse(text).is_ok()
            {
                print(text, seed, out)?;
            }
        }
    }
    Ok(())
}

fn print(text: &str, _: u64, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let json = Json::parse(text)?;
    let verbatim = Form::Toon.encode(&json).ok();
    let decoded =
        verbatim.as_deref().map(|toon| Form::Toon.decode(toon, MAX_OUTPUT)).transpose()?;
    let line = serde_json::json!({
        "json": text,
        "minified": json.minify(),
        "adr": stc::encode(&json, stc::Spelling::Adr),
        "dense": stc::encode(&json, stc::Spelling::Dense),
        "flat": stc::encode(&json, stc::Spelling::Flat),
        "toon": toon::encode(&json, &toon::EncodeOptions::default()).ok(),
        "toon_verbatim": verbatim,
        "toon_decoded": decoded,
    });
    Ok(writeln!(out, "{line}")?)
}

fn print_stc2(text: &str, seed: u64, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let json = Json::parse(text)?;
    let levels = Level::ALL.map(|level| stc2::encode(&json, level));
    let damaged = scratch(seed, &levels[(seed % 3) as usize], &SYNTAX);
    // Some stop at a limit.
    let max_output = if seed % 5 == 4 { damaged.len() } else { 4 * text.len() + 64 };
    let decoded = stc2::decode(&damaged, max_output);
    let line = serde_json::json!({
        "json": text,
        "minified": json.minify(),
        "levels": levels,
        "damaged": damaged,
        "max_output": max_output,
        "decoded": decoded.as_ref().ok(),
        "offset": decoded.as_ref().err().map(tokenforge_formats::Error::offset),
    });
    Ok(writeln!(out, "{line}")?)
}
