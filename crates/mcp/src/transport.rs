//! The transport of requests to servers behind an address, implemented by the owner of connections and certificates.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use std::pin::Pin;

/// Sends requests over HTTP.
pub trait Transport: Send + Sync {
    /// Sends a request and waits for the head of its answer. The error says why there is none, without any key.
    fn send(&self, request: Request<Bytes>) -> Sending<'_>;
}

/// An answer on its way.
pub type Sending<'a> =
    Pin<Box<dyn Future<Output = Result<Response<Received>, String>> + Send + 'a>>;

/// The body of an answer, as it comes.
pub type Received = UnsyncBoxBody<Bytes, hyper::Error>;
