//! Where requests go.

use super::Choice;
use http::Uri;

/// Where requests go, by the shape of a request. Each is `http` or `https`, a host, and perhaps the beginning of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstreams {
    /// Anthropic Messages.
    pub anthropic: Uri,
    /// OpenAI, and every path that no provider claims by its form or by its credential.
    pub openai: Uri,
    /// Gemini generateContent.
    pub gemini: Uri,
    /// Bedrock Converse and InvokeModel.
    pub bedrock: Uri,
    /// Ollama chat.
    pub ollama: Uri,
    /// OpenAI on Azure, whose address is each customer's own.
    pub azure_openai: Option<Uri>,
    /// Gemini and Claude on Vertex, whose address is each region's own.
    pub vertex: Option<Uri>,
    /// One upstream in place of all others.
    pub backend: Option<Uri>,
    /// The hosts, `host` or `host:port`, that a client may name in `X-Target-URL`.
    pub target_allow: Vec<String>,
    /// Whose requests are signed again with the operator's AWS credentials.
    pub aws_signing: AwsSigning,
}

/// Whose requests to Bedrock are signed again with the operator's AWS credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AwsSigning {
    /// Those that were signed with a key that the operator has, too.
    #[default]
    OwnKey,
    /// Those, and of clients that show one of the gateway's keys all that are for a model.
    Callers,
    /// No requests.
    Never,
}

impl Choice for AwsSigning {
    const ALL: &'static [Self] = &[Self::OwnKey, Self::Callers, Self::Never];

    fn name(self) -> &'static str {
        match self {
            Self::OwnKey => "own_key",
            Self::Callers => "callers",
            Self::Never => "never",
        }
    }
}

impl Default for Upstreams {
    fn default() -> Self {
        Upstreams {
            anthropic: Uri::from_static("https://api.anthropic.com"),
            openai: Uri::from_static("https://api.openai.com"),
            gemini: Uri::from_static("https://generativelanguage.googleapis.com"),
            bedrock: Uri::from_static("https://bedrock-runtime.us-east-1.amazonaws.com"),
            ollama: Uri::from_static("http://127.0.0.1:11434"),
            azure_openai: None,
            vertex: None,
            backend: None,
            target_allow: Vec::new(),
            aws_signing: AwsSigning::default(),
        }
    }
}
