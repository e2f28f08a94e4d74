//! Line deduplication within one output: a line or a block that comes again is said once, and how often or from where.
//!
//! ```text
//! waiting                        waiting
//! waiting                        [Forge the line above 11 more times]
//! ... (12 of them)
//! at step (a.js:1)               [Forge the 4 lines above once more]
//! at run (b.js:2) ...            [Forge 9 lines again from: at step (a.js:1)]
//! ```
//!
//! The lines that a note speaks of can be read where it says: right above it, or from the first line in the text that
//! starts with the words after `from:`. A note never speaks of lines that another note stands for.

mod note;
mod repeats;

use super::kinds::{LineCodec, Lossless};
use note::{FirstLines, FoldNote};
use repeats::{FoldedRun, LineRepeats};

use crate::diff::is_diff;
use crate::lines::{self, LineOffsets, MAX_TEXT, MOST_LINES, push_all};

/// A text must save a token in this many bytes: for less it is not made harder to read.
const BYTES_A_TOKEN: usize = 80;

pub(super) static STAGE: Lossless =
    Lossless::words("repeated_lines", LineCodec { encode, has_written, decode });

/// The text with its repeated lines folded; `None` if there are none worth it.
///
/// ```
/// use tokenforge_engine::internals::fold::{decode, encode};
///
/// let log = format!("start\n{}done\n", "waiting for the other side\n".repeat(12));
/// let folded = encode(&log).unwrap();
/// assert_eq!(folded, "start\nwaiting for the other side\n[Forge the line above 11 more times]\ndone\n");
/// assert_eq!(decode(&folded).as_deref(), Some(&*log));
/// ```
pub fn encode(text: &str) -> Option<String> {
    let lines = lines::all(text)?;
    if lines.iter().any(|line| forbids_folding(line)) || is_diff(text) {
        return None;
    }
    let least = (text.len() / BYTES_A_TOKEN).max(1);
    let folds = LineRepeats::new(&lines, least)?.folds();
    let saved: usize = folds.iter().map(|fold| fold.saved).sum();
    if folds.is_empty() || saved * BYTES_A_TOKEN < text.len() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut next = 0;
    for FoldedRun { first, note, .. } in &folds {
        push_all(&mut out, lines.get(next..*first)?);
        push_all(&mut out, &[&*note.to_string()]);
        next = first + note.lines();
    }
    push_all(&mut out, lines.get(next..)?);
    if !text.ends_with('\n') {
        out.pop();
    }
    Some(out)
}

/// The text whose lines [`encode`] folded; `None` if it did not make this text.
pub fn decode(text: &str) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    let mut firsts = FirstLines::default();
    let mut size = 0;
    for (_, line) in LineOffsets::new(text) {
        let end = lines.len();
        let (block, times) = match FoldNote::parse(line) {
            None => {
                firsts.add(line, end);
                lines.push(line);
                size += line.len() + 1;
                continue;
            }
            Some(FoldNote::Above { lines, times }) => (end.checked_sub(lines)?..end, times),
            Some(FoldNote::Again { lines, from }) => {
                let first = firsts.get(from)?;
                (first..first.checked_add(lines)?, 1)
            }
        };
        let bytes: usize = lines.get(block.clone())?.iter().map(|line| line.len() + 1).sum();
        size = bytes.checked_mul(times)?.checked_add(size).filter(|&size| size <= MAX_TEXT)?;
        block.len().checked_mul(times).filter(|&added| end + added <= MOST_LINES)?;
        (0..times).for_each(|_| lines.extend_from_within(block.clone()));
    }
    let mut out = String::with_capacity(size);
    push_all(&mut out, &lines);
    if !text.ends_with('\n') {
        out.pop();
    }
    Some(out)
}

/// Are lines folded in this text?
pub(crate) fn has_written(text: &str) -> bool {
    LineOffsets::new(text).any(|(_, line)| is_note(line))
}

/// Does a line stand for others that are shown above it?
pub(crate) fn is_note(line: &str) -> bool {
    FoldNote::parse(line).is_some()
}

/// A line that could be taken for a note, or one that numbers the lines below it.
fn forbids_folding(line: &str) -> bool {
    line.starts_with("[Forge lines ") || FoldNote::parse(line).is_some()
}
