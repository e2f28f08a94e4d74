//! What rows share: a gateway in a process of its own, providers in front of which it stands, and what is said to it.

mod bodies;
mod gateway;
mod provider;
mod samples;

pub(crate) use bodies::{
    OFFERED, conversation, messages, rows, small_stream, streaming, test_run, without_tools,
};
pub(crate) use gateway::{GatewayHome, GatewayProcess};
pub(crate) use provider::ScriptedProvider;
pub(crate) use samples::{percentile, slope};
pub(crate) use tokenforge_mock::client::{Answer, Ask, Open};

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The program under test.
pub(crate) struct ProofBench {
    pub(crate) program: PathBuf,
}

impl ProofBench {
    /// Whether the program is an optimised build. Figures of a debug build say nothing about speed.
    pub(crate) fn is_release(&self) -> bool {
        !self.program.components().any(|part| part.as_os_str() == "debug")
    }
}

/// Waits until it holds, and tells whether it ever did.
pub(crate) fn wait_until(patience: Duration, holds: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !holds() {
        if start.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Bytes as megabytes.
pub(crate) fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
