//! Whole sessions, written down as agents do and replayed.

#![allow(clippy::unwrap_used, reason = "a test that cannot read has failed")]

mod by_shell;
mod cold_cache;
mod corpus;
mod kit;
mod never_dearer;
