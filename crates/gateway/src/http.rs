//! HTTP itself: bodies, headers, codings, connections and the threads that serve them.

pub(crate) mod body;
mod client_stream;
pub(crate) mod coding;
mod connection;
mod flow;
pub(crate) mod headers;
mod lanes;
mod leave;
pub(crate) mod read;
pub(crate) mod server;
pub(crate) mod vary;
pub(crate) mod wakes;
