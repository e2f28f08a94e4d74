//! How Codex is logged in, and whom its user has set: its address differs with both.

use crate::client_file::{Document, Notation};
use crate::data;
use std::process::{Command, Stdio};

/// What the address is called in its settings.
pub(super) const KEY: &str = "openai_base_url";

/// Is it logged in with ChatGPT? It is asked, so that nobody looks where it keeps its secrets.
pub(super) fn is_with_chatgpt(program: &str) -> bool {
    let asked = Command::new(program).args(["login", "status"]).stdin(Stdio::null()).output();
    let Ok(said) = asked else { return false };
    [said.stdout, said.stderr].iter().any(|said| String::from_utf8_lossy(said).contains("ChatGPT"))
}

/// The address in the user's settings.
pub(super) fn set_by_user() -> Option<String> {
    let folder = data::set("CODEX_HOME").or_else(|| Some(data::home()?.join(".codex")))?;
    address(&std::fs::read_to_string(folder.join("config.toml")).ok()?)
}

fn address(settings: &str) -> Option<String> {
    let settings = Document::read(settings, Notation::Toml).ok()?;
    let word = settings.word(settings.member(settings.root(), KEY)?)?;
    Some(word.text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn the_address_is_the_one_for_all_profiles() {
        let settings = "model = \"m\"\nopenai_base_url = \"https://h/v1\"\n[other]\nurl = 1\n";
        assert_eq!(address(settings).as_deref(), Some("https://h/v1"));
        for none in [
            "",
            "openai_base_url = 1",
            "openai_base_url = \"\"",
            "[x]\nopenai_base_url = \"h\"",
            "?",
        ] {
            assert_eq!(address(none), None, "{none}");
        }
    }
}
