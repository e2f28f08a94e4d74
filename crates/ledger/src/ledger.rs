//! The append-only log: entries are written as whole lines, so that several processes can do it at once.

use crate::reader::LedgerReader;
use crate::segment::{self, LedgerSegment};
use crate::{LedgerEntry, UtcDay};
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How many bytes a ledger has at most, unless the settings say otherwise: about a year of one person's days.
pub const MAX_BYTES: u64 = 64 << 20;

/// A ledger has this many files at least before the oldest goes, so that not all is lost at once.
const FILES: u64 = 8;

/// Lines of this length together are written: a file is hardly longer than it may be.
const WRITE_BYTES: usize = 32 << 10;

/// A ledger that is written to.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
    max_bytes: u64,
    open: Option<(LedgerSegment, File)>,
}

impl Ledger {
    /// The ledger in this folder, which is made if need be.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        make(&folder)?;
        Ok(Ledger { folder, max_bytes: MAX_BYTES, open: None })
    }

    /// The same, with another bound on its size.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Ledger { max_bytes, ..self }
    }

    /// Streams the entries of the ledger in this folder, oldest days first: all, or those from a day on. A ledger that
    /// is not there is empty.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn read(folder: impl AsRef<Path>, since: Option<UtcDay>) -> io::Result<LedgerReader> {
        LedgerReader::new(folder.as_ref(), since)
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// The file cannot be opened or written.
    pub fn append(&mut self, entry: &LedgerEntry) -> io::Result<()> {
        self.append_all(std::slice::from_ref(entry))
    }

    /// Appends entries. One write is whole lines: what two processes write at once does not mix.
    ///
    /// # Errors
    /// The file cannot be opened or written.
    pub fn append_all(&mut self, entries: &[LedgerEntry]) -> io::Result<()> {
        let mut lines = Vec::new();
        for of_day in entries.chunk_by(|one, next| UtcDay::of(one.time) == UtcDay::of(next.time)) {
            for (at, entry) in of_day.iter().enumerate() {
                serde_json::to_writer(&mut lines, entry)?;
                lines.push(b'\n');
                if lines.len() >= WRITE_BYTES || at + 1 == of_day.len() {
                    self.file(UtcDay::of(entry.time))?.write_all(&lines)?;
                    lines.clear();
                }
            }
        }
        Ok(())
    }

    /// The file of a day that still has room.
    fn file(&mut self, day: UtcDay) -> io::Result<&mut File> {
        let first = LedgerSegment::first_of(day);
        let room = self.max_bytes / FILES;
        let is_good = match &self.open {
            Some((segment, file)) => {
                let metadata = file.metadata()?;
                let has_room = segment.day == first.day && metadata.len() < room;
                has_room && is_there(&metadata, segment, &self.folder)
            }
            None => false,
        };
        if !is_good {
            let of_day = segment::all(&self.folder)?;
            let last = of_day.into_iter().rfind(|(segment, _)| segment.day == first.day);
            let segment = match last {
                Some((last, bytes)) if bytes >= room => last.next(),
                Some((last, _)) => last,
                None => first,
            };
            make(&self.folder)?;
            let file = private(&segment.path(&self.folder))?;
            segment::prune(&self.folder, self.max_bytes.saturating_sub(room))?;
            self.open = Some((segment, file));
        }
        match &mut self.open {
            Some((_, file)) => Ok(file),
            None => Err(io::Error::other("no file is open")),
        }
    }
}

fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Can the open file still be found? The user may have removed it, or the folder, to forget everything.
#[cfg(unix)]
fn is_there(metadata: &Metadata, _: &LedgerSegment, _: &Path) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 0
}

#[cfg(not(unix))]
fn is_there(_: &Metadata, segment: &LedgerSegment, folder: &Path) -> bool {
    segment.path(folder).exists()
}

fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
