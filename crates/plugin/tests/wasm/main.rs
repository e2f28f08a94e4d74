//! Plugins as WebAssembly modules, seen from outside.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod hostile;
mod kit;
mod modules;
