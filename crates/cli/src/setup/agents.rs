//! Which agents `setup` can take on, and when one of them must go to its provider all the same.
//!
//! `wrap` is for one run, and whoever types it knows what is in his settings. A shim runs every day: it may only stand
//! between an agent and the provider that the agent would have asked, or a key would go to somebody else.

use crate::client_file::{Document, Notation};
use crate::data;
use anyhow::bail;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The agents that it can take on.
pub(crate) const AGENTS: &[&str] = &["claude", "codex", "gemini", "opencode", "pi"];

/// Why not the others that `wrap` knows.
const NOT: &[(&str, &str)] = &[
    ("copilot", "Copilot asks GitHub's own models, which cannot be reached through a gateway"),
    (
        "cline",
        "Cline reads its provider's address from a file, which only `wrap` can replace, for one run",
    ),
    (
        "qwen",
        "Qwen Code may have its provider's address in files that Tokenforge does not read, and its key could go to the wrong one",
    ),
    ("aider", "aider uses no tools, so there is nothing to save"),
];

/// The providers whose address we put in the place of an agent's.
const PROVIDERS: [&str; 3] = ["anthropic", "openai", "google"];

/// The agent of this name, if it can be taken on.
pub(super) fn known(name: &str) -> anyhow::Result<&'static str> {
    if let Some(known) = AGENTS.iter().find(|known| **known == name) {
        return Ok(known);
    }
    if let Some((_, why)) = NOT.iter().find(|(other, _)| *other == name) {
        bail!("{name} cannot be set up: {why}. `tokenforge wrap {name}` is for single runs");
    }
    bail!("`{name}` is not known; known are {}", AGENTS.join(", "))
}

/// Why an agent must go to its provider directly: its settings name an address, or a login, with which it could not go
/// through the gateway.
pub(crate) fn goes_elsewhere(name: &str) -> Option<String> {
    let home = data::home()?;
    let address = |file: &Path, path: &str| {
        format!("{} sets {path}, an address that the gateway does not use", file.display())
    };
    match name {
        "opencode" => {
            let own = data::set("OPENCODE_CONFIG_DIR")
                .or_else(|| Some(data::users_config()?.join("opencode")));
            let here = env::current_dir().unwrap_or_default();
            let folders = here.ancestors().map(Path::to_owned).chain(own);
            let files = folders
                .flat_map(|folder| {
                    ["opencode.json", "opencode.jsonc"].map(|file| folder.join(file))
                })
                .chain(data::set("OPENCODE_CONFIG"));
            set_in(files, |provider| ["provider", provider, "options", "baseURL"].to_vec())
                .map(|(file, path)| address(&file, &path))
        }
        "pi" => {
            let own = data::set("PI_CODING_AGENT_DIR").unwrap_or_else(|| home.join(".pi/agent"));
            let files = [own.join("models.json")].into_iter();
            set_in(files, |provider| ["providers", provider, "baseUrl"].to_vec())
                .map(|(file, path)| address(&file, &path))
        }
        "gemini" => {
            let file = home.join(".gemini/settings.json");
            let login = word_in(&file, &["security", "auth", "selectedType"]);
            (login.as_deref() != Some("gemini-api-key")).then(|| {
                format!(
                    "Gemini CLI goes through a gateway only with an API key (security.auth.selectedType: gemini-api-key in {})",
                    file.display()
                )
            })
        }
        _ => None,
    }
}

/// The first file that has an address for one of the providers, and where.
fn set_in<'a>(
    mut files: impl Iterator<Item = PathBuf>,
    path: impl Fn(&'a str) -> Vec<&'a str>,
) -> Option<(PathBuf, String)> {
    files.find_map(|file| {
        let set = PROVIDERS
            .iter()
            .map(|provider| path(provider))
            .find(|path| word_in(&file, path).is_some())?;
        Some((file, set.join(".")))
    })
}

/// The text at a place of a file of settings, if there is one.
fn word_in(file: &Path, path: &[&str]) -> Option<String> {
    word(&fs::read_to_string(file).ok()?, path)
}

/// The text at a place of settings.
pub(super) fn word(text: &str, path: &[&str]) -> Option<String> {
    let document = Document::read(text, Notation::Json).ok()?;
    let found = path.iter().try_fold(document.root(), |place, name| document.member(place, name));
    Some(document.word(found?)?.text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::CLIENTS;

    #[test]
    fn every_agent_that_wrap_knows_is_taken_on_or_refused_with_a_reason() {
        for client in CLIENTS {
            let is_refused = NOT.iter().any(|(name, _)| *name == client.name);
            assert_eq!(AGENTS.contains(&client.name), !is_refused, "{}", client.name);
            assert_eq!(known(client.name).is_ok(), !is_refused, "{}", client.name);
        }
        assert!(known("vim").unwrap_err().to_string().contains("known are claude, codex"));
    }

    #[test]
    fn an_address_of_the_users_own_is_found_in_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("opencode.jsonc");
        let path = |provider| ["provider", provider, "options", "baseURL"].to_vec();
        for (text, is_set) in [
            ("{", false),
            ("{\"provider\": {\"mine\": {\"options\": {\"baseURL\": \"https://h\"}}}}", false),
            (
                "{ // mine\n\"provider\": {\"openai\": {\"options\": {\"baseURL\": \"https://h\"}}}}",
                true,
            ),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(set_in([file.clone()].into_iter(), path).is_some(), is_set, "{text}");
        }
    }
}
