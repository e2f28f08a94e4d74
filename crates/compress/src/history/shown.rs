//! Lines that the model can see, and where they are.

use super::{Line, duplicate_marker};
use crate::SIGNATURE;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Of a line that was shown many times, the first few places are remembered.
const PLACES: usize = 4;

/// Texts that were shown, by line.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    shown: Vec<Shown>,
    /// Which text has a name; none where several have it.
    by_name: HashMap<String, Option<usize>>,
    /// By the hash of a line: which text, and which line of it.
    places: HashMap<u64, Vec<(usize, usize)>>,
}

#[derive(Debug, Clone)]
struct Shown {
    name: String,
    tool: String,
    text: Box<str>,
    /// The lines without the numbers that a thinned column shows.
    lines: Vec<Box<str>>,
}

/// Lines in a row that were shown before.
pub(super) struct Run<'a> {
    pub(super) name: &'a str,
    pub(super) start: usize,
    pub(super) count: usize,
}

impl Index {
    pub(super) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    pub(super) fn add(&mut self, name: &str, tool: &str, text: &str) {
        if let Some(named) = self.by_name.get_mut(name) {
            *named = None;
            return;
        }
        self.by_name.insert(name.to_owned(), Some(self.shown.len()));
        let lines = Line::all(text);
        for (at, line) in lines.iter().enumerate() {
            // A run that begins with an empty line may as well begin with the next.
            if !line.bare.trim_ascii().is_empty() && !line.bare.starts_with(SIGNATURE) {
                let places = self.places.entry(hash(line.bare)).or_default();
                if places.len() < PLACES {
                    places.push((self.shown.len(), at));
                }
            }
        }
        self.shown.push(Shown {
            name: name.to_owned(),
            tool: tool.to_owned(),
            text: text.into(),
            lines: lines.iter().map(|line| line.bare.into()).collect(),
        });
    }

    /// The lines of the text shown under a name.
    pub(super) fn find(&self, name: &str) -> Option<&[Box<str>]> {
        self.named(name).map(|shown| &*shown.lines)
    }

    /// The text shown under a name that no other has.
    fn named(&self, name: &str) -> Option<&Shown> {
        self.shown.get((*self.by_name.get(name)?)?)
    }

    /// The name and tool of a text that was shown just so under another name than `not`.
    pub(super) fn same_as(&self, text: &str, not: Option<&str>) -> Option<(&str, &str)> {
        let is_it = |shown: &&Shown| {
            *shown.text == *text && not != Some(&shown.name) && self.named(&shown.name).is_some()
        };
        let shown = self.shown.iter().find(is_it)?;
        Some((&shown.name, &shown.tool))
    }

    /// The text that a duplicate marker stands for.
    pub(super) fn marked_as(&self, marker: &str) -> Option<String> {
        let is_it = |shown: &&Shown| duplicate_marker(&shown.name, &shown.tool) == marker;
        self.shown.iter().find(is_it).map(|shown| shown.text.to_string())
    }

    /// The longest run of lines, beginning with the first of `lines`, that was shown under another name than `not`.
    pub(super) fn longest_run(&self, lines: &[Line<'_>], not: Option<&str>) -> Option<Run<'_>> {
        let places = self.places.get(&hash(lines.first()?.bare))?;
        let runs = places.iter().filter_map(|&(text, start)| {
            let Shown { name, lines: shown, .. } =
                self.named(&self.shown[text].name).filter(|shown| not != Some(&shown.name))?;
            let same = shown[start..].iter().zip(lines).take_while(|(shown, line)| {
                ***shown == *line.bare && !line.is_fixed && !shown.starts_with(SIGNATURE)
            });
            let count = same.count();
            Some(Run { name, start, count })
        });
        runs.reduce(|best, run| if run.count > best.count { run } else { best })
    }
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}
