//! The reader of a ledger: entries streamed back, one after the other.
//!
//! A line may be torn: the machine stopped, or the disk was full. The next entry then stands behind the piece on the
//! same line; since every entry begins with the same bytes, and no name can hold them, it is found there.

use crate::segment::{self, LedgerSegment};
use crate::{BoundedName, EntrySource, LedgerEntry, UtcDay};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// No line of ours is longer.
pub(crate) const LONGEST: usize = 128 << 10;

/// What every line begins with.
const START: &str = r#"{"v":"#;

/// The entries of a ledger.
#[derive(Debug)]
pub struct LedgerReader {
    folder: PathBuf,
    since: u64,
    /// What is still to be read, the next at the end.
    segments: Vec<LedgerSegment>,
    file: Option<BufReader<File>>,
    /// What a line must hold to be looked at.
    session: Option<String>,
    skipped: u64,
    /// Entries of the shadow that were read, if the caller wants them.
    shadow: Option<Vec<LedgerEntry>>,
}

impl LedgerReader {
    pub(crate) fn new(folder: &Path, since: Option<UtcDay>) -> io::Result<Self> {
        let first = since.map(|day| day.to_string()).unwrap_or_default();
        let segments = segment::all(folder)?.into_iter().rev().map(|(segment, _)| segment);
        Ok(LedgerReader {
            folder: folder.to_owned(),
            since: since.map_or(0, UtcDay::start),
            segments: segments.filter(|segment| segment.day >= first).collect(),
            file: None,
            session: None,
            skipped: 0,
            shadow: None,
        })
    }

    /// Only the entries of one session. The others are not even parsed: a status line reads this at every turn.
    #[must_use]
    pub fn of_session(mut self, session: &str) -> Self {
        self.session = Some(BoundedName::of_session(session).as_str().to_owned());
        self
    }

    /// Can this line be about the session that is asked for?
    fn is_asked_for(&self, line: &[u8]) -> bool {
        let Some(session) = self.session.as_ref().map(String::as_bytes) else { return true };
        line.windows(session.len()).any(|part| part == session)
    }

    /// Keeps the entries of requests that the gateway made by itself, for [`take_shadow`](Self::take_shadow). By
    /// default the reader skips them.
    pub(crate) fn keep_shadow(&mut self) {
        self.shadow = Some(Vec::new());
    }

    /// What the gateway asked by itself, of the entries that were read since the last call.
    pub(crate) fn take_shadow(&mut self) -> Vec<LedgerEntry> {
        self.shadow.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// How many lines were no entries so far: torn, or written by another program or version.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
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

impl Iterator for LedgerReader {
    type Item = LedgerEntry;

    fn next(&mut self) -> Option<LedgerEntry> {
        loop {
            let line = self.line()?;
            if !self.is_asked_for(&line) {
                continue;
            }
            let LedgerLine { entry, is_whole } = LedgerLine::of(&line);
            self.skipped += u64::from(!is_whole);
            let is_meant = |entry: &LedgerEntry| {
                let session = entry.session.as_ref().map(BoundedName::as_str);
                entry.time >= self.since
                    && (self.session.is_none() || self.session.as_deref() == session)
            };
            match entry.filter(is_meant) {
                // What no client asked for is in no sum of what clients did.
                Some(entry) if entry.source == EntrySource::Shadow => {
                    if let Some(shadow) = &mut self.shadow {
                        shadow.push(entry);
                    }
                }
                Some(entry) => return Some(entry),
                None => {}
            }
        }
    }
}

/// What a line holds.
struct LedgerLine {
    entry: Option<LedgerEntry>,
    /// There is nothing else in it.
    is_whole: bool,
}

impl LedgerLine {
    fn of(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() {
            return LedgerLine { entry: None, is_whole: true };
        }
        if let Some(entry) = entry(text) {
            return LedgerLine { entry: Some(entry), is_whole: true };
        }
        let behind = text.rfind(START).filter(|at| *at > 0);
        LedgerLine { entry: behind.and_then(|at| entry(&text[at..])), is_whole: false }
    }
}

fn entry(text: &str) -> Option<LedgerEntry> {
    serde_json::from_str(text).ok().filter(LedgerEntry::is_ours)
}
