//! Runs the real binary: arguments and standard input in; exit code, standard output and error out.

pub(crate) use tokenforge_testkit::program::{Folder, Run, ServedGateway, finish};

use std::path::Path;
use std::process::Child;
use tokenforge_samples::json_outputs;
use tokenforge_testkit::program::{self, Program};

const TOKENFORGE: Program = Program(env!("CARGO_BIN_EXE_tokenforge"));

/// Runs `tokenforge` with these arguments, as typed with spaces between, on this standard input.
pub(crate) fn run(arguments: &str, stdin: impl AsRef<[u8]>) -> Run {
    TOKENFORGE.run(arguments, stdin)
}

/// Runs `tokenforge` with arguments that are given one by one.
pub(crate) fn run_with(arguments: &[&str], stdin: impl AsRef<[u8]>) -> Run {
    finish(start(arguments), stdin)
}

/// Runs `tokenforge` in a folder, with these variables set.
pub(crate) fn run_in(
    folder: &Path,
    environment: &[(&str, &str)],
    arguments: &[&str],
    stdin: impl AsRef<[u8]>,
) -> Run {
    let variables = environment.iter().map(|(name, value)| (name, folder.join(value)));
    let child = TOKENFORGE.command(arguments).current_dir(folder).envs(variables).spawn();
    finish(child.expect("the binary starts"), stdin)
}

/// Starts `tokenforge` with pipes on all three sides.
pub(crate) fn start(arguments: &[&str]) -> Child {
    program::start(TOKENFORGE.command(arguments))
}

/// Standard output of a run that succeeds, without its line end.
pub(crate) fn out(arguments: &str, stdin: impl AsRef<[u8]>) -> String {
    TOKENFORGE.out(arguments, stdin)
}

/// Standard error of a run that fails with this code and writes nothing to standard output.
pub(crate) fn failure(code: i32, arguments: &str, stdin: impl AsRef<[u8]>) -> String {
    TOKENFORGE.failure(code, arguments, stdin)
}

/// The tokens that `tokenforge tokens` counts in each text, in one run.
pub(crate) fn tokens(texts: &[&str]) -> Vec<usize> {
    if texts.is_empty() {
        return Vec::new();
    }
    let folder = Folder::new();
    let file = |(index, text): (usize, &&str)| folder.file(&index.to_string(), text);
    let files: Vec<_> = texts.iter().enumerate().map(file).collect();
    let report = out(&format!("tokens --json {}", files.join(" ")), "");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let files = report["files"].as_array().expect("a list");
    files.iter().map(|file| file["tokens"].as_u64().expect("a number") as usize).collect()
}

/// Real tool outputs that are JSON, where they lie beside the project.
pub(crate) fn corpus() -> Vec<String> {
    json_outputs().unwrap_or_default().into_iter().map(|(_, text)| text).collect()
}
