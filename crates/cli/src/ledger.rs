//! The ledger of this user: where savings are written down.

use crate::data;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};
use tokenforge_config::LedgerSettings;
use tokenforge_ledger::Ledger;

/// The folder that the settings name, else `ledger` in the data folder.
pub(crate) fn folder(settings: &LedgerSettings) -> anyhow::Result<PathBuf> {
    settings.path.clone().map_or_else(data::ledger, Ok)
}

/// The ledger, to write to. Nothing if it is not wanted or cannot be opened.
pub(crate) fn open(settings: &LedgerSettings) -> Option<Ledger> {
    let folder = folder(settings).ok().filter(|_| settings.enabled)?;
    Some(Ledger::open(folder).ok()?.with_max_bytes(settings.max_bytes as u64))
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
