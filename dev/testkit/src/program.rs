//! A program from outside: arguments and standard input in; exit code, standard output and error out.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Result of a run that ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// All of standard output.
    pub stdout: String,
    /// All of standard error.
    pub stderr: String,
}

/// A program that can be run.
#[derive(Debug, Clone, Copy)]
pub struct Program(pub &'static str);

impl Program {
    /// Runs the program with these arguments, as typed with spaces between, on this standard input.
    pub fn run(self, arguments: &str, stdin: impl AsRef<[u8]>) -> Run {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        finish(start(self.command(&arguments)), stdin)
    }

    /// Standard output of a run that succeeds and says nothing on standard error, without its line end.
    ///
    /// # Panics
    /// The run does anything else.
    pub fn out(self, arguments: &str, stdin: impl AsRef<[u8]>) -> String {
        let run = self.run(arguments, stdin);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments}");
        run.stdout.strip_suffix('\n').expect("a line end").to_owned()
    }

    /// Standard error of a run that fails with this code and writes nothing to standard output.
    ///
    /// # Panics
    /// The run does anything else.
    pub fn failure(self, code: i32, arguments: &str, stdin: impl AsRef<[u8]>) -> String {
        let run = self.run(arguments, stdin);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{arguments}\n{}", run.stderr);
        run.stderr
    }

    /// A command with pipes on all three sides.
    pub fn command(self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.0);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Starts a command.
///
/// # Panics
/// It does not start.
pub fn start(mut command: Command) -> Child {
    command.spawn().expect("the program starts")
}

/// Waits for the end of a run that was started with pipes.
///
/// # Panics
/// A signal ended it, or it wrote what is no UTF-8.
pub fn finish(mut child: Child, stdin: impl AsRef<[u8]>) -> Run {
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

/// A gateway that a program serves. It ends with the value.
#[derive(Debug)]
pub struct ServedGateway {
    child: Child,
    /// Its base URL, without a slash at the end.
    pub url: String,
}

impl ServedGateway {
    /// Starts a command that serves a gateway and says on its first line where.
    ///
    /// # Panics
    /// It does not start, or says nothing of an address.
    #[must_use]
    pub fn start(command: Command) -> Self {
        let mut child = start(command);
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.unwrap_or_else(|| panic!("{line}")).to_owned();
        ServedGateway { child, url }
    }

    /// Where it listens: its URL without the scheme.
    #[must_use]
    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }
}

impl Drop for ServedGateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with files in it, gone with the value.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// An empty folder.
    ///
    /// # Panics
    /// None can be made.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it makes a folder on disk")]
    pub fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    /// Writes a file and returns its path, for a command line.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a written file");
        path.display().to_string()
    }

    /// The path of a file that may not exist.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}
