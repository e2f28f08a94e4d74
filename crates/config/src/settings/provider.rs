//! Models that may be asked to shorten a tool result, and what models cost.

use super::Choice;
use crate::Secret;
use http::Uri;

/// A provider's model, and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Whose shape of requests it understands.
    pub kind: ProviderKind,
    /// Whose key is shown to it.
    pub auth: Auth,
    /// Where it is, if not where [`ProviderKind`] says.
    pub endpoint: Option<Uri>,
    /// The key, with [`Auth::ApiKey`].
    pub api_key: Option<Secret>,
    /// Which model.
    pub model: Option<String>,
}

/// A shape of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, which many others understand too.
    OpenAi,
    /// Gemini generateContent.
    Gemini,
}

impl Choice for ProviderKind {
    const ALL: &'static [Self] = &[Self::Anthropic, Self::OpenAi, Self::Gemini];

    fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
        }
    }
}

/// Whose key is shown to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Auth {
    /// The one in the settings.
    ApiKey,
    /// The bearer token of the request that is being served, if it was meant for the same vendor.
    Oauth,
}

impl Choice for Auth {
    const ALL: &'static [Self] = &[Self::ApiKey, Self::Oauth];

    fn name(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::Oauth => "oauth",
        }
    }
}

/// What a model costs, in dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Price {
    /// Input that is in no cache.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input read from the provider's prompt cache.
    pub cache_read: f64,
    /// Input written to the provider's prompt cache.
    pub cache_write: f64,
    /// The same, kept for an hour in place of five minutes.
    pub cache_write_1h: f64,
}

impl Price {
    /// The price of a one-hour cache write where none is given: twice the input where writing costs extra, as with
    /// Anthropic, and else the same as any write.
    #[must_use]
    pub fn usual_write_1h(input: f64, cache_write: f64) -> f64 {
        if cache_write > input { cache_write.max(2.0 * input) } else { cache_write }
    }
}

impl super::Settings {
    /// Whom the strategy `external_provider` asks: the entry of `providers` that is named, and what that leaves open
    /// from `api`; without a name, what `api` says.
    #[must_use]
    pub fn asked_provider(&self) -> Option<Provider> {
        let api = &self.tool_output.api;
        match &self.tool_output.provider {
            Some(name) => self.providers.get(name).map(|named| {
                let lends_key = named.api_key.is_none() && api.api_key.is_some();
                Provider {
                    kind: named.kind,
                    auth: if lends_key { Auth::ApiKey } else { named.auth },
                    endpoint: named.endpoint.clone().or_else(|| api.endpoint.clone()),
                    api_key: named.api_key.clone().or_else(|| api.api_key.clone()),
                    model: named.model.clone().or_else(|| api.model.clone()),
                }
            }),
            None => api.endpoint.as_ref().map(|endpoint| Provider {
                kind: ProviderKind::of_host(endpoint.host().unwrap_or_default()),
                auth: if api.api_key.is_some() { Auth::ApiKey } else { Auth::Oauth },
                endpoint: Some(endpoint.clone()),
                api_key: api.api_key.clone(),
                model: api.model.clone(),
            }),
        }
    }
}

impl ProviderKind {
    /// The kind that a vendor's own host understands; everybody else speaks OpenAI's.
    fn of_host(host: &str) -> Self {
        match host {
            "api.anthropic.com" => Self::Anthropic,
            "generativelanguage.googleapis.com" => Self::Gemini,
            _ => Self::OpenAi,
        }
    }
}
