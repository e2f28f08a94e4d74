//! Errors as Anthropic writes them.

use crate::api::ApiError;
use crate::json::text::quoted;

pub(super) fn body(error: &ApiError<'_>) -> String {
    let (kind, message) = (kind(error.status), quoted(error.message));
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":{message}}}}}"#)
}

const fn kind(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}
