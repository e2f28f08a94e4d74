//! Reports as text, as wide as the terminal says.

use std::env;
use tokenforge_replay::columns::{TableLines, TextTable, wrap_paragraph};

/// Columns where `COLUMNS` says nothing.
const USUAL: usize = 80;

/// How many columns a line may have.
pub(crate) fn width() -> usize {
    env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(USUAL).max(40)
}

/// A paragraph that fits, its first line with one text before it, the others with another.
pub(crate) fn wrap_text(text: &str, first: &str, others: &str) -> String {
    wrap_paragraph(text, width(), first, others)
}

/// A paragraph that fits.
pub(crate) fn paragraph(text: &str) -> String {
    wrap_text(text, "", "")
}

/// A table that fits.
pub(crate) fn table(table: &TextTable) -> String {
    let TableLines { heading, rows } = table.lay_out(width());
    heading.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// A text of an endpoint or a scenario, without what would move a terminal's cursor.
pub(crate) fn printable(text: &str) -> String {
    let shown = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    text.chars().map(shown).collect()
}
