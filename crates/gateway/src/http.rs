//! HTTP itself: bodies, headers, codings, and the loop that accepts connections.

pub(crate) mod body;
pub(crate) mod coding;
pub(crate) mod headers;
pub(crate) mod read;
pub(crate) mod server;
