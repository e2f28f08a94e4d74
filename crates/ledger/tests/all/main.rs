//! The ledger as its writers and readers see it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod cold_cache;
mod files;
mod kit;
mod past;
mod sums;
