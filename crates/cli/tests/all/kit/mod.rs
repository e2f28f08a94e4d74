//! Runs the real binary: arguments and standard input in; exit code, standard output and error out.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `tokenforge` with these arguments, as typed with spaces between, on this standard input.
pub(crate) fn run(arguments: &str, stdin: impl AsRef<[u8]>) -> Run {
    run_with(&arguments.split_whitespace().collect::<Vec<_>>(), stdin)
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
    let child = command(arguments).current_dir(folder).envs(variables).spawn();
    finish(child.expect("the binary starts"), stdin)
}

/// Waits for the end of a run that was started.
pub(crate) fn finish(mut child: Child, stdin: impl AsRef<[u8]>) -> Run {
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = stdin.as_ref().to_vec();
    // A thread, so that neither side waits for the other. A run that fails early does not read on.
    let writer = std::thread::spawn(move || {
        let _ = pipe.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer ends");
    Run {
        code: output.status.code().expect("no signal ended it"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Starts `tokenforge` with pipes on all three sides.
pub(crate) fn start(arguments: &[&str]) -> Child {
    command(arguments).spawn().expect("the binary starts")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokenforge"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Standard output of a run that succeeds, without its line end.
pub(crate) fn out(arguments: &str, stdin: impl AsRef<[u8]>) -> String {
    let run = run(arguments, stdin);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments}");
    run.stdout.strip_suffix('\n').expect("a line end").to_owned()
}

/// Standard error of a run that fails with this code and writes nothing to standard output.
pub(crate) fn failure(code: i32, arguments: &str, stdin: impl AsRef<[u8]>) -> String {
    let run = run(arguments, stdin);
    assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{arguments}\n{}", run.stderr);
    run.stderr
}

/// A folder with files in it, gone with the value.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    /// Writes a file and returns its path, for a command line.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a written file");
        path.display().to_string()
    }

    /// The path of a file that may not exist.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
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
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/outputs");
    let Ok(kinds) = std::fs::read_dir(folder) else {
        println!("skipped: no corpus at {folder}");
        return Vec::new();
    };
    let kinds = kinds.map(|kind| kind.expect("an entry").path());
    let files = kinds.flat_map(|kind| std::fs::read_dir(kind).expect("a folder"));
    let mut files: Vec<_> = files.map(|file| file.expect("an entry").path()).collect();
    files.sort();
    files.iter().flat_map(|file| documents(file)).collect()
}

fn documents(file: &Path) -> Vec<String> {
    let lines = std::fs::read_to_string(file).expect("a readable file");
    let output = |line| {
        let output: serde_json::Value = serde_json::from_str(line).expect("JSON lines");
        let text = output["content"].as_str()?.to_owned();
        serde_json::from_str::<serde_json::Value>(&text).ok()?;
        Some(text)
    };
    lines.lines().filter_map(output).collect()
}
