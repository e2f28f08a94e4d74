//! Errors as OpenAI writes them.

use crate::api::ApiError;
use crate::json::text::quoted;

pub(crate) fn body(error: &ApiError<'_>) -> String {
    let (kind, message) = (kind(error.status), quoted(error.message));
    let param = error.field.map_or_else(|| "null".to_owned(), quoted);
    format!(r#"{{"error":{{"message":{message},"type":"{kind}","param":{param},"code":null}}}}"#)
}

const fn kind(status: u16) -> &'static str {
    match status {
        400 | 401 | 403 | 404 | 413 => "invalid_request_error",
        429 => "rate_limit_exceeded",
        _ => "server_error",
    }
}
