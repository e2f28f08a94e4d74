//! Reading entries back, one after the other.
//!
//! A line may be torn: the machine stopped, or the disk was full. The next entry then stands behind the piece on the
//! same line; since every entry begins with the same bytes, and no name can hold them, it is found there.

use crate::segment::{self, Segment};
use crate::{Day, Entry};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// No line of ours is longer.
pub(crate) const LONGEST: usize = 128 << 10;

/// What every line begins with.
const START: &str = r#"{"v":"#;

/// The entries of a ledger.
#[derive(Debug)]
pub struct Reading {
    folder: PathBuf,
    since: u64,
    /// What is still to be read, the next at the end.
    segments: Vec<Segment>,
    file: Option<BufReader<File>>,
    skipped: u64,
}

impl Reading {
    pub(crate) fn new(folder: &Path, since: Option<Day>) -> io::Result<Self> {
        let first = since.map(|day| day.to_string()).unwrap_or_default();
        let segments = segment::all(folder)?.into_iter().rev().map(|(segment, _)| segment);
        Ok(Reading {
            folder: folder.to_owned(),
            since: since.map_or(0, Day::start),
            segments: segments.filter(|segment| segment.day >= first).collect(),
            file: None,
            skipped: 0,
        })
    }

    /// How many lines were no entries so far: torn, or somebody else's.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next line, without its end. Nothing at the end of all files.
    fn line(&mut self) -> Option<Vec<u8>> {
        loop {
            let Some(file) = &mut self.file else {
                let segment = self.segments.pop()?;
                // It may have made room for newer ones meanwhile.
                self.file = File::open(segment.path(&self.folder)).ok().map(BufReader::new);
                continue;
            };
            let mut line = Vec::new();
            match file.by_ref().take(LONGEST as u64).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => self.file = None,
                Ok(_) => {
                    if line.last() == Some(&b'\n') {
                        line.pop();
                    }
                    return Some(line);
                }
            }
        }
    }
}

impl Iterator for Reading {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let line = self.line()?;
            let Line { entry, is_whole } = Line::of(&line);
            self.skipped += u64::from(!is_whole);
            if let Some(entry) = entry.filter(|entry| entry.time >= self.since) {
                return Some(entry);
            }
        }
    }
}

/// What a line holds.
struct Line {
    entry: Option<Entry>,
    /// There is nothing else in it.
    is_whole: bool,
}

impl Line {
    fn of(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() {
            return Line { entry: None, is_whole: true };
        }
        if let Some(entry) = entry(text) {
            return Line { entry: Some(entry), is_whole: true };
        }
        let behind = text.rfind(START).filter(|at| *at > 0);
        Line { entry: behind.and_then(|at| entry(&text[at..])), is_whole: false }
    }
}

fn entry(text: &str) -> Option<Entry> {
    serde_json::from_str(text).ok().filter(Entry::is_ours)
}
