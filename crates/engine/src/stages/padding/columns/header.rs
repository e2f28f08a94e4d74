//! Which lines are the head of a table.

use super::column::{self, PaddedColumn};
use super::row::PaddedCell;
use super::split_end;
use crate::whole_lines::first_line;
use std::ops::Range;

const MIN_COLUMNS: usize = 3;

/// Whether the first line consists of dashes under each column name: `----  ---`, `===  ===` or dpkg's `+++-===-===`.
pub(super) fn is_rule(rest: &str) -> bool {
    if !rest.starts_with(['-', '=', '+']) {
        return false;
    }
    let line = first_line(rest);
    let (rule, _) = split_end(line);
    rule.ends_with(['-', '='])
        && rule.len() > 6
        && rule.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'+' | b' '))
        && !rule_gutters(line).is_empty()
}

/// Where the rule's parts are separated: at blanks, or at the dashes of a rule of equals signs.
pub(super) fn rule_gutters(line: &str) -> Vec<Range<usize>> {
    let (rule, _) = split_end(line);
    let separator = if rule.contains(' ') { b' ' } else { b'-' };
    if separator == b'-' && !rule.contains('=') {
        return Vec::new();
    }
    let mut gutters: Vec<Range<usize>> = Vec::new();
    for (column, byte) in rule.bytes().enumerate() {
        match gutters.last_mut() {
            _ if byte != separator => {}
            Some(gutter) if gutter.end == column => gutter.end += 1,
            _ => gutters.push(column..column + 1),
        }
    }
    gutters
}

/// Whether the line could be names of columns: words with gaps between them and nothing that code has, each beginning
/// with a capital; or with numbers in the line below it.
pub(super) fn is_header(line: &str, below: &str) -> bool {
    has_gap(line)
        && has_names_only(line)
        && (names(line).all(|name| !name.starts_with(char::is_lowercase))
            || has_numbers(first_line(below)))
}

/// Whether the line is a header of which every name begins with a capital.
pub(super) fn is_capitalised(line: &str) -> bool {
    has_gap(line)
        && has_names_only(line)
        && names(line).count() >= MIN_COLUMNS
        && names(line).all(|name| name.starts_with(char::is_uppercase))
}

/// What stands between gaps.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|name| !name.is_empty())
}

fn has_names_only(line: &str) -> bool {
    let (content, _) = split_end(line);
    !content.bytes().any(|byte| b";{}=\"'`<>,|\\\t".contains(&byte))
        && !content
            .split(' ')
            .any(|word| word.ends_with([':', '.']) || word.contains(['│', '┃', '║', '→']))
}

/// Whether two or more words begin with a digit.
fn has_numbers(line: &str) -> bool {
    line.split(' ').filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).nth(1).is_some()
}

/// Whether there is more than one space between two words.
pub(super) fn has_gap(line: &str) -> bool {
    let (content, _) = split_end(line);
    column::has_gap(content.trim_start_matches(' '))
}

/// Whether no two names were left in one cell: then rows could not say which of the two they fill.
pub(super) fn is_resolved(head: &[PaddedCell<'_>]) -> bool {
    head.len() > 1 && !head.iter().any(|cell| column::has_gap(cell.text))
}

/// Whether the header's cells are names: capitalised, or words above at least two columns of numbers. Two names are
/// enough if they are in capitals and the rows are not.
pub(super) fn names_columns(
    head: &[PaddedCell<'_>],
    columns: &[PaddedColumn],
    body: &[&str],
) -> bool {
    let is_lower = |c: char| c.is_lowercase();
    let is_name = |cell: &PaddedCell<'_>| {
        let name = cell.text.trim_start_matches(['%', '#', '+']);
        name.is_empty() || name.contains(char::is_alphabetic) && !name.starts_with(is_lower)
    };
    let names_numbers = |(cell, column): &(&PaddedCell<'_>, &PaddedColumn)| {
        column.is_numeric
            && cell.text.contains(char::is_alphabetic)
            && !cell.text.starts_with(|c: char| c.is_ascii_digit())
    };
    let in_capitals = !head.iter().any(|cell| cell.text.contains(is_lower))
        && body.iter().any(|line| line.contains(is_lower));
    let named =
        head.iter().all(is_name) && head.iter().any(|cell| cell.text.contains(char::is_alphabetic));
    named && (head.len() >= MIN_COLUMNS || in_capitals)
        || head.len() >= MIN_COLUMNS && head.iter().zip(columns).filter(names_numbers).count() >= 2
}
