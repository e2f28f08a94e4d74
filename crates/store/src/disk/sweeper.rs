//! Background eviction: sweeps run on a thread of their own, never inside a put.

use crate::Error;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

type Outcome = Result<(), Error>;

/// Runs one sweep at a time. Whoever drops it waits for the one that is under way: a command that puts one entry and ends
/// would otherwise never finish one.
#[derive(Debug, Default)]
pub(super) struct Sweeper(Mutex<Option<JoinHandle<Outcome>>>);

impl Sweeper {
    /// Starts a sweep unless one is under way, or one is over and nobody asked yet how it ended.
    pub(super) fn start(&self, sweep: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
        let mut under_way = self.under_way();
        if under_way.is_none() {
            let thread = thread::Builder::new().name("sweep".to_owned()).spawn(sweep);
            *under_way = Some(thread.map_err(Error::NoSweep)?);
        }
        Ok(())
    }

    /// How the last sweep ended, told once. Does not wait for one that is under way.
    pub(super) fn last_outcome(&self) -> Outcome {
        let is_over = |thread: &mut JoinHandle<Outcome>| thread.is_finished();
        outcome(self.under_way().take_if(is_over))
    }

    /// Waits for the sweep that is under way, if there is one.
    pub(super) fn finish(&self) -> Outcome {
        let under_way = self.under_way().take();
        outcome(under_way)
    }

    fn under_way(&self) -> MutexGuard<'_, Option<JoinHandle<Outcome>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn outcome(thread: Option<JoinHandle<Outcome>>) -> Outcome {
    let ended = thread.map_or(Ok(Ok(())), JoinHandle::join);
    ended.unwrap_or_else(|_| Err(Error::NoSweep(io::Error::other("a sweep panicked"))))
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}
