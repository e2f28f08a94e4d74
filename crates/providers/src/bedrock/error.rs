//! Errors as Amazon writes them.

use crate::api::ApiError;
use crate::json::text::quoted;
use crate::json::{Kind, Node};

/// The error that a body holds, if it is one.
pub(super) fn document(root: Node<'_>) -> Option<Node<'_>> {
    let is_text = |name| root.get(name).is_some_and(|member| member.kind() == Kind::String);
    (is_text("message") || is_text("Message")).then_some(root)
}

pub(super) fn body(error: &ApiError<'_>) -> String {
    format!(r#"{{"message":{}}}"#, quoted(error.message))
}

/// The header that names an error.
pub(super) const fn header(status: u16) -> (&'static str, &'static str) {
    let kind = match status {
        400 | 413 => "ValidationException",
        401 | 403 => "AccessDeniedException",
        404 => "ResourceNotFoundException",
        429 => "ThrottlingException",
        503 | 529 => "ServiceUnavailableException",
        504 => "ModelTimeoutException",
        _ => "InternalServerException",
    };
    ("x-amzn-errortype", kind)
}

/// What an error with this status is called in the middle of a stream.
pub(super) const fn exception(status: u16) -> &'static str {
    match status {
        429 => "throttlingException",
        503 => "serviceUnavailableException",
        400..500 => "validationException",
        _ => "internalServerException",
    }
}
