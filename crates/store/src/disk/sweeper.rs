//! Background eviction: sweeps run on a thread of their own, never inside a put.

use crate::StoreError;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

type SweepOutcome = Result<(), StoreError>;

/// Runs one sweep at a time. The drop waits for the sweep that is under way: a command that puts one entry and ends
/// would otherwise never finish one.
#[derive(Debug, Default)]
pub(super) struct BackgroundSweeper(Mutex<Option<JoinHandle<SweepOutcome>>>);

impl BackgroundSweeper {
    /// Starts a sweep unless one is under way, or one is over and no caller has read its outcome yet.
    pub(super) fn start(
        &self,
        sweep: impl FnOnce() -> SweepOutcome + Send + 'static,
    ) -> SweepOutcome {
        let mut under_way = self.under_way();
        if under_way.is_none() {
            let thread = thread::Builder::new().name("sweep".to_owned()).spawn(sweep);
            *under_way = Some(thread.map_err(StoreError::NoSweep)?);
        }
        Ok(())
    }

    /// How the last sweep ended, told once. Does not wait for one that is under way.
    pub(super) fn last_outcome(&self) -> SweepOutcome {
        let is_over = |thread: &mut JoinHandle<SweepOutcome>| thread.is_finished();
        outcome(self.under_way().take_if(is_over))
    }

    /// Waits for the sweep that is under way, if there is one.
    pub(super) fn finish(&self) -> SweepOutcome {
        let under_way = self.under_way().take();
        outcome(under_way)
    }

    fn under_way(&self) -> MutexGuard<'_, Option<JoinHandle<SweepOutcome>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn outcome(thread: Option<JoinHandle<SweepOutcome>>) -> SweepOutcome {
    let ended = thread.map_or(Ok(Ok(())), JoinHandle::join);
    ended.unwrap_or_else(|_| Err(StoreError::NoSweep(io::Error::other("a sweep panicked"))))
}

impl Drop for BackgroundSweeper {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}
