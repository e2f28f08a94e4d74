//! The shapes of requests that are known.

/// The shape of a provider's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Anthropic Messages, also on Vertex AI and Azure.
    Anthropic,
    /// OpenAI Chat Completions, and what many others took over from it.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Google's generateContent, also on Vertex AI.
    Gemini,
    /// Amazon Bedrock Converse.
    BedrockConverse,
    /// Amazon Bedrock InvokeModel with an Anthropic model: its Messages, and `anthropic_version` in the body. Bodies of
    /// other models have no tool results that we know.
    BedrockInvoke,
    /// Ollama's own chat.
    Ollama,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &[Dialect] = &[
        Dialect::Anthropic,
        Dialect::OpenAiChat,
        Dialect::OpenAiResponses,
        Dialect::Gemini,
        Dialect::BedrockConverse,
        Dialect::BedrockInvoke,
        Dialect::Ollama,
    ];

    /// Whether clients send the ids of calls back, where the provider gives any. Ollama's own clients drop them.
    #[must_use]
    pub fn keeps_call_ids(self) -> bool {
        self != Dialect::Ollama
    }
}
