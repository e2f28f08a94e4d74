//! The mock as its users see it: over a socket.

#![allow(clippy::unwrap_used, reason = "a test that cannot ask has failed")]

mod compressor;
mod control;
mod grammar;
mod kit;
mod program;
mod recorded;
mod replies;
mod round_trip;
