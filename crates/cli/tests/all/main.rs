//! The program, seen from a shell.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[cfg(unix)]
mod admin;
mod compress;
mod decode;
mod demo;
mod doctor;
mod encode;
mod filter;
mod gain;
mod hook;
mod init;
mod kit;
mod man;
mod mcp;
mod misc;
#[cfg(unix)]
mod one_account;
#[cfg(unix)]
mod project;
mod replay;
mod serve;
#[cfg(unix)]
mod setup;
mod shadow;
mod store;
#[cfg(unix)]
mod terminal;
mod tokens;
#[cfg(unix)]
mod tools;
#[cfg(unix)]
mod wrap;
