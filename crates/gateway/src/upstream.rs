//! The way to the providers: which one a request is for, and pooled connections to it.

mod client;
mod connect;
mod link;
mod names;
mod proxy;
mod target;

pub(crate) use client::{Client, Failure};
pub(crate) use target::{Refused, Target};
