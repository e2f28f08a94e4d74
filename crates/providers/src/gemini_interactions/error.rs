//! Errors as Google's Interactions writes them: a word for the kind, where its other APIs have the status.

use crate::api::ApiError;
use crate::json::text::quoted;

pub(super) fn body(error: &ApiError<'_>) -> String {
    let (code, message) = (code(error.status), quoted(error.message));
    format!(r#"{{"error":{{"code":"{code}","message":{message}}}}}"#)
}

const fn code(status: u16) -> &'static str {
    match status {
        400 | 413 => "invalid_request",
        401 => "unauthenticated",
        403 => "permission_denied",
        404 => "not_found",
        429 => "too_many_requests",
        503 | 529 => "unavailable",
        504 => "deadline_exceeded",
        _ => "internal",
    }
}
