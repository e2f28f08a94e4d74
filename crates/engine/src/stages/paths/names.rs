//! Lists of names: the folders, or other beginnings, that neighbouring lines share.

use std::ops::Range;

use super::plan::{NameCut, cuts, often_share};
use super::{FEWEST_LINES, GroupRow, LineBlock, OVERHEAD};

/// More lines than this without a folder end a block.
const LONGEST_GAP: usize = 8;
/// A block must save a token in this many bytes.
const BYTES_A_TOKEN: usize = 48;

/// The lines worth grouping, where `column` says where in a line the name starts.
pub(super) fn blocks<'a>(lines: &[&'a str], column: impl Fn(&str) -> usize) -> Vec<LineBlock<'a>> {
    let mut blocks = Vec::new();
    let mut next = 0;
    while let Some(run) = next_run(lines, next, &column) {
        next = run.end;
        blocks.extend(block(run.start, &lines[run], &column));
    }
    blocks
}

/// The next lines among which there are folders, without an empty line.
fn next_run(lines: &[&str], from: usize, column: &impl Fn(&str) -> usize) -> Option<Range<usize>> {
    let has_folder = |line: &&str| line.get(column(line)..).is_some_and(has_folder);
    let start = from + lines[from..].iter().position(has_folder)?;
    let mut end = start;
    for (index, line) in lines.iter().enumerate().skip(start) {
        if line.is_empty() || index - end > LONGEST_GAP {
            break;
        }
        if has_folder(line) {
            end = index + 1;
        }
    }
    Some(start..end)
}

/// Folders end in slashes; names without any may be made of words with dots between them.
fn has_folder(name: &str) -> bool {
    let dots = || memchr::memchr_iter(b'.', name.as_bytes()).nth(1).is_some();
    memchr::memchr2(b'/', b'\\', name.as_bytes()).is_some()
        || name.starts_with(|first: char| first.is_ascii_alphabetic()) && dots()
}

fn block<'a>(
    first: usize,
    lines: &[&'a str],
    column: &impl Fn(&str) -> usize,
) -> Option<LineBlock<'a>> {
    if lines.len() < FEWEST_LINES {
        return None;
    }
    let mut parts: Vec<(&str, &str)> = Vec::with_capacity(lines.len());
    for line in lines {
        parts.push(line.split_at_checked(column(line))?);
    }
    let names: Vec<&str> = parts.iter().map(|(_, name)| *name).collect();
    if !often_share(&names) {
        return None;
    }
    let (cuts, saved) = cuts(&names);
    let saved = saved.checked_sub(OVERHEAD)?;
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    if saved == 0 || saved * BYTES_A_TOKEN < bytes {
        return None;
    }
    let mut line = String::new();
    let row = |((before, name), cut): ((&'a str, &'a str), NameCut)| {
        let (heading, rest) = name.split_at_checked(cut.end)?;
        line.clear();
        line.extend([before, rest]);
        // The name must be found again where it was.
        let is_row = !rest.is_empty() && column(&line) == before.len();
        is_row.then_some(GroupRow { heading: cut.opens.then_some(heading), before, rest })
    };
    let befores = parts.iter().map(|(before, _)| *before);
    let mut rows = Vec::with_capacity(lines.len());
    for found in befores.zip(names).zip(cuts).map(row) {
        rows.push(found?);
    }
    Some(LineBlock { first, rows, saved })
}
