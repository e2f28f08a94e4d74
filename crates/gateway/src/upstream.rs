//! The way to the providers: which one a request is for, and pooled connections to it.

mod client;
mod connect;
mod connection;
mod link;
mod names;
mod pool;
mod proxy;
mod received;
mod target;

pub(crate) use client::{Client, Failure};
pub(crate) use received::Received;
pub(crate) use target::{Refused, Target};
