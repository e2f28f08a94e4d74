//! How requests get to servers behind an address: whoever has pooled connections and certificates says.

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Incoming;
use std::any::Any;
use std::pin::Pin;

/// Sends requests over HTTP.
pub trait Transport: Send + Sync {
    /// Sends a request and waits for the head of its answer. The error says why there is none, without any key.
    fn send(&self, request: Request<Bytes>) -> Sending<'_>;
}

/// An answer on its way.
pub type Sending<'a> =
    Pin<Box<dyn Future<Output = Result<Response<Received>, String>> + Send + 'a>>;

/// The body of an answer.
pub struct Received {
    /// The bytes, as they come.
    pub body: Incoming,
    /// What is to be held for as long as they come.
    pub held: Option<Box<dyn Any + Send>>,
}
