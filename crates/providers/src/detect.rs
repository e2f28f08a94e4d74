//! Which dialect a request is in, told by its request line.
//!
//! Only the end of the path decides, since what stands before it is the client's base URL: a project prefix, an Azure
//! deployment, a Vertex location.

use crate::dialect::Dialect;
use crate::refusal::Refusal;
use crate::request::RequestHead;
use std::ops::Range;

/// What a request line and its headers tell about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Detection<'a> {
    /// The shape of the body.
    pub dialect: Dialect,
    /// What the request is for.
    pub purpose: RequestPurpose,
    /// The body is part of an AWS signature: changed by one byte, the provider refuses it.
    pub is_signed: bool,
    /// The model, where the path names it; still percent-encoded.
    pub model: Option<&'a str>,
    /// Whether the answer is a stream, where the path tells.
    pub is_stream: Option<bool>,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestPurpose {
    /// An answer of the model.
    Generate,
    /// The number of tokens that the same body would cost.
    Count,
    /// A shorter conversation to go on with, in place of this one.
    Compact,
    /// Answers of the model to many requests in one body ([`batched_requests`]), which are had later.
    Batch,
}

impl RequestPurpose {
    /// A model answers what is asked, now or later.
    #[must_use]
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Generate | Self::Batch)
    }

    /// The provider charges for it.
    #[must_use]
    pub fn is_billed(self) -> bool {
        self != Self::Count
    }

    /// The reply may call tools, and comes back this way: or it is counted what that would cost.
    #[must_use]
    pub fn takes_calls(self) -> bool {
        matches!(self, Self::Generate | Self::Count)
    }
}

/// Where the requests of a batch stand, each a body of its own: see [`RequestPurpose::Batch`].
///
/// ```
/// use tokenforge_providers::{Dialect, batched_requests};
///
/// let body = br#"{"requests":[{"custom_id":"a","params":{"model":"m"}}]}"#;
/// let requests = batched_requests(body, Dialect::Anthropic)?;
/// assert_eq!(&body[requests[0].body.clone()], br#"{"model":"m"}"#);
/// # Ok::<(), tokenforge_providers::Refusal>(())
/// ```
///
/// # Errors
/// If the batch is to be left as it is.
pub fn batched_requests(body: &[u8], dialect: Dialect) -> Result<Vec<BatchedRequest>, Refusal> {
    dialect.api().batched(body)
}

/// A request of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchedRequest {
    /// How many requests are before it, those that cannot be read among them.
    pub number: usize,
    /// Where its body stands in that of the batch.
    pub body: Range<usize>,
}

impl Detection<'_> {
    /// Whether the answer will be a stream: as the path says, else as the body says, else as the dialect has it.
    #[must_use]
    pub fn streams(&self, head: &RequestHead<'_>) -> bool {
        self.is_stream.or(head.is_stream).unwrap_or(self.dialect.streams_by_default())
    }
}

impl Dialect {
    /// Detects the dialect of a request: by its method, its path (a query may follow) and its headers, looked up by
    /// lower-case names. `None` if the dialect is unknown, and then the body is not read.
    ///
    /// ```
    /// use tokenforge_providers::Dialect;
    ///
    /// let detected = Dialect::detect("POST", "/p/web/v1/messages?beta=true", |_| None).unwrap();
    /// assert_eq!(detected.dialect, Dialect::Anthropic);
    /// assert_eq!(Dialect::detect("POST", "/v1/embeddings", |_| None), None);
    /// ```
    pub fn detect<'a, 'h>(
        method: &str,
        path: &'a str,
        header: impl Fn(&str) -> Option<&'h str>,
    ) -> Option<Detection<'a>> {
        if !method.eq_ignore_ascii_case("POST") {
            return None;
        }
        let is_signed = is_signed(path, header);
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        let path = RequestPath::new(path);
        Self::ALL.iter().find_map(|dialect| {
            let Endpoint { purpose, model, is_stream } = dialect.api().detect(&path)?;
            Some(Detection { dialect: *dialect, purpose, is_signed, model, is_stream })
        })
    }
}

/// Is the body of a request part of an AWS signature? Told by its path with the query and by its headers, whatever the
/// dialect.
pub fn is_signed<'h>(path: &str, header: impl Fn(&str) -> Option<&'h str>) -> bool {
    let (_, query) = path.split_once('?').unwrap_or((path, ""));
    query.contains("X-Amz-Signature=")
        || header("authorization").is_some_and(|value| value.trim_start().starts_with("AWS4-"))
}

/// The path of a request.
pub(crate) struct RequestPath<'p> {
    /// All of it, without the query.
    pub(crate) whole: &'p str,
    /// Its last three segments, in order.
    pub(crate) end: [&'p str; 3],
}

impl<'p> RequestPath<'p> {
    fn new(whole: &'p str) -> Self {
        let (rest, last) = cut(whole.trim_end_matches('/'));
        let (rest, before) = cut(rest);
        let (_, one_more) = cut(rest);
        RequestPath { whole, end: [one_more, before, last] }
    }

    /// The last segment as Google has it: `MODEL:ACTION`, whose colon may be percent-encoded.
    pub(crate) fn google_action(&self) -> Option<(&'p str, &'p str)> {
        let [.., last] = self.end;
        [":", "%3A", "%3a"].iter().find_map(|colon| last.rsplit_once(colon))
    }
}

