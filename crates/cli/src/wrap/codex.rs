//! How Codex is logged in, and whom its user has set: its address differs with both.

use super::variables::ClientVariables;
use crate::client_file::{FileNotation, SettingsDocument};
use crate::data;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

/// Whether Codex is logged in with ChatGPT. Codex itself is asked, so that Tokenforge reads none of its secrets; but
/// only once for each login, since Codex takes 100 ms to answer. In a home folder made for Codex there is no login.
pub(super) fn is_with_chatgpt(
    program: &str,
    variables: ClientVariables<'_>,
    settings: Option<&Path>,
) -> bool {
    if matches!(variables, ClientVariables::Only(_)) {
        return false;
    }
    let (login, notes) =
        (settings.and_then(login), data::folder().map(|folder| folder.join("codex-login")).ok());
    let Some((login, notes)) = login.zip(notes) else {
        return ask_login_status(program).unwrap_or(false);
    };
    if let Some(known) = remembered_login(&fs::read_to_string(&notes).unwrap_or_default(), &login) {
        return known;
    }
    let Some(is_with_chatgpt) = ask_login_status(program) else { return false };
    // Where it cannot be noted, it is asked again.
    let _ = fs::write(&notes, format!("{login} {is_with_chatgpt}"));
    is_with_chatgpt
}

fn ask_login_status(program: &str) -> Option<bool> {
    let mut command = Command::new(program);
    let said = command.args(["login", "status"]).stdin(Stdio::null()).output().ok()?;
    let is_said = |said: &Vec<u8>| String::from_utf8_lossy(said).contains("ChatGPT");
    Some([said.stdout, said.stderr].iter().any(is_said))
}

/// What tells one login from the next: when its file, beside the settings, was written, and how long it is. Of one in a
/// keyring nothing is known.
fn login(settings: &Path) -> Option<String> {
    let file = fs::metadata(settings.with_file_name("auth.json")).ok()?;
    let written = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{}", written.as_nanos(), file.len()))
}

/// What was noted about this login.
fn remembered_login(notes: &str, login: &str) -> Option<bool> {
    let (noted, is_with_chatgpt) = notes.split_once(' ')?;
    (noted == login).then(|| is_with_chatgpt.parse().ok())?
}

/// The address in the user's settings, under this key.
pub(super) fn set_by_user(settings: &Path, key: &str) -> Option<String> {
    address(&fs::read_to_string(settings).ok()?, key)
}

fn address(settings: &str, key: &str) -> Option<String> {
    let settings = SettingsDocument::read(settings, FileNotation::Toml).ok()?;
    let word = settings.text_span(settings.member(settings.root(), key)?)?;
    Some(word.text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{address, remembered_login};

    const KEY: &str = "openai_base_url";

    #[test]
    fn what_was_said_about_another_login_does_not_count() {
        assert_eq!(remembered_login("1-20 true", "1-20"), Some(true));
        assert_eq!(remembered_login("1-20 false", "1-20"), Some(false));
        for other in ["", "1-20", "1-20 perhaps", "1-21 true", "2-20 true"] {
            assert_eq!(remembered_login(other, "1-20"), None, "{other}");
        }
    }

    #[test]
    fn the_address_is_the_one_for_all_profiles() {
        let settings = "model = \"m\"\nopenai_base_url = \"https://h/v1\"\n[other]\nurl = 1\n";
        assert_eq!(address(settings, KEY).as_deref(), Some("https://h/v1"));
        for none in [
            "",
            "openai_base_url = 1",
            "openai_base_url = \"\"",
            "[x]\nopenai_base_url = \"h\"",
            "?",
        ] {
            assert_eq!(address(none, KEY), None, "{none}");
        }
    }
}
