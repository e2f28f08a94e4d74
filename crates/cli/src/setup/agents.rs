//! Which agents `setup` can take on, and when one of them must go to its provider all the same.
//!
//! `wrap` is for one run, and the user who types it knows the settings. A shim runs every day: it may only stand
//! between an agent and the provider that the agent would have asked, or a key would go to another provider.

use crate::client_file::{FileNotation, SettingsDocument};
use crate::data;
use anyhow::bail;
use std::env;
use std::fs;
use std::path::Path;
use tokenforge_agents::{Agent, OwnAddress, RequiredLogin, SetupSupport};

/// The agents that it can take on.
pub(crate) fn supported_agents() -> impl Iterator<Item = (&'static Agent, &'static SetupSupport)> {
    let agents = tokenforge_agents::all().iter();
    agents.filter_map(|agent| Some((agent, agent.setup.as_ref()?)))
}

/// What commands call them.
pub(crate) fn supported_names() -> Vec<&'static str> {
    supported_agents().map(|(agent, _)| agent.id.as_str()).collect()
}

/// The agent of this name, if it can be taken on.
pub(super) fn supported_name(name: &str) -> anyhow::Result<&'static str> {
    if let Some(known) = supported_names().into_iter().find(|known| *known == name) {
        return Ok(known);
    }
    let refused = tokenforge_agents::find(name).and_then(|agent| agent.setup_refused.as_ref());
    if let Some(why) = refused {
        bail!("{name} cannot be set up: {why}. `tokenforge wrap {name}` is for single runs");
    }
    bail!("`{name}` is not known; known are {}", supported_names().join(", "))
}

/// The agent among these that has a status line.
pub(super) fn status_line_agent(names: &[&str]) -> Option<&'static Agent> {
    supported_agents()
        .find(|(agent, setup)| setup.status_line && names.contains(&&*agent.id))
        .map(|(agent, _)| agent)
}

/// Why an agent must go to its provider directly: its settings name an address, or a login, with which it could not go
/// through the gateway.
pub(crate) fn goes_elsewhere(name: &str) -> Option<String> {
    let (agent, setup) = supported_agents().find(|(agent, _)| agent.id == name)?;
    let here = env::current_dir().unwrap_or_default();
    let own = setup.own_address.as_ref().and_then(|own| own_address(own, &here));
    own.or_else(|| missing_login(agent, setup.required_login.as_ref()?))
}

/// The first file that has an address for one of the providers, and where.
fn own_address(own: &OwnAddress, here: &Path) -> Option<String> {
    let above =
        here.ancestors().flat_map(|folder| own.project_files.iter().map(|file| folder.join(file)));
    let mut files = above.chain(own.files.iter().filter_map(|file| file.resolve(&data::set)));
    files.find_map(|file| {
        let keys = own.providers.iter().map(|provider| {
            own.key.iter().map(|name| name.replace("{provider}", provider)).collect::<Vec<_>>()
        });
        let key = keys.into_iter().find(|key| text_in(&file, key).is_some())?.join(".");
        Some(format!("{} sets {key}, an address that the gateway does not use", file.display()))
    })
}

/// Why the login of an agent's settings does not do.
fn missing_login(agent: &Agent, RequiredLogin { key, value }: &RequiredLogin) -> Option<String> {
    let file = agent.settings.as_ref()?.resolve(&data::set)?;
    (text_in(&file, key).as_deref() != Some(value)).then(|| {
        format!(
            "{} goes through a gateway only with an API key ({}: {value} in {})",
            agent.name,
            key.join("."),
            file.display()
        )
    })
}

/// The text at a key of a file of settings, if there is one.
fn text_in(file: &Path, key: &[String]) -> Option<String> {
    text_at(&fs::read_to_string(file).ok()?, key)
}

/// The text at a key of settings.
pub(super) fn text_at(text: &str, key: &[String]) -> Option<String> {
    let document = SettingsDocument::read(text, FileNotation::Json).ok()?;
    let found = key.iter().try_fold(document.root(), |place, name| document.member(place, name));
    Some(document.text_span(found?)?.text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::wrappable_names;

    #[test]
    fn every_agent_that_wrap_knows_is_taken_on_or_refused_with_a_reason() {
        for name in wrappable_names() {
            let is_refused = tokenforge_agents::find(name).unwrap().setup_refused.is_some();
            assert_eq!(supported_name(name).is_ok(), !is_refused, "{name}");
        }
        let error = supported_name("vim").unwrap_err().to_string();
        assert!(error.contains("known are claude, codex, gemini, opencode, pi"), "{error}");
    }

    #[test]
    fn the_help_names_them_all() {
        let names = supported_names();
        assert!(super::super::EXAMPLES.contains(&format!("Agents: {}. ", names.join(", "))));
    }

    #[test]
    fn an_address_of_the_users_own_is_found_in_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("opencode.jsonc");
        let opencode = tokenforge_agents::find("opencode").unwrap().setup.clone().unwrap();
        let own = OwnAddress { files: Vec::new(), ..opencode.own_address.unwrap() };
        for (text, is_set) in [
            ("{", false),
            ("{\"provider\": {\"mine\": {\"options\": {\"baseURL\": \"https://h\"}}}}", false),
            (
                "{ // mine\n\"provider\": {\"openai\": {\"options\": {\"baseURL\": \"https://h\"}}}}",
                true,
            ),
        ] {
            fs::write(&file, text).unwrap();
            let found = own_address(&own, &folder.path().join("below"));
            assert_eq!(
                found.is_some_and(|why| why.contains("provider.openai.options.baseURL")),
                is_set,
                "{text}"
            );
        }
    }
}
