//! Log segments and their rotation: one file a day, or several if a day has much.

use crate::UtcDay;
use std::io;
use std::path::{Path, PathBuf};

/// A file of entries, named `2026-11-15.0001.jsonl`: names sort by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LedgerSegment {
    /// The day in text.
    pub(crate) day: String,
    pub(crate) number: u32,
}

impl LedgerSegment {
    pub(crate) fn first_of(day: UtcDay) -> Self {
        LedgerSegment { day: day.to_string(), number: 1 }
    }

    pub(crate) fn next(&self) -> Self {
        LedgerSegment { day: self.day.clone(), number: self.number.saturating_add(1) }
    }

    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.{:04}.jsonl", self.day, self.number))
    }

    fn from_name(name: &str) -> Option<Self> {
        let (day, number) = name.strip_suffix(".jsonl")?.split_once('.')?;
        let is_day =
            day.len() == 10 && day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        is_day.then_some(LedgerSegment { day: day.to_owned(), number: number.parse().ok()? })
    }
}

/// The files of a folder with their sizes, oldest first. A folder that is not there has none.
pub(crate) fn all(folder: &Path) -> io::Result<Vec<(LedgerSegment, u64)>> {
    let files = match std::fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut segments = Vec::new();
    for file in files {
        let file = file?;
        // Another process may have removed it meanwhile.
        let Ok(metadata) = file.metadata() else { continue };
        if let Some(segment) = file.file_name().to_str().and_then(LedgerSegment::from_name) {
            segments.push((segment, metadata.len()));
        }
    }
    segments.sort_unstable();
    Ok(segments)
}

/// Removes the oldest files until there are at most so many bytes. The newest stays.
pub(crate) fn prune(folder: &Path, max_bytes: u64) -> io::Result<()> {
    let segments = all(folder)?;
    let mut total: u64 = segments.iter().map(|(_, bytes)| bytes).sum();
    let newest = segments.len().saturating_sub(1);
    for (segment, bytes) in &segments[..newest] {
        if total <= max_bytes {
            break;
        }
        match std::fs::remove_file(segment.path(folder)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => total -= bytes,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_ledger_are_its_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["2026-11-15.0002.jsonl", "2026-11-15.0001.jsonl", "2025-01-31.0001.jsonl"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        for name in ["notes.jsonl", "2026-11-15.jsonl", "2026-11-15.x.jsonl", "key"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let found = all(folder.path()).unwrap();
        let found: Vec<_> =
            found.iter().map(|(segment, _)| (&*segment.day, segment.number)).collect();
        assert_eq!(found, [("2025-01-31", 1), ("2026-11-15", 1), ("2026-11-15", 2)]);
        assert_eq!(all(&folder.path().join("none")).unwrap(), []);
    }
}
