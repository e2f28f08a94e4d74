//! Errors of providers: whether a body is one, and what it says.

use crate::dialect::Dialect;
use crate::json::{Kind, Node};

/// A body as the error document that a stream of the dialect can break off with. Nothing if it is none.
///
/// ```
/// use tokenforge_providers::{Dialect, error_document};
///
/// let overloaded = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
/// assert!(error_document(Dialect::Anthropic, overloaded).is_some());
/// assert!(error_document(Dialect::Ollama, b"<html>502</html>").is_none());
/// ```
#[must_use]
pub fn error_document(dialect: Dialect, body: &[u8]) -> Option<&str> {
    let text = str::from_utf8(body).ok()?.trim_ascii();
    let root = Node::read(text).ok()?;
    // Google answers to a request for an array with one that holds the error.
    let document = match root.kind() {
        Kind::Array if dialect == Dialect::Gemini => root.elements().into_iter().next()?,
        _ => root,
    };
    let is = |name, kind| document.get(name).is_some_and(|member| member.kind() == kind);
    let is_error = match dialect {
        Dialect::BedrockConverse | Dialect::BedrockInvoke => {
            is("message", Kind::String) || is("Message", Kind::String)
        }
        Dialect::Ollama => is("error", Kind::String),
        Dialect::Anthropic | Dialect::OpenAiChat | Dialect::OpenAiResponses | Dialect::Gemini => {
            is("error", Kind::Object)
        }
    };
    is_error.then(|| &text[document.span()])
}

/// What Amazon calls an error with this status in the middle of a stream.
pub(super) const fn amazon_exception(status: u16) -> &'static str {
    match status {
        429 => "throttlingException",
        503 => "serviceUnavailableException",
        400..500 => "validationException",
        _ => "internalServerException",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d5_an_error_is_told_from_what_else_a_provider_may_answer() {
        use Dialect::{Anthropic, BedrockConverse, Gemini, Ollama, OpenAiChat};
        for (dialect, body, document) in [
            (OpenAiChat, r#" {"error":{"message":"m"}} "#, Some(r#"{"error":{"message":"m"}}"#)),
            (OpenAiChat, r#"{"error":"m"}"#, None),
            (Anthropic, r#"{"message":"m"}"#, None),
            (Gemini, r#"[{"error":{"code":429}}]"#, Some(r#"{"error":{"code":429}}"#)),
            (Gemini, "[]", None),
            (BedrockConverse, r#"{"message":"m"}"#, Some(r#"{"message":"m"}"#)),
            (Ollama, r#"{"error":"m"}"#, Some(r#"{"error":"m"}"#)),
            (Ollama, "overloaded", None),
            (Ollama, "", None),
        ] {
            assert_eq!(error_document(dialect, body.as_bytes()), document, "{dialect:?} {body}");
        }
    }
}