/// The last segment of a path, and what is before it.
fn cut(path: &str) -> (&str, &str) {
    let slash = path.bytes().rposition(|byte| byte == b'/');
    slash.map_or(("", path), |at| (&path[..at], &path[at + 1..]))
}

/// What a path asks for.
pub(crate) struct Endpoint<'p> {
    pub(crate) purpose: RequestPurpose,
    /// The model, where the path names it; still percent-encoded.
    pub(crate) model: Option<&'p str>,
    /// Whether the answer is a stream, where the path tells.
    pub(crate) is_stream: Option<bool>,
}

impl Endpoint<'_> {
    /// A path that tells no more than its purpose.
    pub(crate) fn plain(purpose: RequestPurpose) -> Self {
        Endpoint { purpose, model: None, is_stream: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(path: &str) -> Option<Detection<'_>> {
        Dialect::detect("POST", path, |_| None)
    }

    #[test]
    fn g11_every_provider_is_known_by_its_path() {
        use Dialect::*;
        let vertex = "/v1/projects/p/locations/l/publishers";
        for (path, dialect) in [
            ("/v1/messages", Anthropic),
            ("/v1/messages?beta=true", Anthropic),
            ("/p/web/v1/messages/", Anthropic),
            ("/anthropic/v1/messages", Anthropic),
            (&format!("{vertex}/anthropic/models/claude:streamRawPredict"), Anthropic),
            ("/v1/chat/completions", OpenAiChat),
            ("/chat/completions", OpenAiChat),
            ("/openai/deployments/gpt/chat/completions?api-version=1", OpenAiChat),
            ("/v1beta/openai/chat/completions", OpenAiChat),
            ("/v1/responses", OpenAiResponses),
            ("/openai/responses?api-version=preview", OpenAiResponses),
            ("/backend-api/codex/responses", OpenAiResponses),
            ("/v1/responses/input_tokens", OpenAiResponses),
            ("/v1/responses/compact", OpenAiResponses),
            ("/backend-api/codex/responses/compact", OpenAiResponses),
            ("/v1/messages/batches?beta=true", Anthropic),
            ("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", Gemini),
            ("/v1/models/gemini%3AgenerateContent", Gemini),
            (&format!("{vertex}/google/models/gemini:generateContent"), Gemini),
            ("/v1internal:streamGenerateContent", Gemini),
            ("/v1beta/interactions", GeminiInteractions),
            ("/p/web/v1/interactions/?alt=sse", GeminiInteractions),
            ("/v1beta1/projects/p/locations/global/interactions", GeminiInteractions),
            ("/model/anthropic.claude-v1%3A0/converse", BedrockConverse),
            ("/model/arn:aws:bedrock:eu:1:inference-profile/x/converse-stream", BedrockConverse),
            ("/p/web/model/us.anthropic.claude/invoke-with-response-stream", BedrockInvoke),
            ("/model/x/invoke", BedrockInvoke),
            ("/api/chat", Ollama),
        ] {
            assert_eq!(detect(path).map(|detected| detected.dialect), Some(dialect), "{path}");
        }
    }

    #[test]
    fn g17_other_paths_and_methods_have_no_dialect() {
        for path in [
            "/",
            "",
            "/v1/embeddings",
            "/v1/threads/t/messages",
            "/v1/messages/batches/msgbatch_1",
            "/v1/messages/batches/msgbatch_1/cancel",
            "/v1/completions",
            "/v1/responses/r_1",
            "/v1/responses/compact/x",
            "/v1/models/m:embedContent",
            "/interactions",
            "/api/interactions",
            "/v1beta/interactions/v1_a/cancel",
            "/converse",
            "/api/generate",
            "/v1/projects/p/publishers/mistralai/models/m:rawPredict",
            "/model/m/count-tokens",
            "/api/hello",
        ] {
            assert_eq!(detect(path), None, "{path}");
        }
        assert_eq!(Dialect::detect("GET", "/v1/messages", |_| None), None);
    }

    #[test]
    fn g18_a_count_is_told_from_an_answer() {
        for path in ["/v1/messages/count_tokens?beta=true", "/v1beta/models/m:countTokens"] {
            assert_eq!(detect(path).unwrap().purpose, RequestPurpose::Count, "{path}");
        }
        assert_eq!(detect("/v1/messages").unwrap().purpose, RequestPurpose::Generate);
        assert_eq!(detect("/v1/responses/compact").unwrap().purpose, RequestPurpose::Compact);
        assert_eq!(detect("/v1/messages/batches").unwrap().purpose, RequestPurpose::Batch);
    }

    #[test]
    fn a_body_under_an_aws_signature_is_told() {
        let signed = |value| {
            let header = move |name: &str| (name == "authorization").then_some(value);
            Dialect::detect("POST", "/model/m/converse", header).unwrap().is_signed
        };
        assert!(signed("AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=0"));
        assert!(!signed("Bearer bedrock-api-key"));
        assert!(detect("/model/m/invoke?X-Amz-Signature=0").unwrap().is_signed);
    }

    #[test]
    fn the_path_names_the_model_and_the_stream_where_it_can() {
        let told = |path| detect(path).map(|found| (found.model, found.is_stream)).unwrap();
        assert_eq!(told("/v1beta/models/m:streamGenerateContent"), (Some("m"), Some(true)));
        assert_eq!(told("/model/a%2Fb/invoke"), (Some("a%2Fb"), Some(false)));
        assert_eq!(told("/openai/deployments/gpt/chat/completions"), (Some("gpt"), None));
        assert_eq!(told("/v1/messages"), (None, None));
    }
}
