//! `tokenforge mcp`: tool servers, seen from a shell.

#![cfg(unix)]

mod call;
mod manage;
mod shell;
mod stdio;
mod wrap;
