//! The chain of plugins, seen from outside.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod faults;
mod kit;
mod metrics;
mod order;
mod settings;
mod visibility;
