//! Shows what a filter leaves of an output, to write and to judge filters:
//!
//! ```text
//! filter cargo test < recorded.txt         # the filter for this command
//! filter --file my.toml < recorded.txt     # a filter that is being written
//! filter --corpus DIR [KIND...]            # tokens before and after, by source, over a folder of recorded outputs
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::read_to_string;
use std::path::Path;

use serde_json::Value;
use tokenforge_compress::filter::{Filter, FilterSet, Invocation};
use tokenforge_tokens::Counter;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--corpus", folder, kinds @ ..] => measure(Path::new(folder), kinds),
        ["--file", file] => {
            let filter = Filter::parse(file, &fs::read_to_string(file)?)?;
            for failure in filter.check() {
                eprintln!("test {}: {}", failure.test, failure.reason);
            }
            show(Some(&filter), &read_to_string(std::io::stdin())?)
        }
        _ => {
            let output = read_to_string(std::io::stdin())?;
            let command = arguments.join(" ");
            show(find(&command, &output), &output)
        }
    }
}

fn show(filter: Option<&Filter>, output: &str) -> Result<(), Box<dyn Error>> {
    let filtered = filter.and_then(|filter| filter.apply(output));
    let text = filtered.as_ref().map_or(output, |filtered| &filtered.text);
    print!("{text}");
    let (before, after) = (Counter::default().count(output), Counter::default().count(text));
    eprintln!("filter {}: {before} -> {after} tokens", filter.map_or("(none)", Filter::name));
    Ok(())
}

/// The built-in filter for the last command of a chain, before any pipe.
fn find(command: &str, output: &str) -> Option<&'static Filter> {
    let last =
        command.split("&&").last().unwrap_or_default().split(['|', ';']).next().unwrap_or_default();
    let words: Vec<String> =
        last.split_whitespace().filter(|word| *word != "npx").map(str::to_owned).collect();
    let program = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or_default());
    let args = words.get(1..).unwrap_or_default();
    let subcommand = args.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
    FilterSet::builtin().find(Some(&Invocation { program, subcommand, args }), output)
}

fn measure(folder: &Path, kinds: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut sums: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for kind in kinds {
        let mut files: Vec<_> = fs::read_dir(folder.join(kind))?.collect::<Result<_, _>>()?;
        files.sort_by_key(fs::DirEntry::path);
        for file in files {
            for line in fs::read_to_string(file.path())?.lines() {
                let output: Value = serde_json::from_str(line)?;
                let (content, command) = (
                    output["content"].as_str().unwrap_or(""),
                    output["command"].as_str().unwrap_or(""),
                );
                let filter = find(command, content);
                let filtered = filter.and_then(|filter| filter.apply(content));
                let text = filtered.as_ref().map_or(content, |filtered| &filtered.text);
                let (before, after) =
                    (Counter::default().count(content), Counter::default().count(text));
                println!(
                    "{before:>7} {after:>7} {:>12} {}",
                    filter.map_or("-", Filter::name),
                    command.replace('\n', " ")
                );
                for key in [
                    format!("{kind}/{}", file.file_name().to_string_lossy()),
                    (*kind).to_owned(),
                    "all".to_owned(),
                ] {
                    let sum = sums.entry(key).or_default();
                    *sum = (sum.0 + before, sum.1 + after);
                }
            }
        }
    }
    for (key, (before, after)) in sums {
        println!(
            "{key}: {before} -> {after} tokens, {:.1} % saved",
            100.0 - after as f64 * 100.0 / before as f64
        );
    }
    Ok(())
}
