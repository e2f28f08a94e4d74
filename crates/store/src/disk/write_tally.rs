//! The byte count that triggers eviction: how much all processes together wrote since the last sweep, without a lock.
//!
//! Counting every file at every put would take milliseconds, and a command that puts one entry remembers nothing. So
//! each put appends a byte a block to one file, whose length is the answer: appending is atomic.

use super::{BLOCK, make_private};
use crate::StoreError;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

pub(super) struct WriteTally<'f> {
    pub(super) folder: &'f Path,
}

impl WriteTally<'_> {
    /// Notes what an entry takes up, and tells how much that makes since the last sweep.
    pub(super) fn add(&self, size_on_disk: u64) -> Result<u64, StoreError> {
        let path = self.folder.join("ledger");
        let blocks = (size_on_disk / BLOCK) as usize;
        let append = || -> io::Result<u64> {
            let mut file = make_private().append(true).open(&path)?;
            file.write_all(&vec![b'.'; blocks])?;
            Ok(file.metadata()?.len() * BLOCK)
        };
        append().map_err(StoreError::file("write", &path))
    }

    /// How much was written since the last sweep.
    pub(super) fn bytes_written(&self) -> Result<u64, StoreError> {
        let path = self.folder.join("ledger");
        match fs::metadata(&path) {
            Ok(metadata) => Ok(metadata.len() * BLOCK),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(StoreError::file("read", &path)(error)),
        }
    }

    /// How long ago the last sweep was; very long if there was none.
    pub(super) fn age(&self, now: SystemTime) -> Result<Duration, StoreError> {
        let path = self.folder.join("swept");
        match fs::metadata(&path).and_then(|metadata| metadata.modified()) {
            Ok(swept) => Ok(now.duration_since(swept).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Duration::MAX),
            Err(error) => Err(StoreError::file("read", &path)(error)),
        }
    }

    /// Forgets what was written: a sweep begins.
    pub(super) fn start_anew(&self, now: SystemTime) -> Result<(), StoreError> {
        let truncate = |path: &Path| -> io::Result<File> {
            make_private().write(true).truncate(true).open(path)
        };
        let (ledger, swept) = (self.folder.join("ledger"), self.folder.join("swept"));
        truncate(&ledger).map_err(StoreError::file("write", &ledger))?;
        let marked = truncate(&swept).and_then(|file| file.set_modified(now));
        marked.map_err(StoreError::file("write", &swept))
    }
}
