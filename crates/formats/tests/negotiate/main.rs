//! Content negotiation, seen from outside.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod laws;
mod order;
