//! CSV records: the cells of each row, as they are written.

use super::dialect::CsvDialect;
use memchr::{memchr, memchr2};
use tokenforge_tokens::interrupt::tick;

/// Tables are wider than one column, and narrower than this.
const MOST_COLUMNS: usize = 256;

/// The rows of a text; `None` if they are not all as wide as the first.
pub(super) fn read(text: &str, dialect: CsvDialect) -> Option<Vec<Vec<&str>>> {
    let (delimiter, line_end) = (dialect.delimiter(), dialect.line_end());
    let has_quotes = dialect.has_quotes();
    let mut rest = text.strip_suffix(line_end).unwrap_or(text);
    let mut rows: Vec<Vec<&str>> = Vec::new();
    loop {
        let mut row = Vec::with_capacity(rows.first().map_or(4, Vec::len));
        loop {
            let (cell, behind) = cell(rest, delimiter, has_quotes)?;
            row.push(cell);
            tick(cell.len() + 1);
            rest = behind;
            match rest.as_bytes().first() {
                Some(byte) if *byte == delimiter && row.len() < MOST_COLUMNS => rest = &rest[1..],
                _ => break,
            }
        }
        let is_wide = row.len() > 1 && rows.first().is_none_or(|first| first.len() == row.len());
        is_wide.then(|| rows.push(row))?;
        match rest.strip_prefix(line_end) {
            Some(next) => rest = next,
            None => return rest.is_empty().then_some(rows),
        }
    }
}

/// The cell that a text begins with, and what follows it.
fn cell(text: &str, delimiter: u8, has_quotes: bool) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    if !has_quotes || bytes.first() != Some(&b'"') {
        let end = memchr2(delimiter, b'\n', bytes).unwrap_or(bytes.len());
        let is_return = end > 0 && bytes[end - 1] == b'\r' && bytes.get(end) != Some(&delimiter);
        return text.split_at_checked(end - usize::from(is_return));
    }
    let mut at = 1;
    loop {
        at += memchr(b'"', bytes.get(at..)?)? + 1;
        match bytes.get(at) {
            Some(b'"') => at += 1,
            _ => return text.split_at_checked(at),
        }
    }
}

/// Is this a number of JSON?
pub(super) fn is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    tokenforge_json::lexeme::number(bytes, 0).is_ok_and(|(end, _)| end == bytes.len())
}
