//! The list of provider APIs.

use crate::api::{ApiError, Profile, ProviderAddress, ProviderApi};
use std::time::Duration;

macro_rules! provider_apis {
    ($($(#[$doc:meta])* $dialect:ident => $api:path,)+) => {
        /// A provider API, by the shape of its requests and replies.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Dialect {
            $($(#[$doc])* $dialect,)+
        }

        impl Dialect {
            /// Every dialect.
            pub const ALL: &[Dialect] = &[$(Dialect::$dialect,)+];

            /// What it has of its own.
            pub(crate) fn api(self) -> &'static dyn ProviderApi {
                match self {
                    $(Dialect::$dialect => &$api,)+
                }
            }
        }
    };
}

provider_apis! {
    /// Anthropic Messages, also on Vertex AI and Azure.
    Anthropic => crate::anthropic::Messages,
    /// OpenAI Chat Completions, and what many others took over from it.
    OpenAiChat => crate::openai_chat::ChatCompletions,
    /// OpenAI Responses.
    OpenAiResponses => crate::openai_responses::Responses,
    /// Google's generateContent, also on Vertex AI.
    Gemini => crate::gemini::GenerateContent,
    /// Google's Interactions, also on Vertex AI.
    GeminiInteractions => crate::gemini_interactions::Interactions,
    /// Amazon Bedrock Converse.
    BedrockConverse => crate::bedrock::Converse,
    /// Amazon Bedrock InvokeModel with an Anthropic model: its Messages, and `anthropic_version` in the body. Bodies of
    /// other models have no tool results that we know.
    BedrockInvoke => crate::bedrock::InvokeModel,
    /// Ollama's own chat.
    Ollama => crate::ollama::Chat,
}

impl Dialect {
    pub(crate) fn profile(self) -> &'static Profile {
        self.api().profile()
    }

    /// Its name in traces.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.profile().name
    }

    /// Its provider, by the name that its address has in the settings.
    #[must_use]
    pub fn upstream(self) -> &'static str {
        self.profile().upstream
    }

    /// The provider's address, where the settings have none for it.
    #[must_use]
    pub fn own_address(self) -> Option<ProviderAddress> {
        self.profile().own_address
    }

    /// The provider of a request in no dialect that we know, told by a path or a header that only its requests have;
    /// headers are looked up by lower-case names.
    pub fn upstream_of(path: &str, has_header: impl Fn(&str) -> bool) -> Option<&'static str> {
        let is_own = |profile: &&Profile| {
            profile.own_headers.iter().any(|name| has_header(name))
                || profile.own_paths.iter().any(|start| path.starts_with(start))
        };
        let mut profiles = Self::ALL.iter().map(|dialect| dialect.profile());
        profiles.find(is_own).map(|profile| profile.upstream)
    }

    /// Whether clients send the ids of calls back, where the provider gives any. Ollama's own clients drop them.
    #[must_use]
    pub fn keeps_call_ids(self) -> bool {
        self.profile().keeps_call_ids
    }

    /// Whether a client that does not say whether to stream gets a stream.
    #[must_use]
    pub fn streams_by_default(self) -> bool {
        self.profile().streams_by_default
    }

    /// Whether the provider keeps replies unless a request says otherwise.
    #[must_use]
    pub fn keeps_replies(self) -> bool {
        self.profile().keeps_replies
    }

    /// Whether its models run on a machine of one's own.
    #[must_use]
    pub fn is_local(self) -> bool {
        self.profile().is_local
    }

    /// How long the provider keeps the prompt of a request in its cache after its last use. `None`: it is not known to
    /// have one that is gone at a certain time.
    #[must_use]
    pub fn cache_lifetime(self, body: &[u8]) -> Option<Duration> {
        self.profile().cache.as_ref().map(|cache| cache.of(body))
    }

    /// Whether cached tokens are counted beside the input tokens, not among them.
    #[must_use]
    pub fn counts_cache_apart(self) -> bool {
        self.profile().counts_cache_apart
    }

    /// An error of our own as the provider would write it, so that its clients show it as they show the provider's.
    #[must_use]
    pub fn error_body(self, error: &ApiError<'_>) -> String {
        self.api().error_body(error)
    }

    /// A header that goes with such an error: its name, in lower case, and its value.
    #[must_use]
    pub fn error_header(self, status: u16) -> Option<(&'static str, &'static str)> {
        self.api().error_header(status)
    }
}
