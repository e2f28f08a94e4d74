//! `tokenforge tokens`: how many tokens are these files?

use crate::arguments::Vocabulary;
use crate::input::Input;
use crate::output::{self, grouped};
use crate::progress;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  tokenforge tokens README.md src/*.rs
  git diff | tokenforge tokens
  tokenforge tokens --model gpt-4 --json prompt.txt";

/// Count the tokens of files.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tokens {
    #[command(flatten)]
    vocabulary: Vocabulary,

    /// Print {"total", "files": [{"path", "bytes", "tokens"}]}
    #[arg(long)]
    json: bool,

    /// The files, or - for standard input
    #[arg(default_value = "-")]
    files: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    total: usize,
    files: Vec<Counted>,
}

#[derive(Serialize)]
struct Counted {
    path: String,
    bytes: usize,
    tokens: usize,
}

pub(crate) fn run(arguments: &Tokens) -> anyhow::Result<()> {
    let counter = arguments.vocabulary.counter();
    let mut files = Vec::with_capacity(arguments.files.len());
    for path in &arguments.files {
        let Input { text, .. } = Input::read(path)?;
        let bar = progress::bar(text.len() as u64, "counting");
        let tokens = counter.count_with_progress(&text, |done| bar.set_position(done as u64));
        bar.finish_and_clear();
        files.push(Counted { path: path.display().to_string(), bytes: text.len(), tokens });
    }
    let report = Report { total: files.iter().map(|file| file.tokens).sum(), files };
    if arguments.json {
        return Ok(output::print(&serde_json::to_string(&report)?)?);
    }
    Ok(output::print(&report.table())?)
}

impl Report {
    fn table(&self) -> String {
        let mut lines = vec![format!("{:>13} {:>13}  file", "tokens", "bytes")];
        lines.extend(self.files.iter().map(|file| {
            format!("{:>13} {:>13}  {}", grouped(file.tokens), grouped(file.bytes), file.path)
        }));
        if self.files.len() > 1 {
            let bytes = self.files.iter().map(|file| file.bytes).sum();
            lines.push(format!("{:>13} {:>13}  total", grouped(self.total), grouped(bytes)));
        }
        lines.join("\n")
    }
}
