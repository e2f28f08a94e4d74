//! How Codex is logged in: its address differs with it.

use std::process::{Command, Stdio};

/// Is it logged in with ChatGPT? It is asked, so that nobody looks where it keeps its secrets.
pub(super) fn is_with_chatgpt(program: &str) -> bool {
    let asked = Command::new(program).args(["login", "status"]).stdin(Stdio::null()).output();
    let Ok(said) = asked else { return false };
    [said.stdout, said.stderr].iter().any(|said| String::from_utf8_lossy(said).contains("ChatGPT"))
}
