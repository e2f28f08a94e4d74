//! Repeated lines: a line or a block that comes again is said once, and how often or from where.
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

use note::Note;
use repeats::Repeats;

use crate::lines::Lines;

/// The largest text that is folded or unfolded.
const MAX_TEXT: usize = 64 << 20;

/// The text with its repeated lines folded; `None` if there are none worth it.
///
/// ```
/// use tokenforge_compress::fold::{decode, encode};
///
/// let log = format!("start\n{}done\n", "waiting for the other side\n".repeat(12));
/// let folded = encode(&log).unwrap();
/// assert_eq!(folded, "start\nwaiting for the other side\n[Forge the line above 11 more times]\ndone\n");
/// assert_eq!(decode(&folded).as_deref(), Some(&*log));
/// ```
pub fn encode(text: &str) -> Option<String> {
    let lines: Vec<&str> = Lines::new(text).map(|(_, line)| line).collect();
    if text.len() > MAX_TEXT || lines.iter().any(|line| Note::parse(line).is_some()) {
        return None;
    }
    let notes = Repeats::new(&lines)?.notes();
    let mut out = String::with_capacity(text.len());
    let mut next = 0;
    for (first, note) in &notes {
        push_lines(&mut out, lines.get(next..*first)?);
        push_lines(&mut out, &[&*note.to_string()]);
        next = first + note.lines();
    }
    push_lines(&mut out, lines.get(next..)?);
    if !text.ends_with('\n') {
        out.pop();
    }
    (!notes.is_empty()).then_some(out)
}

/// The text whose lines [`encode`] folded; `None` if it did not make this text.
pub fn decode(text: &str) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    let mut firsts = note::Firsts::default();
    let mut size = 0;
    for (_, line) in Lines::new(text) {
        let start = lines.len();
        match Note::parse(line) {
            None => lines.push(line),
            Some(Note::Again { lines: count, from }) => {
                let source = firsts.get(from)?;
                let end = source.checked_add(count).filter(|&end| end <= start)?;
                lines.extend_from_within(source..end);
            }
            Some(Note::Above { lines: period, times }) => {
                let block = lines.len().checked_sub(period)?..lines.len();
                let added: usize =
                    lines.get(block.clone())?.iter().map(|line| line.len() + 1).sum();
                added.checked_mul(times).filter(|added| size + added <= MAX_TEXT)?;
                (0..times).for_each(|_| lines.extend_from_within(block.clone()));
            }
        }
        let added = lines.get(start..)?;
        size += added.iter().map(|line| line.len() + 1).sum::<usize>();
        added.iter().enumerate().for_each(|(index, line)| firsts.add(line, start + index));
        if size > MAX_TEXT + 1 {
            return None;
        }
    }
    let mut out = String::with_capacity(size);
    push_lines(&mut out, &lines);
    if !text.ends_with('\n') {
        out.pop();
    }
    Some(out)
}

fn push_lines(out: &mut String, lines: &[&str]) {
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
}
