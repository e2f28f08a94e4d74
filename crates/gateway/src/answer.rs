//! Answers of our own: documents, and errors in the shape that the client's provider would use.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use serde::Serialize;
use tokenforge_conversation::RewriteProblem;
use tokenforge_mcp::rpc::{self, ErrorCode};
use tokenforge_providers::{ApiError, Dialect};
use tokenforge_proxy::body::{Body, BodyError, TooSlow};
use tokenforge_proxy::upstream::UpstreamFailure;

/// After so many seconds a client may try again.
const RETRY_SECONDS: u32 = 1;

/// A problem that the client hears of.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// The member of the request that is wrong.
    pub(crate) field: Option<String>,
    /// It is gone in so many seconds.
    pub(crate) retry_after: Option<u32>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Problem { status, message: message.into(), field: None, retry_after: None }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// Why the body of a request could not be read.
    pub(crate) fn unread(error: &BodyError) -> Self {
        if error.is::<TooSlow>() {
            Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive")
        } else {
            Problem::bad_request("the body did not arrive whole")
        }
    }

    /// There is more to do than is done, and what must be done to the request cannot be left out.
    pub(crate) fn busy() -> Self {
        let message = "too much is waiting to be checked, and the request was not sent; try again";
        let busy = Self::new(StatusCode::SERVICE_UNAVAILABLE, message);
        Problem { retry_after: Some(RETRY_SECONDS), ..busy }
    }

    /// In the words of a provider, so that its clients show it as they show the provider's own.
    pub(crate) fn answer(&self, dialect: Option<Dialect>) -> Response<Body> {
        self.answer_bytes(dialect).map(Body::from)
    }

    /// The same, as bytes.
    pub(crate) fn answer_bytes(&self, dialect: Option<Dialect>) -> Response<Bytes> {
        // What is in no dialect is answered as OpenAI would: most clients know how to read that.
        let dialect = dialect.unwrap_or(Dialect::OpenAiChat);
        let mut answer = Response::new(Bytes::from(self.document(dialect)));
        *answer.status_mut() = self.status;
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = self.retry_after {
            answer.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        if let Some((name, value)) = dialect.error_header(self.status.as_u16()) {
            answer.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        answer
    }

    /// The same for clients of tools, which read JSON-RPC.
    pub(crate) fn answer_json_rpc(&self) -> Response<Bytes> {
        let answer = self.answer_bytes(None);
        answer.map(|_| rpc::error(None, ErrorCode::Request, &self.full_message()).into())
    }

    fn full_message(&self) -> String {
        format!("tokenforge: {}", self.message)
    }

    fn document(&self, dialect: Dialect) -> String {
        let message = self.full_message();
        let (status, field) = (self.status.as_u16(), self.field.as_deref());
        dialect.error_body(&ApiError { status, message: &message, field })
    }
}

impl From<RewriteProblem> for Problem {
    fn from(problem: RewriteProblem) -> Self {
        let message = problem.to_string();
        match problem {
            RewriteProblem::BadOption { field, .. } => {
                Problem { field, ..Problem::bad_request(message) }
            }
            RewriteProblem::Unchecked(_) => Problem::new(StatusCode::SERVICE_UNAVAILABLE, message),
            RewriteProblem::Unconvertible(_) => {
                Problem::new(StatusCode::UNPROCESSABLE_ENTITY, message)
            }
        }
    }
}

/// A request whose body cannot be searched for secrets, and why.
pub(crate) fn unchecked_problem(why: &str) -> Problem {
    RewriteProblem::Unchecked(why.to_owned()).into()
}

impl From<&UpstreamFailure> for Problem {
    fn from(failure: &UpstreamFailure) -> Self {
        let status = match failure {
            UpstreamFailure::Unreachable(_)
            | UpstreamFailure::Broken { .. }
            | UpstreamFailure::Switched => StatusCode::BAD_GATEWAY,
            UpstreamFailure::Silent(_) => StatusCode::GATEWAY_TIMEOUT,
            UpstreamFailure::Trickled => StatusCode::REQUEST_TIMEOUT,
            UpstreamFailure::Half => StatusCode::BAD_REQUEST,
        };
        Problem::new(status, failure.to_string())
    }
}

/// A JSON document.
pub(crate) fn json(status: StatusCode, document: &impl Serialize) -> Response<Body> {
    let json = serde_json::to_string(document).unwrap_or_default();
    text(status, "application/json", json)
}

/// A text of a type.
pub(crate) fn text(status: StatusCode, content_type: &'static str, text: String) -> Response<Body> {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = status;
    answer
}
