//! `ls -l`: blanks line up link counts, owners, sizes and dates. None of these holds a space; the name keeps its own.

use super::{Table, split_end};

const MIN_LINES: usize = 2;

/// Consecutive lines of a long listing.
pub(super) fn table(lines: &[&str]) -> Option<Table> {
    let rows: Vec<String> = lines.iter().map_while(|line| row(line)).collect();
    (rows.len() >= MIN_LINES).then(|| Table { lines: rows.len(), text: rows.concat() })
}

fn row(line: &str) -> Option<String> {
    let (content, end) = split_end(line);
    if !has_mode(content) {
        return None;
    }
    let date_end = date_end(content)?;
    let mut row = String::with_capacity(line.len());
    for word in content[..date_end].split(' ').filter(|word| !word.is_empty()) {
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(word);
    }
    row.push_str(&content[date_end..]);
    row.push_str(end);
    Some(row)
}

/// `-rw-r--r--`, with one more character for access lists and the like.
fn has_mode(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.len() > 11
        && b"-dlbcpsD".contains(&bytes[0])
        && bytes[1..10].iter().all(|byte| b"rwxsStT-".contains(byte))
        && (bytes[10] == b' ' || b".+@".contains(&bytes[10]) && bytes[11] == b' ')
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
