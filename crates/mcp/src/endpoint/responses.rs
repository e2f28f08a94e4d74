//! HTTP responses: JSON, an error, a stream.

use crate::rpc::{self, ErrorCode};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use tokio::sync::mpsc;

/// What goes wrong with a body that is made while it is sent.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer.
#[derive(Debug)]
pub enum Body {
    /// All of it.
    Whole(Bytes),
    /// Piece by piece.
    Stream(mpsc::Receiver<Result<Bytes, BodyError>>),
}

/// A message as an answer.
pub(super) fn json(status: StatusCode, text: String) -> Response<Body> {
    let mut answer = Response::new(Body::Whole(text.into()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// Something is wrong with a request.
pub(super) fn problem(
    status: StatusCode,
    id: Option<&str>,
    code: ErrorCode,
    message: &str,
) -> Response<Body> {
    json(status, rpc::error(id, code, message))
}

/// An answer without a body.
pub(super) fn empty(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(Body::Whole(Bytes::new()));
    *answer.status_mut() = status;
    answer
}

/// A stream of events.
pub(super) fn stream(pieces: mpsc::Receiver<Result<Bytes, BodyError>>) -> Response<Body> {
    let mut answer = Response::new(Body::Stream(pieces));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Proxies in between are not to collect them.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    answer
}
