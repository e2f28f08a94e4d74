//! The tally of pins: how many bytes of pinned entries each tenant has, in one small file that all processes share.
//!
//! A pin reserves its bytes here before its entry is written, under a lock that the system frees when a process dies. A
//! process that is killed in between leaves a tally that is too high, which is the safe side; each sweep counts anew, since
//! an entry's name says whose pin it is.

use super::{make_private, new_file};
use crate::StoreError;
use crate::pins::{PinOwner, PinnedBytes};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

pub(super) struct PinTally<'f> {
    pub(super) folder: &'f Path,
}

impl PinTally<'_> {
    /// The tally as it is now. It may be another one at any moment.
    pub(super) fn read(&self) -> Result<PinnedBytes, StoreError> {
        let path = self.folder.join("pins");
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            result => result.map_err(StoreError::file("read", &path))?,
        };
        let mut pinned = PinnedBytes::default();
        for line in text.lines() {
            let parts = line.split_once(' ');
            let parsed = parts.and_then(|(owner, bytes)| {
                Some((PinOwner::from_name(owner)?, bytes.parse().ok()?))
            });
            // A line that cannot be read is counted by the next sweep.
            if let Some((owner, bytes)) = parsed {
                pinned.add(owner, bytes);
            }
        }
        Ok(pinned)
    }

    /// Changes the tally. No other process does meanwhile.
    pub(super) fn update<T>(
        &self,
        change: impl FnOnce(&mut PinnedBytes) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let path = self.folder.join("pins.lock");
        let lock = || -> io::Result<File> {
            let lock = make_private().write(true).open(&path)?;
            lock.lock()?;
            Ok(lock)
        };
        // Freed when it is dropped.
        let _lock = lock().map_err(StoreError::file("lock", &path))?;
        let before = self.read()?;
        let mut pinned = before.clone();
        let answer = change(&mut pinned)?;
        if pinned != before {
            let path = self.folder.join("pins");
            self.replace(&path, &pinned).map_err(StoreError::file("write", &path))?;
        }
        Ok(answer)
    }

    /// Takes over what a sweep found, with what was pinned since it began.
    pub(super) fn recount(
        &self,
        at_begin: &PinnedBytes,
        found: PinnedBytes,
    ) -> Result<(), StoreError> {
        // Most stores have none, and need no lock.
        if *at_begin == found {
            return Ok(());
        }
        self.update(|pinned| {
            let mut counted = found;
            for (owner, bytes) in pinned.iter() {
                // Counted twice if the sweep came across it: too high until the next one, and never too low.
                counted.add(owner, bytes.saturating_sub(at_begin.of(owner)));
            }
            *pinned = counted;
            Ok(())
        })
    }

    fn replace(&self, path: &Path, pinned: &PinnedBytes) -> io::Result<()> {
        let mut file = new_file(self.folder)?;
        for (owner, bytes) in pinned.iter() {
            writeln!(file, "{owner} {bytes}")?;
        }
        file.persist(path)?;
        Ok(())
    }
}
