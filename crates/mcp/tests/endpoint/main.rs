//! The endpoint through real sockets, in front of servers behind addresses and of programs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod allow_list;
#[path = "../../fake/behaviour.rs"]
mod behaviour;
mod formats;
mod harm;
mod kit;
mod legacy;
mod modern;
mod operator;
mod programs;
mod questions;
mod read_once;
mod redaction;
mod remote;
mod resources;
mod resumption;
mod search;
mod task_owners;
mod tasks;
