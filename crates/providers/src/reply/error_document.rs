//! Error documents of providers: whether a body is one, and what it says.

use crate::dialect::Dialect;
use crate::json::Node;

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
    let document = dialect.api().error_document(Node::read(text).ok()?)?;
    Some(&text[document.span()])
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
