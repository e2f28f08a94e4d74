//! The endpoint through real sockets, in front of servers behind addresses and of programs.

#[path = "../../fake/behaviour.rs"]
mod behaviour;
mod formats;
mod harm;
mod kit;
mod legacy;
mod modern;
mod operator;
mod programs;
mod remote;
