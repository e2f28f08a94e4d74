//! The providers that requests go to: which requests are theirs, and where the settings say that they are.

use super::TargetRefusal;
use crate::credential_owner::Owner;
use http::{HeaderMap, Uri};
use std::sync::LazyLock;
use tokenforge_config::Upstreams;
use tokenforge_providers::{Dialect, ProviderAddress};

/// Where ChatGPT's own API is, which Codex uses with a subscription.
const CHATGPT: &str = "https://chatgpt.com";

/// The addresses where the operator set none.
static USUAL: LazyLock<Upstreams> = LazyLock::new(Upstreams::default);

/// A provider with an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Provider {
    Anthropic,
    OpenAi,
    ChatGpt,
    AzureOpenAi,
    Gemini,
    Vertex,
    Bedrock,
    Ollama,
    /// The provider of a dialect that states its address itself ([`Dialect::own_address`]).
    Stated(Dialect, ProviderAddress),
}

impl Provider {
    /// The provider whose API a request is of, as its dialect, its path or its headers say.
    pub(super) fn claiming(
        dialect: Option<Dialect>,
        path: &str,
        headers: &HeaderMap,
    ) -> Option<Self> {
        if path.starts_with("/openai/") && !path.starts_with("/openai/v1/") {
            return Some(Provider::AzureOpenAi);
        }
        if path.starts_with("/backend-api/") {
            return Some(Provider::ChatGpt);
        }
        if vertex_place(path).is_some() {
            return Some(Provider::Vertex);
        }
        let by_sign = || Dialect::upstream_of(path, |name| headers.contains_key(name));
        Self::named(dialect.map(Dialect::upstream).or_else(by_sign)?)
    }

    /// The provider that takes the credentials of an owner.
    pub(super) fn issuing(owner: Owner) -> Self {
        match owner {
            Owner::Anthropic => Provider::Anthropic,
            Owner::OpenAi => Provider::OpenAi,
            Owner::Google => Provider::Gemini,
            Owner::Aws => Provider::Bedrock,
            Owner::Azure => Provider::AzureOpenAi,
            Owner::Ollama => Provider::Ollama,
            Owner::Stated(dialect, address) => Provider::Stated(dialect, address),
        }
    }

    /// Whose credentials it takes.
    pub(super) fn owner(self) -> Owner {
        match self {
            Provider::Anthropic => Owner::Anthropic,
            Provider::OpenAi | Provider::ChatGpt => Owner::OpenAi,
            Provider::AzureOpenAi => Owner::Azure,
            Provider::Gemini | Provider::Vertex => Owner::Google,
            Provider::Bedrock => Owner::Aws,
            Provider::Ollama => Owner::Ollama,
            Provider::Stated(dialect, address) => Owner::Stated(dialect, address),
        }
    }

    /// The provider with this name: the settings or its dialect have its address.
    fn named(name: &str) -> Option<Self> {
        let stated = |dialect: &Dialect| Some(Self::Stated(*dialect, dialect.own_address()?));
        [Self::Anthropic, Self::OpenAi, Self::Gemini, Self::Bedrock, Self::Ollama]
            .into_iter()
            .chain(Dialect::ALL.iter().filter_map(stated))
            .find(|provider| provider.name() == name)
    }

