//! HTTP itself: bodies, headers, codings, connections and the threads that serve them.

pub(crate) mod body;
pub(crate) mod coding;
mod connection;
pub(crate) mod headers;
mod lanes;
mod leave;
pub(crate) mod read;
pub(crate) mod server;
pub(crate) mod vary;
pub(crate) mod wakes;
