//! Text taken out of lines that stay.

use std::borrow::Cow;

use regex::Regex;

use super::note;
use super::patterns::Patterns;
use super::signal;
use super::written::Written;

/// The most places of one line that are rewritten: keeps a hostile pattern linear.
const MAX_PLACES: usize = 64;

/// Shortens the lines for which `may_change` holds. Returns how many changed, and what is said before which line.
pub(super) fn shorten(
    written: &Written,
    patterns: &Patterns,
    lines: &mut [Cow<str>],
    may_change: impl Fn(usize) -> bool,
) -> (usize, Vec<(usize, String)>) {
    let mut notes = Vec::new();
    let mut changed = vec![false; lines.len()];
    for (rule, pattern) in written.replace.iter().zip(&patterns.replaces) {
        notes.extend(run(lines, &mut changed, &may_change, &rule.say, |line| {
            rewritten(pattern, &rule.with, line)
        }));
    }
    if let Some(limit) = written.truncate {
        let say = format!("cut at {limit} characters");
        notes.extend(run(lines, &mut changed, &may_change, &say, |line| cut(line, limit)));
    }
    (changed.into_iter().filter(|&changed| changed).count(), notes)
}

/// One rule over all lines; nothing changes if it saves less than its note costs.
fn run(
    lines: &mut [Cow<str>],
    changed: &mut [bool],
    may_change: impl Fn(usize) -> bool,
    say: &str,
    shorter: impl Fn(&str) -> Option<String>,
) -> Option<(usize, String)> {
    let found: Vec<(usize, String)> = lines
        .iter()
        .enumerate()
        .filter(|(index, _)| may_change(*index))
        .filter_map(|(index, line)| Some((index, shorter(line)?)))
        .collect();
    let first = found.first()?.0;
    let saved: usize = found.iter().map(|(index, text)| lines[*index].len() - text.len()).sum();
    let note = note::shortened(found.len(), say);
    if saved <= note.len() + 1 {
        return None;
    }
    for (index, text) in found {
        lines[index] = Cow::Owned(text);
        changed[index] = true;
    }
    Some((first, note))
}

/// The line with every match replaced, if that makes it shorter.
fn rewritten(pattern: &Regex, with: &str, line: &str) -> Option<String> {
    let mut text = String::new();
    let mut end = 0;
    for captures in pattern.captures_iter(line).take(MAX_PLACES) {
        let place = captures.get(0)?;
        text.push_str(&line[end..place.start()]);
        captures.expand(with, &mut text);
        end = place.end();
        if text.len() > line.len() {
            return None;
        }
    }
    text.push_str(&line[end..]);
    (text.len() < line.len()).then_some(text)
}

/// The line up to a number of characters, unless what follows speaks of a failure.
fn cut(line: &str, limit: usize) -> Option<String> {
    let (end, _) = line.char_indices().nth(limit)?;
    let (start, rest) = line.split_at(end);
    (rest.len() > "…".len() && !signal::is_in(rest)).then(|| format!("{start}…"))
}
