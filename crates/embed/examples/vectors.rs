//! What becomes of every recorded request and output, a JSON line each: other languages compare themselves with it.
//!
//! `cargo run -p tokenforge-embed --example vectors -- dev/samples > target/vectors/embed.jsonl`

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::fs;
use std::path::{Path, PathBuf};
use tokenforge_embed::{Dialect, EmbeddedCompressor, OriginalsReader, OutputCall};

const SETTINGS: &str = r#"{"store": {"key": "the-same-in-every-language"}}"#;

/// A request of a real client.
#[derive(Deserialize)]
struct Recording {
    path: String,
    body: Box<RawValue>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let samples = PathBuf::from(std::env::args().nth(1).ok_or("which folder of samples?")?);
    let compressor = EmbeddedCompressor::open(SETTINGS, "memory:")?;
    println!("{}", json!({ "settings": serde_json::from_str::<serde_json::Value>(SETTINGS)? }));
    for file in files(&samples.join("recorded"), "json")? {
        let Ok(recording) = serde_json::from_str::<Recording>(&fs::read_to_string(file)?) else {
            continue;
        };
        let Some(found) = Dialect::detect("POST", &recording.path, |_| None) else { continue };
        let body = recording.body.get();
        let Ok(made) = compressor.compress(found.dialect, body.into(), OriginalsReader::Model)
        else {
            continue;
        };
        let made = String::from_utf8(made.body.to_vec())?;
        println!("{}", json!({ "provider": found.dialect.name(), "body": body, "made": made }));
    }
    for file in files(&samples.join("runs"), "txt")? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().replace('-', " ");
        let output = fs::read_to_string(file)?;
        let arguments = json!({ "command": name }).to_string();
        let call = OutputCall { tool: "Bash", arguments: &arguments, ..OutputCall::default() };
        let made = compressor.compress_output(&output, &call);
        println!("{}", json!({ "arguments": arguments, "output": output, "made": made.text }));
    }
    Ok(())
}

fn files(folder: &Path, ending: &str) -> std::io::Result<Vec<PathBuf>> {
    let all = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = all.collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|end| end == ending));
    files.sort();
    Ok(files)
}
