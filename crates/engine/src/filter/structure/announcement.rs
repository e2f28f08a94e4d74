//! Announcements: lines that say that a test begins, which say nothing more once it has passed.

use std::cell::LazyCell;
use std::sync::LazyLock;

use foldhash::HashSet;
use regex::Regex;

use super::super::strip::visible_text;
use super::LineRole;
use super::result::{PREFIX, ResultLine};

/// A beginning is said before the name ...
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:\[ *RUN *\]|=== (?:RUN|CONT|PAUSE|NAME)|Start +\d+:|# Subtest:|# )\s*(\S.*?)\s*$",
    )
    .ok()
});

/// ... or behind it.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"^\s*{PREFIX}{{0,3}}(\S.*?)[:. ]+(?:\[RUN\]|STARTED|start|started|RUNNING)\s*$"
    ))
    .ok()
});

/// Marks announcements of what passed. One without its pass stays: it says where a run came to a halt.
pub(super) fn mark_announcements(lines: &[&str], passes: &[usize], roles: &mut [Option<LineRole>]) {
    // Most runs announce nothing, and have many passes.
    let passed = LazyCell::new(|| -> HashSet<&str> {
        passes.iter().flat_map(|&line| names(lines[line])).collect()
    });
    for (at, line) in lines.iter().enumerate() {
        let may_go = roles[at].is_none() && ResultLine::of(line) != ResultLine::Kept;
        let announced = || name_announced(visible_text(line));
        let leads_to_a_pass = |name: &str| {
            passed.contains(name)
                || (line.starts_with("# ") && passes.binary_search(&(at + 1)).is_ok())
        };
        if may_go && announced().is_some_and(leads_to_a_pass) {
            roles[at] = Some(LineRole::Pass);
        }
    }
}

/// What a line announces.
fn name_announced(line: &str) -> Option<&str> {
    let name = |pattern: &'static LazyLock<Option<Regex>>| {
        pattern.as_ref()?.captures(line)?.get(1).map(|name| name.as_str())
    };
    // Behind it stands a sentence, of which one word is the name: the longest.
    name(&BEFORE).or_else(|| name(&BEHIND)?.split_whitespace().max_by_key(|word| word.len()))
}

/// The names in the line of a pass: each word, and what stands behind `ok 3 - ` and before a comment.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let line = visible_text(line);
    let described = line.split_once(" - ").map(|(_, name)| {
        let name = name.rsplit_once(" # ").map_or(name, |(name, _)| name);
        name.trim_end()
    });
    let words = line.split_whitespace().map(|word| word.trim_end_matches(':'));
    words.chain(described)
}
