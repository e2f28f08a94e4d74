//! `tokenforge tokens`: how many tokens are these files?

use crate::arguments::Vocabulary;
use crate::input::InputText;
use crate::output::{self, group_digits};
use crate::{progress, screen};
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use tokenforge_replay::columns::{Column, Table};

const EXAMPLES: &str = "\
Examples:
  tokenforge tokens README.md src/*.rs
  git diff | tokenforge tokens
  tokenforge tokens --model gpt-4 --json prompt.txt";

/// Count tokens, offline
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TokensArgs {
    #[command(flatten)]
    vocabulary: Vocabulary,

    /// Print {"total", "files": [{"path", "bytes", "tokens"}]}
    #[arg(long)]
    json: bool,

    /// The files, or - for standard input
    #[arg(default_value = "-", value_hint = ValueHint::FilePath)]
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

pub(crate) fn run(arguments: &TokensArgs) -> anyhow::Result<()> {
    let counter = arguments.vocabulary.counter();
    let mut files = Vec::with_capacity(arguments.files.len());
    for path in &arguments.files {
        let InputText { text, .. } = InputText::read(path)?;
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
        let columns = [Column::number("tokens"), Column::number("bytes"), Column::path("file")];
        let mut table = Table::new(columns);
        for Counted { path, bytes, tokens } in &self.files {
            table.row([group_digits(*tokens), group_digits(*bytes), path.clone()]);
        }
        if self.files.len() > 1 {
            let bytes = self.files.iter().map(|file| file.bytes).sum();
            table.row([group_digits(self.total), group_digits(bytes), "total".to_owned()]);
        }
        screen::table(&table)
    }
}
