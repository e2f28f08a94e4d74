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
    /// Starts a sweep unless one is under way. Fails as the last one did, once.
    pub(super) fn start(&self, sweep: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
        let mut under_way = self.under_way();
        if under_way.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return Ok(());
        }
        outcome(under_way.take())?;
        let thread = thread::Builder::new().name("sweep".to_owned()).spawn(sweep);
        *under_way = Some(thread.map_err(Error::NoSweep)?);
        Ok(())
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
