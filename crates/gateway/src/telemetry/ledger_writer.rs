//! The ledger writer: a thread of its own, fed through a bounded queue.

use super::background_queue::{BackgroundQueue, QueueWorker};
use super::request_account::RequestAccount;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokenforge_config::LedgerSettings;
use tokenforge_ledger::{Ledger, LedgerEntry, WrittenLists};

/// How many entries may wait to be written; more are dropped and counted.
const WAITING: usize = 1024;

/// How many entries are written at once.
const TOGETHER: usize = 64;

/// How long entries that wait are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A ledger that is written while requests go on.
pub(super) struct LedgerWriter {
    folder: PathBuf,
    queue: BackgroundQueue<LedgerItem>,
}

/// What is to be written.
pub(super) enum LedgerItem {
    /// A request; its entry is made on the thread that writes it.
    Record(Box<RequestAccount>),
    /// An entry.
    Entry(Box<LedgerEntry>),
}

impl LedgerWriter {
    /// The ledger that the settings name. One that cannot be opened is said, and is no reason not to serve.
    pub(super) fn open(settings: &LedgerSettings) -> Option<Self> {
        let folder = settings.path.clone().filter(|_| settings.enabled)?;
        let ledger = match Ledger::open(&folder) {
            Ok(ledger) => ledger.with_max_bytes(settings.max_bytes as u64),
            Err(error) => {
                tracing::error!(path = %folder.display(), %error, "savings are not written down");
                return None;
            }
        };
        let queue = BackgroundQueue::start(WAITING, LedgerThread::new(ledger));
        Some(LedgerWriter { folder, queue })
    }

    /// Queues an item without blocking. Returns `false` if it was dropped.
    pub(super) fn write(&self, page: LedgerItem) -> bool {
        self.queue.leave(page)
    }

    /// Waits for what was left to be written. Blocks.
    pub(super) fn close(&self) {
        self.queue.wait(PATIENCE);
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

struct LedgerThread {
    ledger: Ledger,
    /// What is written next, together.
    entries: Vec<LedgerEntry>,
    lists: WrittenLists,
    has_failed: bool,
}

impl LedgerThread {
    fn new(ledger: Ledger) -> Self {
        LedgerThread {
            ledger,
            entries: Vec::new(),
            lists: WrittenLists::default(),
            has_failed: false,
        }
    }

    fn write(&mut self) {
        if self.entries.is_empty() {
            return;
        }
        let written = self.ledger.append_all(&self.entries);
        self.entries.clear();
        // Said once: a disk that is full stays so for a while.
        if let Err(error) = &written
            && !self.has_failed
        {
            tracing::error!(%error, "savings cannot be written down");
        }
        self.has_failed = written.is_err();
        if self.has_failed {
            self.lists = WrittenLists::default();
        }
    }
}

impl QueueWorker<LedgerItem> for LedgerThread {
    const PAUSE: Duration = Duration::from_millis(20);

    fn take(&mut self, page: LedgerItem) {
        let mut entry = match page {
            LedgerItem::Record(record) => record.entry(),
            LedgerItem::Entry(entry) => *entry,
        };
        self.lists.leave_out_known(&mut entry);
        self.entries.push(entry);
        if self.entries.len() >= TOGETHER {
            self.write();
        }
    }

    fn rest(&mut self) {
        self.write();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tokenforge_ledger::EntrySource;

    #[test]
    fn a_failure_is_remembered_until_something_was_written() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("ledger");
        let ledger = Ledger::open(&folder).unwrap();
        let mut writer = LedgerThread::new(ledger);
        let take = |writer: &mut LedgerThread| {
            writer.take(LedgerItem::Entry(Box::new(LedgerEntry::new(EntrySource::Gateway, 0))));
            writer.rest();
        };

        fs::remove_dir(&folder).unwrap();
        fs::write(&folder, "no folder").unwrap();
        take(&mut writer);
        assert!(writer.has_failed);
        writer.rest();
        assert!(writer.has_failed, "nothing was written meanwhile");

        fs::remove_file(&folder).unwrap();
        take(&mut writer);
        assert!(!writer.has_failed);
    }
}
