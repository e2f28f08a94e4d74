//! What becomes of every recorded request and output, a JSON line each: other languages compare themselves with it.
//!
//! `cargo run -p tokenforge-conversation --example vectors -- dev/samples > target/vectors/embed.jsonl`

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::fs;
use std::path::{Path, PathBuf};
use tokenforge_conversation::{
    Dialect, EmbedError, EmbeddedCompressor, OriginalsReader, OutputCall,
};
use tokenforge_samples::{recorded, recorded_runs};

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
        let (provider, body) = (found.dialect.name(), recording.body.get());
        let model = found.model.unwrap_or_default();
        let Ok(made) =
            compressor.compress(found.dialect, body.into(), OriginalsReader::Model, model)
        else {
            continue;
        };
        let made = String::from_utf8(made.body.to_vec())?;
        println!("{}", json!({ "provider": provider, "model": model, "body": body, "made": made }));
    }
    for output in recorded() {
        print_output(&compressor, &output.tool, &output.arguments, &output.text)?;
    }
    for run in recorded_runs() {
        let arguments = json!({ "command": run.command }).to_string();
        print_output(&compressor, "Bash", &arguments, &run.text)?;
    }
    Ok(())
}

fn print_output(
    compressor: &EmbeddedCompressor,
    tool: &str,
    arguments: &str,
    output: &str,
) -> Result<(), EmbedError> {
    let call = OutputCall { tool, arguments, ..OutputCall::default() };
    let made = compressor.compress_output(output, &call)?.text;
    println!("{}", json!({ "tool": tool, "arguments": arguments, "output": output, "made": made }));
    Ok(())
}

fn files(folder: &Path, ending: &str) -> std::io::Result<Vec<PathBuf>> {
    let all = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = all.collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|end| end == ending));
    files.sort();
    Ok(files)
}
