//! Where savings are written down.

use std::path::PathBuf;

/// The ledger and its bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerSettings {
    /// Are savings written down?
    pub enabled: bool,
    /// The folder. Without one, a program that has a data folder takes that, and a gateway inside another writes nothing.
    pub path: Option<PathBuf>,
    /// How many bytes it has at most; the oldest days go first. No file sets it.
    pub max_bytes: usize,
}

impl Default for LedgerSettings {
    fn default() -> Self {
        LedgerSettings { enabled: true, path: None, max_bytes: 64 << 20 }
    }
}
