//! Who can be wrapped: the agents that can be given a base URL, and programs that read a provider's usual variables. What
//! each is told is in the data files of `tokenforge-agents`.

use super::variables::ClientVariables;
use clap::builder::PossibleValuesParser;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tokenforge_agents::{Agent, BaseUrl, PathTemplate, Provider, SdkDialect};

/// Who is started, as far as its base URL is concerned.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrappedClient {
    pub(super) name: &'static str,
    /// All the ways in which it must be told.
    pub(super) base_url: &'static [BaseUrl],
    settings: Option<&'static PathTemplate>,
}

impl WrappedClient {
    /// The client whose program this is, by its name or a path to it.
    pub(super) fn of_program(program: &str) -> Option<Self> {
        let stem = Path::new(program).file_stem()?;
        wrappable_agents().find(|agent| stem == agent.id.as_str()).map(Self::from)
    }

    /// What a program listens to that makes such requests.
    pub(super) fn of_dialect(id: &str) -> Option<Self> {
        tokenforge_agents::common().dialects.iter().find(|dialect| dialect.id == id).map(Self::from)
    }

    /// Its settings file, whether it is there or not.
    pub(super) fn settings(self, variables: ClientVariables<'_>) -> Option<PathBuf> {
        self.settings?.resolve(&|name| variables.get(name).map(PathBuf::from))
    }

    /// The one provider that all its requests go to, if there is one.
    pub(super) fn only_provider(self) -> Option<Provider> {
        match self.base_url {
            [only] => only.provider(),
            _ => None,
        }
    }
}

impl From<&'static Agent> for WrappedClient {
    fn from(Agent { id, base_url, settings, .. }: &'static Agent) -> Self {
        WrappedClient { name: id, base_url, settings: settings.as_ref() }
    }
}

impl From<&'static SdkDialect> for WrappedClient {
    fn from(SdkDialect { id, base_url }: &'static SdkDialect) -> Self {
        WrappedClient { name: id, base_url, settings: None }
    }
}

/// The agents that can be given a base URL.
fn wrappable_agents() -> impl Iterator<Item = &'static Agent> {
    tokenforge_agents::all().iter().filter(|agent| agent.can_be_wrapped())
}

/// What commands call them.
pub(crate) fn wrappable_names() -> Vec<&'static str> {
    wrappable_agents().map(|agent| agent.id.as_str()).collect()
}

/// The dialects of programs that are not known.
pub(super) fn dialect_names() -> PossibleValuesParser {
    let dialects = tokenforge_agents::common().dialects.iter();
    PossibleValuesParser::new(dialects.map(|dialect| dialect.id.as_str()))
}

/// The variables that tell clients an address, each once.
pub(crate) fn base_variables() -> BTreeSet<&'static str> {
    let dialects =
        tokenforge_agents::common().dialects.iter().flat_map(|dialect| &dialect.base_url);
    let agents = wrappable_agents().flat_map(|agent| &agent.base_url);
    agents.chain(dialects).filter_map(BaseUrl::address_variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_by_its_name_and_by_a_path_to_it() {
        let name = |program| WrappedClient::of_program(program).map(|client| client.name);
        assert_eq!(name("claude"), Some("claude"));
        assert_eq!(name("./node_modules/.bin/codex"), Some("codex"));
        assert!(name("vim").is_none() && name("").is_none() && name("cursor").is_none());
    }

    #[test]
    fn agents_are_listed_in_their_order() {
        let names =
            ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "cline", "pi", "aider"];
        assert_eq!(wrappable_names(), names);
    }
}
