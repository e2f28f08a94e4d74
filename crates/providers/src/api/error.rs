//! Errors of our own, told to a client as its provider would.

/// An error of our own.
#[derive(Debug, Clone, Copy)]
pub struct ApiError<'a> {
    /// The status of the answer.
    pub status: u16,
    /// What is wrong.
    pub message: &'a str,
    /// The member of the request that is wrong.
    pub field: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;
    use Dialect::{Anthropic, BedrockConverse, BedrockInvoke, Gemini, Ollama, OpenAiChat};

    #[test]
    fn an_error_of_ours_is_told_as_each_provider_would() {
        let error = ApiError { status: 429, message: "say \"please\"", field: Some("model") };
        for (dialect, body) in [
            (
                Anthropic,
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"say \"please\""}}"#,
            ),
            (
                OpenAiChat,
                r#"{"error":{"message":"say \"please\"","type":"rate_limit_exceeded","param":"model","code":null}}"#,
            ),
            (
                Gemini,
                r#"{"error":{"code":429,"message":"say \"please\"","status":"RESOURCE_EXHAUSTED"}}"#,
            ),
            (
                Dialect::GeminiInteractions,
                r#"{"error":{"code":"too_many_requests","message":"say \"please\""}}"#,
            ),
            (BedrockConverse, r#"{"message":"say \"please\""}"#),
            (Ollama, r#"{"error":"say \"please\""}"#),
        ] {
            assert_eq!(dialect.error_body(&error), body, "{dialect:?}");
        }
        let same = [(Dialect::OpenAiResponses, OpenAiChat), (BedrockInvoke, BedrockConverse)];
        for (dialect, other) in same {
            assert_eq!(dialect.error_body(&error), other.error_body(&error));
            assert_eq!(dialect.error_header(429), other.error_header(429));
        }
        let named = Some(("x-amzn-errortype", "ThrottlingException"));
        assert_eq!((BedrockInvoke.error_header(429), Ollama.error_header(429)), (named, None));
    }

    #[test]
    fn what_we_write_is_what_we_read_as_an_error() {
        for dialect in Dialect::ALL {
            for status in [400, 401, 403, 404, 413, 429, 502, 503, 504, 529] {
                let body = dialect.error_body(&ApiError { status, message: "m", field: None });
                let read = crate::error_document(*dialect, body.as_bytes());
                assert_eq!(read, Some(&*body), "{dialect:?}");
            }
        }
    }
}
