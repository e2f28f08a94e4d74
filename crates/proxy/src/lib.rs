//! An HTTP reverse proxy's machinery, without what it is a proxy for.
//!
//! A [`Server`](server::Server) accepts connections and gives each to one of its serving threads, which answers requests
//! through a [`RequestHandler`](server::RequestHandler). An [`UpstreamClient`](upstream::UpstreamClient) sends requests on,
//! over a connection pool that every serving thread has for itself. A [`Body`](body::Body) passes through as it arrives, with
//! backpressure, or is read whole within bounds.
//!
//! Settings come as small types of this crate's own. It knows nothing of models or compression, a tenant is a name to
//! it, and it is tested without them.

pub mod blocking;
pub mod body;
pub mod byte_budget;
pub mod client_peer;
mod client_stream;
pub mod coding;
mod connection;
mod flow;
mod handshake;
pub mod headers;
pub mod read;
pub mod server;
mod serving_threads;
mod shutdown;
#[cfg(target_os = "linux")]
mod sock_diag;
#[cfg(test)]
mod test_certificate;
mod tls_identity;
pub mod upstream;
pub mod vary;
mod wake_filter;
