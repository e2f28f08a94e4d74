//! Errors as Google writes them.

use crate::api::ApiError;
use crate::json::text::quoted;

pub(super) fn body(error: &ApiError<'_>) -> String {
    let ApiError { status: code, message, .. } = error;
    let (message, status) = (quoted(message), name(*code));
    format!(r#"{{"error":{{"code":{code},"message":{message},"status":"{status}"}}}}"#)
}

const fn name(status: u16) -> &'static str {
    match status {
        400 | 413 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 | 529 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    }
}
