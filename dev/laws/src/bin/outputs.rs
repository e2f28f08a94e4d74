//! Prints compressed outputs and what Rust restores from them, one JSON object a line, for other implementations to compare
//! with:
//!
//! ```sh
//! cargo run -p tokenforge-laws --bin outputs              # the recorded ones
//! cargo run -p tokenforge-laws --bin outputs -- FOLDER    # those of a corpus as well
//! ```
//!
//! A corpus is folders of JSON lines with the members `id`, `tool`, `command` and `content`.

use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tokenforge_engine::{Engine, History, Mode, Output, Settings, restore};
use tokenforge_samples::recorded;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    for sample in recorded() {
        print(&sample.name, &sample.tool, &sample.arguments, &sample.text, &mut out)?;
    }
    if let Some(folder) = std::env::args().nth(1) {
        print_corpus(Path::new(&folder), &mut out)?;
    }
    Ok(out.flush()?)
}

/// Prints the outputs in a folder, those in its folders too.
fn print_corpus(folder: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            print_corpus(&path, out)?;
            continue;
        }
        for line in fs::read_to_string(&path)?.lines() {
            let output: Value = serde_json::from_str(line)?;
            let member = |name: &str| output[name].as_str().unwrap_or_default();
            let arguments = json!({ "command": member("command") }).to_string();
            print(member("id"), member("tool"), &arguments, member("content"), out)?;
        }
    }
    Ok(())
}

/// Prints what the lossless mode makes of an output, and the aggressive one, which has dictionaries and here, where nothing
/// can be fetched back, leaves nothing out.
fn print(
    name: &str,
    tool: &str,
    arguments: &str,
    text: &str,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let output = Output { text, tool, arguments, call: None, is_error: false };
    for mode in [Mode::Lossless, Mode::Aggressive] {
        let settings = Settings { mode, ..Settings::default() };
        let compressed = Engine::new(&settings).compress(&output, &History::default());
        let Some(written) = &compressed.replacement else { continue };
        // What the call said itself is all that it can point to.
        let resolved = History::default().resolve(written, arguments).ok_or("leads nowhere")?;
        let line = json!({
            "name": name,
            "history": [],
            "arguments": arguments,
            "input": written,
            "output": restore(&resolved)?,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
