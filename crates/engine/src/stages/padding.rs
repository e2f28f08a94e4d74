//! Padded tables squeezed: the same cells, without the blanks that line them up.
//!
//! Only whitespace between cells changes. Rules and borders stay: without them lossless was not what a terminal shows, and
//! they cost few tokens (429 of the 381,902 of all recorded outputs). What counts as a table:
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

use super::kinds::Cosmetic;
use crate::diff::is_diff;
use memchr::{memchr_iter, memmem};

/// Squeezed text may line up by chance; this many rounds settle it, or nothing is done.
const MAX_ROUNDS: usize = 4;

pub(super) static STAGE: Cosmetic = Cosmetic::worth_it("table_padding", squeeze);

/// The text with its tables squeezed; `None` if it has none, or is a diff.
///
/// ```
/// use tokenforge_engine::internals::padding::squeeze;
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
    let mut squeezed = String::new();
    let mut copied = 0;
    let mut at = 0;
    let mut opens_block = true;
    for end in memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1).chain([text.len()]) {
        if end <= at {
            continue;
        }
        let (line, rest) = (&text[at..end], &text[at..]);
        let block = || if opens_block { columns::table(rest) } else { None };
        let table = table(line, rest).or_else(block);
        let len = table.as_ref().map_or(line.len(), |table| table.len);
        // Of a long block without blank lines only the start, and what follows a table, may hold a header.
        opens_block = opens_block && table.is_some() || is_blank(line);
        if let Some(shorter) = table.and_then(|table| table.text).filter(|text| text.len() < len) {
            squeezed.push_str(&text[copied..at]);
            squeezed.push_str(&shorter);
            copied = at + len;
        }
        at += len;
    }
    if copied == 0 {
        return None;
    }
    squeezed.push_str(&text[copied..]);
    Some(squeezed)
}

/// A table at the start of a text.
struct PaddedTable {
    /// How many bytes it takes, in whole lines.
    len: usize,
    /// Those lines, squeezed; `None` if there is no padding in them. They are not looked at again.
    text: Option<String>,
}

/// The table that the line opens. Most lines open none: their first characters tell.
fn table(line: &str, rest: &str) -> Option<PaddedTable> {
    let first = line.bytes().find(|&byte| byte != b' ' && byte != b'\t')?;
    let table = match first {
        _ if modes::has_mode(line) => modes::table(rest),
        b'0'..=b'9' if counts::has_count(line) => counts::table(rest),
        b'A'..=b'Z' if labels::has_label(line) => labels::table(rest),
        b'|' | b'+' | 0xe2 => delimited::table(rest),
        _ => None,
    };
    let is_headed = rest.as_bytes().get(line.len()) == Some(&b'-');
    table.or_else(|| is_headed.then(|| delimited::table(rest)).flatten())
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// The line without its end and the blanks before it, and its end.
fn split_end(line: &str) -> (&str, &str) {
    let content = line.strip_suffix('\n').unwrap_or(line);
    let end = content.strip_suffix('\r').unwrap_or(content).len();
    (line[..end].trim_end_matches(' '), &line[end..])
}

/// The line's indentation and the rest.
fn split_indent(line: &str) -> (&str, &str) {
    line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len())
}
