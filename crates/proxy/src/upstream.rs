//! Requests to upstream servers: TLS, environment proxies, the SSRF guard and the connection pool.

mod client;
mod connect;
mod connection;
mod environment_proxy;
mod link;
mod pool;
mod received;
mod ssrf_guard;
mod watched_stream;

pub use client::{UpstreamClient, UpstreamFailure, UpstreamLimits};
pub use connection::host_header;
pub use pool::Resend;
pub use received::ReceivedBody;
