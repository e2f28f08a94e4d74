//! The terminal: how wide it is, line wrapping, and ANSI colours where they are wanted.

use anstream::{AutoStream, ColorChoice};
use std::env;
use std::fmt;
use std::io::{self, stderr, stdout};
use tokenforge_replay::columns::{TableLines, TextTable};

/// Where nothing is known: what everything must fit.
const USUAL: usize = 80;

/// Fewer columns cannot be meant.
const LEAST: usize = 40;

/// How many columns standard output has: `COLUMNS`, else those of its terminal, else 80.
pub(crate) fn width() -> usize {
    let set = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(stdout()).map(|(width, _)| width.0.into());
    set.or_else(terminal).unwrap_or(USUAL).max(LEAST)
}

/// A paragraph that fits, its first line with one text before it, the others with another.
pub(crate) fn wrap_text(text: &str, first: &str, others: &str) -> String {
    tokenforge_replay::columns::wrap_paragraph(text, width(), first, others)
}

/// A paragraph that fits.
pub(crate) fn paragraph(text: &str) -> String {
    wrap_text(text, "", "")
}

/// A table that fits, with its titles in bold.
pub(crate) fn table(table: &TextTable) -> String {
    let (TableLines { heading, rows }, styler) = (table.lay_out(width()), TextStyler::stdout());
    let heading = heading.iter().map(|line| styler.bold(line).to_string());
    heading.chain(rows).collect::<Vec<_>>().join("\n")
}

/// Decides about colours for the rest of the run, as `--color` asks.
pub(crate) fn choose(when: clap::ColorChoice) {
    let choice = match when {
        // NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM, and whether it is a terminal at all.
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    };
    choice.write_global();
}

/// What colours a text, where colours are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextStyler(bool);

impl TextStyler {
    pub(crate) fn stdout() -> Self {
        TextStyler(AutoStream::choice(&stdout()) != ColorChoice::Never)
    }

    pub(crate) fn stderr() -> Self {
        TextStyler(AutoStream::choice(&stderr()) != ColorChoice::Never)
    }

    /// Are colours wanted?
    pub(crate) fn is_wanted(self) -> bool {
        self.0
    }

    pub(crate) fn bold<T: fmt::Display>(self, text: T) -> StyledText<T> {
        self.style("\x1b[1m", text)
    }

    pub(crate) fn red<T: fmt::Display>(self, text: T) -> StyledText<T> {
        self.style("\x1b[1;31m", text)
    }

    pub(crate) fn green<T: fmt::Display>(self, text: T) -> StyledText<T> {
        self.style("\x1b[32m", text)
    }

    pub(crate) fn yellow<T: fmt::Display>(self, text: T) -> StyledText<T> {
        self.style("\x1b[33m", text)
    }

    fn style<T>(self, style: &'static str, text: T) -> StyledText<T> {
        StyledText { style: self.0.then_some(style), text }
    }
}

/// A text in its colour.
pub(crate) struct StyledText<T> {
    style: Option<&'static str>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for StyledText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.style {
            Some(style) => write!(f, "{style}{}\x1b[0m", self.text),
            None => self.text.fmt(f),
        }
    }
}

/// A unified diff with what goes in red and what comes in green.
pub(crate) fn diff(text: &str) -> String {
    let styler = TextStyler::stdout();
    let line = |line: &str| match line.as_bytes().first() {
        _ if line.starts_with("---") || line.starts_with("+++") => styler.bold(line).to_string(),
        Some(b'-') => styler.red(line).to_string(),
        Some(b'+') => styler.green(line).to_string(),
        _ => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Says a line that is about something that went wrong.
pub(crate) fn complain(text: &str) {
    let name = TextStyler::stderr().red("tokenforge:").to_string();
    let _ = io::Write::write_fmt(&mut stderr(), format_args!("{name} {text}\n"));
}
