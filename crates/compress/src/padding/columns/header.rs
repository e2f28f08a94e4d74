//! Which lines are the head of a table.

use super::column::Column;
use super::split_end;
use std::ops::Range;

const MIN_COLUMNS: usize = 3;

/// Whether the line consists of dashes under each column name: `----  ---`, `===  ===` or dpkg's `+++-===-===`.
pub(super) fn is_rule(line: Option<&str>) -> bool {
    line.is_some_and(|line| {
        let (rule, _) = split_end(line);
        rule.starts_with(['-', '=', '+'])
            && rule.ends_with(['-', '='])
            && rule.len() > 6
            && rule.chars().all(|c| matches!(c, '-' | '=' | '+' | ' '))
            && !rule_gutters(line).is_empty()
    })
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

/// Whether the line could be names of columns: three words or more, gaps between them, and nothing that code has.
pub(super) fn is_header(line: &str) -> bool {
    let (content, _) = split_end(line);
    let content = content.trim_start_matches(' ');
    memchr::memmem::find(content.as_bytes(), b"  ").is_some()
        && content.split(' ').filter(|word| !word.is_empty()).count() >= MIN_COLUMNS
        && !content.contains(|c: char| ";{}=\"'`<>,|\\\t".contains(c))
        && !content.split(' ').any(|word| word.ends_with([':', '.']))
}

/// Whether the header's cells are names: capitalised, or words above at least two columns of numbers.
pub(super) fn names_columns(head: &[&str], columns: &[Column]) -> bool {
    let is_name = |cell: &&str| {
        let cell = cell.trim_start_matches([' ', '%', '#', '+']);
        cell.is_empty()
            || cell.contains(char::is_alphabetic) && !cell.starts_with(|c: char| c.is_lowercase())
    };
    let names_numbers = |(cell, column): &(&&str, &Column)| {
        column.is_numeric
            && cell.contains(char::is_alphabetic)
            && !cell.trim().starts_with(|c: char| c.is_ascii_digit())
    };
    head.len() >= MIN_COLUMNS
        && head.iter().any(|cell| cell.contains(char::is_alphabetic))
        && (head.iter().all(is_name) || head.iter().zip(columns).filter(names_numbers).count() >= 2)
}
