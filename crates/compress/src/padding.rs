//! Padded tables squeezed: the same cells, without the blanks and rules that line them up.
//!
//! Only whitespace between cells, and rules and borders, change; every cell keeps its text. What counts as a table:
//!
//! | file | table | cells are then separated by |
//! |---|---|---|
//! | `columns` | a header or a rule of dashes over aligned columns: `ps`, `docker ps`, `sqlite3 -column` | a space; two where cells hold spaces; a tab where cells are empty |
//! | `delimited` | Markdown, `psql`, `mysql`, boxes | their delimiter |
//! | `modes` | `ls -l`, `git ls-tree -l` | a space |
//! | `counts` | lines that begin with right-aligned numbers: `wc`, `uniq -c` | a space |
//! | `labels` | `Name:    value` | a space |
//!
//! Indentation stays, and so does everything that is not clearly one of these: code, diffs, prose, diagrams. A row that
//! does not fit its table stays as it is.
//!
//! A run of blanks costs a token however long it is, and so do two spaces or a tab; one space costs nothing before a
//! word. That is why one space is used wherever a reader can still tell the cells apart.

mod columns;
mod counts;
mod delimited;
mod labels;
mod modes;

use crate::diff::is_diff;
use memchr::memmem;

/// Squeezed text may line up by chance; this many rounds settle it, or nothing is done.
const MAX_ROUNDS: usize = 4;

/// The text with its tables squeezed; `None` if it has none, or is a diff.
///
/// ```
/// use tokenforge_compress::padding::squeeze;
///
/// let text = "NAME      READY   AGE\nweb-1     1/1     3d\nworker-2  0/1     12m\n";
/// assert_eq!(squeeze(text).as_deref(), Some("NAME READY AGE\nweb-1 1/1 3d\nworker-2 0/1 12m\n"));
/// assert_eq!(squeeze("fn main() {\n    let a   = 1;\n    let bcd = 2;\n}\n"), None);
/// ```
pub fn squeeze(text: &str) -> Option<String> {
    memmem::find(text.as_bytes(), b"  ")?;
    if is_diff(text) {
        return None;
    }
    let mut squeezed = round(text)?;
    for _ in 1..MAX_ROUNDS {
        match round(&squeezed) {
            Some(next) => squeezed = next,
            None => return Some(squeezed),
        }
    }
    None
}

/// Squeezes every table once.
fn round(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut squeezed = String::new();
    let mut copied = 0;
    let mut offset = 0;
    let mut at = 0;
    let mut opens_block = true;
    while at < lines.len() {
        let table = table(&lines[at..], opens_block);
        opens_block = table.is_some() || is_blank(lines[at]);
        let taken = table.as_ref().map_or(1, |table| table.lines);
        let len: usize = lines[at..at + taken].iter().map(|line| line.len()).sum();
        if let Some(table) = table
            && table.text.len() < len
        {
            squeezed.push_str(&text[copied..offset]);
            squeezed.push_str(&table.text);
            copied = offset + len;
        }
        offset += len;
        at += taken;
    }
    if copied == 0 {
        return None;
    }
    squeezed.push_str(&text[copied..]);
    Some(squeezed)
}

/// A table at the start of some lines.
struct Table {
    /// How many lines it takes.
    lines: usize,
    /// Those lines, squeezed.
    text: String,
}

fn table(lines: &[&str], opens_block: bool) -> Option<Table> {
    modes::table(lines)
        .or_else(|| delimited::table(lines))
        .or_else(|| opens_block.then(|| columns::table(lines)).flatten())
        .or_else(|| counts::table(lines))
        .or_else(|| labels::table(lines))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// The line without its end and the blanks before it, and its end.
fn split_end(line: &str) -> (&str, &str) {
    let content = line.trim_end_matches('\n');
    let end = content.strip_suffix('\r').unwrap_or(content).len();
    (line[..end].trim_end_matches(' '), &line[end..])
}

/// The line's indentation and the rest.
fn split_indent(line: &str) -> (&str, &str) {
    line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len())
}
