//! Answers of our own: documents, and errors in the shape that the client's provider would use.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};
use tokenforge_providers::Dialect;
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
        match error.is::<TooSlow>() {
            true => Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive"),
            false => Problem::bad_request("the body did not arrive whole"),
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
        let mut answer = Response::new(Bytes::from(self.document(dialect).to_string()));
        *answer.status_mut() = self.status;
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = self.retry_after {
            answer.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        if matches!(dialect, Some(Dialect::BedrockConverse | Dialect::BedrockInvoke)) {
            let kind = HeaderValue::from_static(self.kinds().amazon);
            answer.headers_mut().insert("x-amzn-errortype", kind);
        }
        answer
    }

    fn document(&self, dialect: Option<Dialect>) -> Value {
        let kinds = self.kinds();
        let message = format!("tokenforge: {}", self.message);
        match dialect {
            Some(Dialect::Anthropic) => {
                json!({"type": "error", "error": {"type": kinds.anthropic, "message": message}})
            }
            Some(Dialect::Gemini) => json!({"error": {
                "code": self.status.as_u16(), "message": message, "status": kinds.google,
            }}),
            Some(Dialect::BedrockConverse | Dialect::BedrockInvoke) => json!({"message": message}),
            Some(Dialect::Ollama) => json!({"error": message}),
            Some(Dialect::OpenAiChat | Dialect::OpenAiResponses) | None => json!({"error": {
                "message": message, "type": kinds.openai, "param": self.field, "code": null,
            }}),
        }
    }

    fn kinds(&self) -> &'static Kinds {
        let is_status = |kinds: &&Kinds| kinds.status == self.status.as_u16();
        KINDS.iter().find(is_status).unwrap_or(&FAILURE)
    }
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

/// What providers call a problem with this status.
struct Kinds {
    status: u16,
    anthropic: &'static str,
    openai: &'static str,
    google: &'static str,
    amazon: &'static str,
}

const KINDS: &[Kinds] = &[
    Kinds {
        status: 400,
        anthropic: "invalid_request_error",
        openai: "invalid_request_error",
        google: "INVALID_ARGUMENT",
        amazon: "ValidationException",
    },
    Kinds {
        status: 401,
        anthropic: "authentication_error",
        openai: "invalid_request_error",
        google: "UNAUTHENTICATED",
        amazon: "AccessDeniedException",
    },
    Kinds {
        status: 403,
        anthropic: "permission_error",
        openai: "invalid_request_error",
        google: "PERMISSION_DENIED",
        amazon: "AccessDeniedException",
    },
    Kinds {
        status: 404,
        anthropic: "not_found_error",
        openai: "invalid_request_error",
        google: "NOT_FOUND",
        amazon: "ResourceNotFoundException",
    },
    Kinds {
        status: 413,
        anthropic: "request_too_large",
        openai: "invalid_request_error",
        google: "INVALID_ARGUMENT",
        amazon: "ValidationException",
    },
    Kinds {
        status: 429,
        anthropic: "rate_limit_error",
        openai: "rate_limit_exceeded",
        google: "RESOURCE_EXHAUSTED",
        amazon: "ThrottlingException",
    },
    Kinds {
        status: 529,
        anthropic: "overloaded_error",
        openai: "server_error",
        google: "UNAVAILABLE",
        amazon: "ServiceUnavailableException",
    },
    Kinds {
        status: 503,
        anthropic: "api_error",
        openai: "server_error",
        google: "UNAVAILABLE",
        amazon: "ServiceUnavailableException",
    },
    Kinds {
        status: 504,
        anthropic: "timeout_error",
        openai: "server_error",
        google: "DEADLINE_EXCEEDED",
        amazon: "ModelTimeoutException",
    },
];

const FAILURE: Kinds = Kinds {
    status: 502,
    anthropic: "api_error",
    openai: "server_error",
    google: "INTERNAL",
    amazon: "InternalServerException",
};

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