    /// Its name in the settings, which clients see too.
    pub(super) fn name(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::ChatGpt => "chatgpt",
            Provider::AzureOpenAi => "azure_openai",
            Provider::Gemini => "gemini",
            Provider::Vertex => "vertex",
            Provider::Bedrock => "bedrock",
            Provider::Ollama => "ollama",
            Provider::Stated(dialect, _) => dialect.upstream(),
        }
    }

    /// Its name in messages.
    pub(super) fn title(self) -> &'static str {
        match self {
            Provider::Anthropic => "Anthropic",
            Provider::OpenAi => "OpenAI",
            Provider::ChatGpt => "ChatGPT",
            Provider::AzureOpenAi => "Azure OpenAI",
            Provider::Gemini => "Gemini",
            Provider::Vertex => "Vertex",
            Provider::Bedrock => "Bedrock",
            Provider::Ollama => "Ollama",
            Provider::Stated(_, stated) => stated.title,
        }
    }

    /// The setting of its address.
    pub(super) fn setting(self) -> &'static str {
        match self {
            Provider::Anthropic => "upstreams.anthropic",
            Provider::OpenAi => "upstreams.openai",
            // Both have one address, and `backend` alone replaces it.
            Provider::ChatGpt | Provider::Stated(..) => "upstreams.backend",
            Provider::AzureOpenAi => "upstreams.azure_openai",
            Provider::Gemini => "upstreams.gemini",
            Provider::Vertex => "upstreams.vertex",
            Provider::Bedrock => "upstreams.bedrock",
            Provider::Ollama => "upstreams.ollama",
        }
    }

    /// Its address for a request to this path.
    ///
    /// # Errors
    /// If the operator has to set it and did not.
    pub(super) fn address(self, upstreams: &Upstreams, path: &str) -> Result<Uri, TargetRefusal> {
        let refused = || TargetRefusal::Unknown(self.title(), self.setting());
        match (self, self.in_settings(upstreams)) {
            (_, Some(address)) => Ok(address.clone()),
            (Provider::ChatGpt, None) => Ok(Uri::from_static(CHATGPT)),
            (Provider::Vertex, None) => vertex_address(path).ok_or_else(refused),
            (Provider::Stated(_, stated), None) => stated.address.parse().map_err(|_| refused()),
            (_, None) => Err(refused()),
        }
    }

    /// The address that the operator set for it.
    pub(super) fn address_set(self, upstreams: &Upstreams) -> Option<&Uri> {
        self.in_settings(upstreams).filter(|address| !self.is_usual(address))
    }

    /// Whether this is its address without settings.
    pub(super) fn is_usual(self, address: &Uri) -> bool {
        match self {
            Provider::Stated(_, stated) => {
                stated.address.parse().is_ok_and(|own: Uri| own == *address)
            }
            _ => self.in_settings(&USUAL) == Some(address),
        }
    }

    /// The address that the settings have for it, set or usual. `None`: there is none, or it does not stand in the settings.
    pub(super) fn in_settings(self, upstreams: &Upstreams) -> Option<&Uri> {
        match self {
            Provider::Anthropic => Some(&upstreams.anthropic),
            Provider::OpenAi => Some(&upstreams.openai),
            Provider::ChatGpt | Provider::Stated(..) => None,
            Provider::AzureOpenAi => upstreams.azure_openai.as_ref(),
            Provider::Gemini => Some(&upstreams.gemini),
            Provider::Vertex => upstreams.vertex.as_ref(),
            Provider::Bedrock => Some(&upstreams.bedrock),
            Provider::Ollama => Some(&upstreams.ollama),
        }
    }
}

/// What stands behind `/projects/` in a path of Vertex: `PROJECT/locations/LOCATION/…`.
fn vertex_place(path: &str) -> Option<&str> {
    let (_, place) = path.split_once("/projects/")?;
    path.contains("/publishers/").then_some(place)
}

/// Vertex has a host for each location, which its paths name.
fn vertex_address(path: &str) -> Option<Uri> {
    let location = vertex_place(path)?.split('/').nth(2)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if location.is_empty() || !location.bytes().all(is_plain) {
        return None;
    }
    let host = match location {
        "global" => "aiplatform.googleapis.com".to_owned(),
        _ => format!("{location}-aiplatform.googleapis.com"),
    };
    format!("https://{host}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_has_a_provider() {
        for dialect in Dialect::ALL {
            let provider = Provider::named(dialect.upstream());
            let address = provider.map(|it| it.address(&Upstreams::default(), "/"));
            assert!(matches!(address, Some(Ok(_))), "{dialect:?}");
        }
    }
}
