//! What shadow traffic shares: its place on the disk, the queue, and which holds are known.

use crate::holds::ActiveHolds;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tokenforge_config::LedgerSettings;
use tokenforge_shadow::{FileStamp, ShadowFile};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many samples may wait, with the one that is being asked: each holds two bodies. One that finds no room is dropped.
const WAITING: usize = 4;

/// What samples share.
pub(crate) struct ShadowTraffic {
    /// Nothing without a ledger: what is spent could not be written down.
    pub(super) file: Option<ShadowFile>,
    room: Arc<Semaphore>,
    /// One sample is asked at a time: what it costs is known before the next begins, and a provider's rate limits are the
    /// client's first.
    pub(super) turn: tokio::sync::Mutex<()>,
    known: Mutex<KnownHolds>,
}

/// The holds as they were read last.
#[derive(Default)]
struct KnownHolds {
    stamp: FileStamp,
    holds: ActiveHolds,
}

impl ShadowTraffic {
    /// With the holds that are on the disk.
    pub(crate) fn new(ledger: &LedgerSettings) -> Self {
        let folder = ledger.path.as_ref().filter(|_| ledger.enabled);
        let traffic = ShadowTraffic {
            file: folder.map(|folder| ShadowFile::in_folder(folder)),
            room: Arc::new(Semaphore::new(WAITING)),
            turn: tokio::sync::Mutex::new(()),
            known: Mutex::default(),
        };
        traffic.read_holds();
        traffic
    }

    /// Room for one more sample, if there is any.
    pub(super) fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.room.clone().try_acquire_owned().ok()
    }

    /// What is held.
    pub(crate) fn holds(&self) -> ActiveHolds {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).holds.clone()
    }

    /// Looks whether another process, such as `tokenforge shadow release`, changed the file, which takes one call of
    /// the operating system. Returns whether the holds are others now.
    pub(crate) fn look_again(&self) -> bool {
        let Some(file) = &self.file else { return false };
        let stamp = file.stamp();
        let is_same = self.known.lock().unwrap_or_else(PoisonError::into_inner).stamp == stamp;
        !is_same && self.read_holds()
    }

    /// Reads the holds. Are they others than before? A file that cannot be read changes nothing.
    pub(super) fn read_holds(&self) -> bool {
        let Some(file) = &self.file else { return false };
        // Before it is read: what is written meanwhile is found the next time.
        let stamp = file.stamp();
        let read = file.read();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.stamp = stamp;
        let holds = match read {
            Ok(state) => ActiveHolds::new(state.as_ref().map_or(&[], |state| &state.holds)),
            Err(error) => {
                tracing::error!(%error, "what is held cannot be read, and stays as it was");
                return false;
            }
        };
        let is_other = known.holds != holds;
        known.holds = holds;
        is_other
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
