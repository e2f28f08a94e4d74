//! The program, seen from a shell.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod compress;
mod decode;
mod encode;
mod filter;
mod hook;
mod init;
mod kit;
mod mcp;
mod misc;
mod serve;
mod store;
mod tokens;
