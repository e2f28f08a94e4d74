//! `tokenforge mcp`: tool servers, seen from a shell.

#![cfg(unix)]

mod call;
mod manage;
pub(crate) mod shell;
mod stdio;
mod wrap;
