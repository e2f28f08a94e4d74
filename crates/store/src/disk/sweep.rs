//! Eviction on disk, the least recently used first: looks at every entry, to count them and to remove what is expired or must make room.

use super::pin_tally::PinTally;
use super::size_on_disk;
use crate::pins::{PinOwner, PinnedBytes};
use crate::settings::is_unused_for;
use crate::{EntryKind, StoreError, StoreOptions, StoreStats, entry};
use std::fs::{self, DirEntry, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Last changed when an entry made room.
const EVICTED: &str = "evicted";

/// A file that has no name by then belongs to a process that was killed. The system's own clock says so, whatever the
/// store's may be: that is the one by which a new file is dated.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Removes what is expired, then the entries unused for longest until the rest takes up `target` bytes. Of pinned entries
/// only the expired ones go, and the others are counted.
pub(super) fn sweep(
    folder: &Path,
    settings: &StoreOptions,
    now: SystemTime,
    target: u64,
) -> Result<(), StoreError> {
    let tally = PinTally { folder };
    let (at_begin, mut pinned) = (tally.read()?, PinnedBytes::default());
    let mut kept = Vec::new();
    for_each_file(folder, |file| match file.kind {
        Some(kind) if settings.is_over(kind, file.last_use, now) => {
            file.remove();
        }
        Some(_) => match file.pinned_by {
            Some(owner) => pinned.add(owner, file.size_on_disk()),
            None => kept.push(file),
        },
        None if is_unused_for(ABANDONED, file.last_use, SystemTime::now()) => {
            file.remove();
        }
        None => {}
    })?;
    let of_kept: u64 = kept.iter().map(EntryFile::size_on_disk).sum();
    let mut total = of_kept + pinned.total();
    if total > target {
        // Before the first one goes, so that a process that misses an entry learns that it may have been evicted.
        note_eviction(folder, now)?;
    }
    kept.sort_by_key(|file| file.last_use);
    for file in kept {
        if total <= target {
            break;
        }
        total -= file.size_on_disk();
        file.remove();
    }
    // After room was made: on a full disk the tally could not be written before.
    tally.recount(&at_begin, pinned)
}

/// Notes that entries make room.
pub(super) fn note_eviction(folder: &Path, now: SystemTime) -> Result<(), StoreError> {
    let path = folder.join(EVICTED);
    let note = || {
        let file = File::options().create(true).append(true).open(&path)?;
        file.set_modified(now)
    };
    note().map_err(StoreError::file("write", &path))
}

/// Since when no entry has made room: the last time one did, or else the time the folder was made.
pub(super) fn complete_since(folder: &Path) -> Result<Option<SystemTime>, StoreError> {
    let modified = |name: &str| {
        let path = folder.join(name);
        match fs::metadata(&path).and_then(|metadata| metadata.modified()) {
            Ok(time) => Ok(Some(time)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::file("read", &path)(error)),
        }
    };
    Ok(modified(EVICTED)?.or(modified("version")?))
}

/// Counts the entries.
pub(super) fn stats(folder: &Path) -> Result<StoreStats, StoreError> {
    let mut stats = StoreStats::default();
    for_each_file(folder, |file| {
        if let Some(kind) = file.kind {
            stats.add(kind, file.length.saturating_sub(entry::HEADER as u64));
        }
    })?;
    Ok(stats)
}

/// Removes the entries that are meant. Tells how many.
pub(super) fn purge(
    folder: &Path,
    is_meant: impl Fn(EntryKind, SystemTime) -> bool,
) -> Result<u64, StoreError> {
    let tally = PinTally { folder };
    let (at_begin, mut pinned) = (tally.read()?, PinnedBytes::default());
    let mut removed = 0;
    for_each_file(folder, |file| {
        if file.kind.is_some_and(|kind| is_meant(kind, file.last_use)) {
            removed += u64::from(file.remove());
        } else if let Some(owner) = file.pinned_by {
            pinned.add(owner, file.size_on_disk());
        }
    })?;
    tally.recount(&at_begin, pinned)?;
    Ok(removed)
}

struct EntryFile {
    path: PathBuf,
    /// None for a file that is still being written.
    kind: Option<EntryKind>,
    /// Whose pin it is, if it is one.
    pinned_by: Option<PinOwner>,
    last_use: SystemTime,
    length: u64,
}

impl EntryFile {
    /// Reads the metadata. None for a file that is gone or from another program.
    fn look(entry: &DirEntry) -> Option<Self> {
        let name = entry.file_name();
        let extension = Path::new(&name).extension()?.to_str()?;
        let kind = EntryKind::from_name(extension);
        let owner = Path::new(&name).file_stem()?.to_str()?.split_once('-').map(|(_, owner)| owner);
        let pinned_by = kind.and(owner).and_then(PinOwner::from_name);
        let metadata = entry.metadata().ok().filter(|metadata| metadata.is_file())?;
        let last_use = metadata.modified().ok()?;
        Some(Self { path: entry.path(), kind, pinned_by, last_use, length: metadata.len() })
    }

    fn size_on_disk(&self) -> u64 {
        size_on_disk(self.length)
    }

    /// Removes the file, unless another process put or used it a moment ago. What cannot be removed stays: the next
    /// sweep will try again. Tells whether it is gone by this.
    fn remove(self) -> bool {
        let last_use = fs::metadata(&self.path).and_then(|metadata| metadata.modified());
        last_use.is_ok_and(|last_use| last_use == self.last_use)
            && fs::remove_file(&self.path).is_ok()
    }
}

fn for_each_file(folder: &Path, mut visit: impl FnMut(EntryFile)) -> Result<(), StoreError> {
    for shard in 0..=u8::MAX {
        let shard = folder.join(format!("{shard:02x}"));
        let entries = match fs::read_dir(&shard) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            result => result.map_err(StoreError::file("list", &shard))?,
        };
        entries.flatten().filter_map(|entry| EntryFile::look(&entry)).for_each(&mut visit);
    }
    Ok(())
}
