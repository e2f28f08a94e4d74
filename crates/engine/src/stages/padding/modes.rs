//! Lines that begin with the mode of a file: `ls -l` and `git ls-tree -l`. What lies before the name holds no spaces of
//! its own; the name keeps what it has.

use super::{PaddedTable, split_end};
use crate::whole_lines::whole_lines;

const MIN_LINES: usize = 2;

/// Consecutive lines of a long listing.
pub(super) fn table(rest: &str) -> Option<PaddedTable> {
    let mut table = String::new();
    let (mut len, mut lines) = (0, 0);
    for (line, row) in whole_lines(rest).map_while(|line| row(line).map(|row| (line, row))) {
        table.push_str(&row);
        len += line.len();
        lines += 1;
    }
    (lines >= MIN_LINES).then_some(PaddedTable { len, text: Some(table) })
}

/// Whether the line begins with a mode.
pub(super) fn has_mode(line: &str) -> bool {
    has_permissions(line) || has_git_mode(line)
}

fn row(line: &str) -> Option<String> {
    let (content, end) = split_end(line);
    let name_start = if has_permissions(content) {
        date_end(content)?
    } else if has_git_mode(content) {
        content.find('\t')?
    } else {
        return None;
    };
    let mut row = String::with_capacity(line.len());
    for word in content[..name_start].split(' ').filter(|word| !word.is_empty()) {
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(word);
    }
    row.push_str(&content[name_start..]);
    row.push_str(end);
    Some(row)
}

/// `-rw-r--r--`, with one more character for access lists and the like.
fn has_permissions(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.len() > 11
        && b"-dlbcpsD".contains(&bytes[0])
        && bytes[1..10].iter().all(|byte| b"rwxsStT-".contains(byte))
        && (bytes[10] == b' ' || b".+@".contains(&bytes[10]) && bytes[11] == b' ')
}

/// `100644 blob 8ab686...`.
fn has_git_mode(line: &str) -> bool {
    line.len() > 12
        && line.as_bytes()[..6].iter().all(u8::is_ascii_digit)
        && [" blob ", " tree ", " commit "]
            .iter()
            .any(|kind| line.as_bytes()[6..].starts_with(kind.as_bytes()))
}

/// Where the date ends: after a time (and its zone), or after a year that follows month and day.
fn date_end(line: &str) -> Option<usize> {
    let mut words = words(line).take(11);
    let mut before = ["", ""];
    while let Some((start, word)) = words.next() {
        let is_year = word.len() == 4
            && is_number(word)
            && before.iter().any(|word| word.len() <= 2 && is_number(word));
        if is_time(word)
            || is_year && before.iter().any(|word| word.chars().all(char::is_alphabetic))
        {
            let zone = words.next().filter(|(_, word)| {
                word.len() == 5 && word.starts_with(['+', '-']) && is_number(&word[1..])
            });
            return Some(zone.map_or(start + word.len(), |(start, word)| start + word.len()));
        }
        before = [before[1], word];
    }
    None
}

fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = 0;
    line.split(' ').filter_map(move |word| {
        let start = offset;
        offset += word.len() + 1;
        (!word.is_empty()).then_some((start, word))
    })
}

fn is_time(word: &str) -> bool {
    word.split_once(':').is_some_and(|(hour, rest)| {
        hour.len() <= 2 && is_number(hour) && rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}
