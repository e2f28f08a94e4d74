//! Pattern mining over columns: what many rows have in common becomes a pattern, a row keeps what is its own.
//!
//! ```text
//! drwxr-xr-x 2 root root 4096 Nov 15 00:24 src      [Forge patterns: a line "a x y" is pattern a with x and y for its stars]
//! -rw-r--r-- 1 root root 292 Nov 15 00:24 a.toml    [Forge a = -rw-r--r-- 1 root root * Nov 15 00:24 *]
//! -rw-r--r-- 1 root root 18 Nov 15 00:24 b.toml     drwxr-xr-x 2 root root 4096 Nov 15 00:24 src
//! -rw-r--r-- 1 root root 7 Nov 15 00:24 c d.toml    a 292 a.toml
//!                                                   a 18 b.toml
//!                                                   a 7 c d.toml
//! ```
//!
//! A column is what stands between blanks, or a time with its date; the last takes the rest of the line. Blanks belong to the column behind
//! them, so a row is the pattern's letter and its own columns as they were.

mod mine;
mod pattern;

use super::kinds::{LineCodec, Lossless};
use mine::MinedPatterns;
use pattern::{Pattern, fields};

use crate::diff::is_diff;
use crate::lines::{self, LineOffsets, MAX_TEXT};

pub(super) static STAGE: Lossless =
    Lossless::notation("repeated_columns", LineCodec { encode, has_written, decode });

/// The text with its rows as letters of patterns and what is their own; `None` if that saves too little.
///
/// ```
/// use tokenforge_engine::internals::columns::{decode, encode};
///
/// let row = |n: u32| format!("-rw-r--r-- 1 root root {} Nov 15 00:24 part{n}.rs\n", n * 37);
/// let listing: String = (1..=9).map(row).collect();
/// let short = encode(&listing).unwrap();
/// assert!(short.ends_with("]\na 37 part1.rs\na 74 part2.rs\na 111 part3.rs\na 148 part4.rs\na 185 part5.rs\n\
///                           a 222 part6.rs\na 259 part7.rs\na 296 part8.rs\na 333 part9.rs\n"));
/// assert_eq!(decode(&short).as_deref(), Some(&*listing));
/// ```
pub fn encode(text: &str) -> Option<String> {
    let lines = lines::all(text)?;
    let mined = mine::patterns(&lines)?;
    if lines.iter().any(|line| line.starts_with(OPENING)) || is_diff(text) {
        return None;
    }
    let rows = rows(&mined, &lines);
    let patterns = patterns_in_use(mined.patterns, &lines, &rows);
    let saved: usize = patterns.iter().flatten().map(|pattern| pattern.saved).sum();
    if saved * BYTES_A_TOKEN < text.len() {
        return None;
    }
    let mut out = format!("{HEADER}\n");
    for PatternUse { letter, pattern, .. } in patterns.iter().flatten() {
        out.push_str(&format!("{OPENING}{letter} = {pattern}]\n"));
    }
    for (line, row) in lines.iter().zip(rows) {
        match row.and_then(|row| patterns.get(row)?.as_ref()) {
            Some(PatternUse { letter, pattern, .. }) => {
                out.push(*letter);
                pattern.write_own(line, &mut out);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    if !text.ends_with('\n') {
        out.pop();
    }
    (out.len() < text.len()).then_some(out)
}

/// Are rows shortened in this text?
pub(crate) fn has_written(text: &str) -> bool {
    text.strip_prefix(HEADER).is_some_and(|rest| rest.starts_with('\n'))
}

/// The text whose rows [`encode`] shortened; `None` if it did not make this text.
pub fn decode(text: &str) -> Option<String> {
    let rest = text.strip_prefix(HEADER)?.strip_prefix('\n')?;
    let mut out = String::with_capacity(2 * text.len());
    let mut patterns: Vec<(char, Pattern)> = Vec::new();
    let mut in_patterns = true;
    let mut lines = LineOffsets::new(rest);
    while let Some((start, line)) = lines.next() {
        let pattern = Some(line).filter(|_| in_patterns).and_then(pattern_of);
        if let Some(pattern) = pattern {
            patterns.push(pattern);
            continue;
        }
        in_patterns = false;
        let mut letters = line.chars();
        let letter = letters.next();
        let own = letters.as_str();
        let is_row = own.is_empty() || own.starts_with([' ', '\t']);
        match patterns.iter().find(|(other, _)| Some(*other) == letter && is_row) {
            Some((_, pattern)) => pattern.write_whole(own, &mut out)?,
            None => out.push_str(line),
        }
        out.push_str(rest.get(start + line.len()..lines.offset())?);
        (out.len() <= MAX_TEXT).then_some(())?;
    }
    Some(out)
}

const HEADER: &str = r#"[Forge patterns: a line "a x y" is pattern a with x and y for its stars]"#;
const OPENING: &str = "[Forge ";
/// What a pattern's line costs besides its columns, in tokens.
const OVERHEAD: usize = 6;
/// A text must save a token in this many bytes.
const BYTES_A_TOKEN: usize = 40;

/// The pattern that a line of ours names.
fn pattern_of(line: &str) -> Option<(char, Pattern<'_>)> {
    let line = line.strip_prefix(OPENING)?.strip_suffix(']')?;
    let (letter, pattern) = line.split_once(" = ")?;
    let mut letters = letter.chars();
    let letter = letters.next().filter(|letter| letter.is_ascii_lowercase())?;
    letters.next().is_none().then_some((letter, Pattern::parse(pattern)?))
}

/// The first pattern that each line is a row of.
fn rows<'a>(mined: &MinedPatterns, lines: &[&'a str]) -> Vec<Option<usize>> {
    let mut columns: Vec<&'a str> = Vec::with_capacity(mined.columns);
    let row = |line: &&'a str| {
        columns.clear();
        columns.extend(fields(line, mined.columns));
        mined.patterns.iter().position(|pattern| pattern.matches(&columns))
    };
    lines.iter().map(row).collect()
}

/// A pattern that rows are written with.
struct PatternUse<'a> {
    letter: char,
    pattern: Pattern<'a>,
    /// Tokens that its rows save, by a rough guess.
    saved: usize,
}

/// The patterns that have rows enough to pay for themselves, in the places they had.
fn patterns_in_use<'a>(
    mined: Vec<Pattern<'a>>,
    lines: &[&str],
    rows: &[Option<usize>],
) -> Vec<Option<PatternUse<'a>>> {
    let mut counts = vec![0; mined.len()];
    rows.iter().flatten().for_each(|row| counts[*row] += 1);
    let mut letters = free_letters(lines);
    let used = |(pattern, count): (Pattern<'a>, usize)| {
        let all: usize = count * pattern.weight().saturating_sub(1);
        let saved = all.checked_sub(pattern.weight() + OVERHEAD)?;
        Some(PatternUse { letter: letters.next()?, pattern, saved })
    };
    mined.into_iter().zip(counts).map(used).collect()
}

/// Letters that no line could be taken to start with.
fn free_letters(lines: &[&str]) -> impl Iterator<Item = char> {
    let mut taken = [false; 256];
    for line in lines {
        if let [letter] | [letter, b' ' | b'\t' | b'\r', ..] = line.as_bytes() {
            taken[usize::from(*letter)] = true;
        }
    }
    ('a'..='z').filter(move |letter| !taken[*letter as usize])
}
