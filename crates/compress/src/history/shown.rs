//! Lines that the model can see, and where they are.

use super::{Line, duplicate_marker};
use crate::SIGNATURE;
use foldhash::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// Of a line that was shown many times, the first few places are remembered.
const PLACES: usize = 4;

/// Texts that were shown, by line.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    shown: Vec<Shown>,
    /// The first text of each name.
    by_name: HashMap<String, usize>,
    /// The texts of each hash. A conversation may have thousands of results that are nearly the same: none is compared with
    /// all of them.
    by_text: HashMap<u64, Vec<u32>>,
    /// By the hash of a line.
    places: HashMap<u64, Places>,
}

/// A text that was shown.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    name: String,
    /// No other text was shown under it.
    has_own_name: bool,
    tool: String,
    text: Box<str>,
    /// Where its lines are, without the numbers that a thinned column shows.
    lines: Vec<Range<u32>>,
}

/// Where a line was shown first.
#[derive(Debug, Clone, Default)]
struct Places {
    all: [Place; PLACES],
    count: u8,
}

/// Which text, and which line of it.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    text: u32,
    line: u32,
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
        let (Ok(index), Ok(_)) = (u32::try_from(self.shown.len()), u32::try_from(text.len()))
        else {
            return;
        };
        let named = self.by_name.get(name).and_then(|&first| self.shown.get_mut(first));
        if let Some(first) = named {
            first.has_own_name = false;
            return;
        }
        self.by_name.insert(name.to_owned(), self.shown.len());
        let mut lines = Vec::new();
        let mut end = 0;
        for (at, line) in (0..).zip(Line::all(text)) {
            end += line.whole.len() as u32;
            lines.push(end - line.bare.len() as u32..end);
            end += 1;
            // A run that begins with an empty line may as well begin with the next.
            if !line.bare.trim_ascii().is_empty() && !line.bare.starts_with(SIGNATURE) {
                let place = Place { text: index, line: at };
                self.places.entry(hash(line.bare)).or_default().add(place);
            }
        }
        lines.shrink_to_fit();
        self.by_text.entry(self.hash_of(text)).or_default().push(index);
        let (name, tool) = (name.to_owned(), tool.to_owned());
        let (has_own_name, text) = (true, text.into());
        self.shown.push(Shown { name, has_own_name, tool, text, lines });
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let line = size_of::<Range<u32>>();
        let texts: usize =
            self.shown.iter().map(|shown| shown.text.len() + shown.lines.capacity() * line).sum();
        let named = size_of::<Shown>() + 2 * size_of::<(String, usize)>();
        let hashed = self.by_text.capacity() * size_of::<(u64, Vec<u32>)>();
        texts
            + hashed
            + self.shown.len() * named
            + self.places.capacity() * size_of::<(u64, Places)>()
    }

    /// The text shown under a name that no other has.
    pub(super) fn find(&self, name: &str) -> Option<&Shown> {
        self.shown.get(*self.by_name.get(name)?).filter(|shown| shown.has_own_name)
    }

    /// The name and tool of a text that was shown just so under another name than `not`.
    pub(super) fn same_as(&self, text: &str, not: Option<&str>) -> Option<(&str, &str)> {
        let is_it =
            |shown: &&Shown| shown.has_own_name && not != Some(&shown.name) && *shown.text == *text;
        let alike = self.by_text.get(&self.hash_of(text))?;
        let shown = alike.iter().filter_map(|&index| self.shown.get(index as usize)).find(is_it)?;
        Some((&shown.name, &shown.tool))
    }

    /// By the seed of a map, so that nobody can make texts that look alike.
    fn hash_of(&self, text: &str) -> u64 {
        self.by_text.hasher().hash_one(text)
    }

    /// The text that a duplicate marker stands for.
    pub(super) fn marked_as(&self, marker: &str) -> Option<String> {
        let is_it = |shown: &&Shown| duplicate_marker(&shown.name, &shown.tool) == marker;
        self.shown.iter().find(is_it).map(|shown| shown.text.to_string())
    }

    /// The longest run of lines, beginning with the first of `lines`, that was shown under another name than `not`.
    pub(super) fn longest_run(&self, lines: &[Line<'_>], not: Option<&str>) -> Option<Run<'_>> {
        if self.is_empty() {
            return None;
        }
        let places = self.places.get(&hash(lines.first()?.bare))?;
        let runs = places.iter().filter_map(|&Place { text, line: start }| {
            let shown = self.shown.get(text as usize)?;
            if !shown.has_own_name || not == Some(&shown.name) {
                return None;
            }
            let start = start as usize;
            let same = shown.from(start)?.zip(lines).take_while(|(shown, line)| {
                *shown == line.bare && !line.is_fixed && !shown.starts_with(SIGNATURE)
            });
            Some(Run { name: &shown.name, start, count: same.count() })
        });
        runs.reduce(|best, run| if run.count > best.count { run } else { best })
    }
}

impl Shown {
    /// So many lines from one on, if there are.
    pub(super) fn lines(&self, start: usize, count: usize) -> Option<impl Iterator<Item = &str>> {
        let is_there = start.checked_add(count)? <= self.lines.len();
        is_there.then(|| self.from(start))?.map(|lines| lines.take(count))
    }

    fn from(&self, start: usize) -> Option<impl Iterator<Item = &str>> {
        let text = |line: &Range<u32>| &self.text[line.start as usize..line.end as usize];
        Some(self.lines.get(start..)?.iter().map(text))
    }
}

impl Places {
    fn add(&mut self, place: Place) {
        if let Some(free) = self.all.get_mut(usize::from(self.count)) {
            *free = place;
            self.count += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Place> {
        self.all.iter().take(self.count.into())
    }
}

fn hash(line: &str) -> u64 {
    xxh3_64(line.as_bytes())
}
