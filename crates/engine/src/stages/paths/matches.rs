//! Searches with line numbers: `path:12:text`, with context lines as `path-11-text` and `--` between parts.

use super::{FEWEST_LINES, GroupRow, LineBlock, OVERHEAD};
use crate::lexeme;
use crate::weight::weight;

/// The lines that name their file, as groups of lines of one file.
pub(super) fn blocks<'a>(lines: &[&'a str]) -> Vec<LineBlock<'a>> {
    let files = files(lines);
    let mut blocks = Vec::new();
    let mut first = 0;
    while first < files.len() {
        let is_row = |index: &usize| files[*index].is_some() || is_separator(lines, &files, *index);
        if files[first].is_none() {
            first += 1;
            continue;
        }
        let count = (first..files.len()).take_while(is_row).count();
        let rows = first..first + count;
        blocks.extend(block(first, &lines[rows.clone()], &files[rows]));
        first += count;
    }
    blocks
}

/// What stands between a file's name and the number that `row` starts with: the same that follows it.
pub(super) fn delimiter(row: &str) -> Option<&str> {
    let digits = row.bytes().take_while(u8::is_ascii_digit).count();
    let delimiter = row.get(digits..digits + 1)?;
    (digits > 0 && matches!(delimiter, ":" | "-")).then_some(delimiter)
}

/// Is this what searches print between parts that are not adjacent?
pub(super) fn separates(line: &str) -> bool {
    line.trim_end_matches('\r') == "--"
}

/// The file that each line names, if it does.
fn files<'a>(lines: &[&'a str]) -> Vec<Option<&'a str>> {
    let mut files: Vec<_> = lines.iter().map(|line| file_of_match(line)).collect();
    if files.iter().all(Option::is_none) {
        return files;
    }
    // A context line is known by its neighbour: `a-1-b-2-c` alone does not say where the name ends.
    for index in (1..lines.len()).rev() {
        files[index - 1] =
            files[index - 1].or_else(|| file_of_context(lines[index - 1], files[index]));
    }
    for index in 1..lines.len() {
        files[index] = files[index].or_else(|| file_of_context(lines[index], files[index - 1]));
    }
    files
}

fn file_of_match(line: &str) -> Option<&str> {
    let plain = |byte: u8| byte.is_ascii_alphabetic() || b"./\\_".contains(&byte);
    line.bytes().next().filter(|&byte| plain(byte))?;
    let mut colons = memchr::memchr_iter(b':', line.as_bytes()).take(8);
    let end = colons.find(|&colon| delimiter(&line[colon + 1..]) == Some(":"))?;
    let file = &line[..end];
    // The colon of a time, or of a URL's port, ends no name of a file.
    let is_split =
        lexeme::spans(line).take_while(|span| span.start < end).any(|span| span.end > end);
    (!is_split && (!file.contains(' ') || file.contains(['/', '\\']))).then_some(file)
}

fn file_of_context<'a>(line: &str, neighbour: Option<&'a str>) -> Option<&'a str> {
    let file = neighbour?;
    let row = line.strip_prefix(file)?.strip_prefix('-')?;
    (delimiter(row) == Some("-")).then_some(file)
}

fn is_separator(lines: &[&str], files: &[Option<&str>], index: usize) -> bool {
    let is_row =
        |index: Option<usize>| index.and_then(|index| files.get(index)?.as_ref()).is_some();
    separates(lines[index]) && is_row(index.checked_sub(1)) && is_row(index.checked_add(1))
}

fn block<'a>(first: usize, lines: &[&'a str], files: &[Option<&'a str>]) -> Option<LineBlock<'a>> {
    let mut names: Vec<&str> = Vec::with_capacity(files.len());
    names.extend(files.iter().flatten());
    if names.len() < FEWEST_LINES {
        return None;
    }
    let total: usize = names.iter().map(|name| weight(name) + 1).sum();
    let mut cost = OVERHEAD;
    let mut rows = Vec::with_capacity(lines.len());
    let mut current = None;
    for (line, file) in lines.iter().zip(files) {
        let heading = file.filter(|_| *file != current);
        current = file.or(current);
        cost += heading.map_or(0, weight);
        let rest = line.get(file.map_or(0, |file| file.len() + 1)..)?;
        rows.push(GroupRow { heading, before: "", rest });
    }
    (cost < total).then(|| LineBlock { first, rows, saved: total - cost })
}
