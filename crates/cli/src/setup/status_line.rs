//! Our entry in the settings of Claude Code for its status line.
//!
//! ```text
//! {"statusLine": {"type": "command", "command": "tokenforge statusline"}}
//! ```

use super::shim::quote_shell as shell_quoted;
use crate::client_file::{
    ClientFile, FileNotation, NodeValue, PriorState, SettingsDocument, TextEdits, UnreadableFile,
    cut, insert, quote_string,
};
use anyhow::{Context, bail};
use tokenforge_engine::command::Command;

const KEY: &str = "statusLine";

/// What the command line is, whatever the path of the program.
const COMMAND: &str = "tokenforge statusline";

/// The settings with the entry, which starts this program.
///
/// # Errors
/// They cannot be read, or there is a status line of the user's own.
pub(super) fn install(file: &ClientFile, program: &str) -> anyhow::Result<String> {
    let command = format!("{} statusline", shell_quoted(program));
    if !is_ours(&command) {
        bail!(
            "this program is {program}, and its status line could not be found again to undo it; call it `tokenforge`"
        );
    }
    let value = format!(r#"{{"type": "command", "command": {}}}"#, quote_string(&command));
    let entry = format!(r#""{KEY}": {value}"#);
    if !file.is_there() {
        return Ok(format!("{{\n  {entry}\n}}\n"));
    }
    let document = SettingsDocument::read(&file.text, FileNotation::Json)?;
    if !matches!(document.node(document.root()).value, NodeValue::Table(_)) {
        bail!("the file is not an object");
    }
    let mut edits = TextEdits::default();
    match document.member(document.root(), KEY) {
        Some(place) if has_ours(&document) => {
            edits.replace(document.node(place).span.clone(), value);
            return Ok(edits.apply_to(&file.text));
        }
        Some(_) => bail!(
            "you already have a status line (`{KEY}`), which is kept; leave out --statusline, or call `tokenforge \
             statusline` from yours"
        ),
        None => insert(&document, document.root(), &entry, &mut edits),
    }
    let new = edits.apply_to(&file.text);
    let before = PriorState::Text(file.text.clone());
    if remove(&new, Some(&before))? != Some(before) {
        bail!("this could not be undone byte for byte, so nothing is changed");
    }
    Ok(new)
}

/// The settings without the entry. `None`: it is not there. A file that has nothing else, and was not there, goes with it.
pub(super) fn remove(
    text: &str,
    before: Option<&PriorState>,
) -> Result<Option<PriorState>, UnreadableFile> {
    let document = SettingsDocument::read(text, FileNotation::Json)?;
    let root = document.root();
    let Some(place) = document.member(root, KEY).filter(|_| has_ours(&document)) else {
        return Ok(None);
    };
    if document.children(root).len() == 1 && matches!(before, Some(PriorState::Nothing { .. })) {
        return Ok(Some(PriorState::Nothing { folders: 0 }));
    }
    let mut edits = TextEdits::default();
    cut(&document, root, place, &mut edits);
    Ok(Some(PriorState::Text(edits.apply_to(text))))
}

/// Is our entry in these settings?
pub(crate) fn is_installed(text: &str) -> bool {
    SettingsDocument::read(text, FileNotation::Json).is_ok_and(|document| has_ours(&document))
}

/// Could our entry be in settings that cannot be read?
pub(super) fn may_be_in(text: &str) -> bool {
    text.contains(KEY) && text.contains("tokenforge")
}

/// The settings are readable.
pub(super) fn check(file: &ClientFile) -> anyhow::Result<()> {
    if file.is_there() && !file.text.trim().is_empty() {
        SettingsDocument::read(&file.text, FileNotation::Json)
            .context(file.name.display().to_string())?;
    }
    Ok(())
}

fn has_ours(document: &SettingsDocument<'_>) -> bool {
    let entry = document.member(document.root(), KEY);
    let command = entry.and_then(|entry| document.member(entry, "command"));
    let command = command.and_then(|command| document.text_span(command));
    command.is_some_and(|word| is_ours(&word.text))
}

/// Is this the command line of our status line, and nothing else's that runs ours too?
fn is_ours(command: &str) -> bool {
    Command::parse(command).is_some_and(|line| {
        let mut all = line.all();
        all.next().is_some_and(|main| main.command.is(COMMAND)) && all.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, ClientFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::fs::write(&path, text).unwrap();
        (folder, ClientFile::read_if_there(&path).unwrap())
    }

    #[test]
    fn settings_get_the_entry_once_and_are_as_before_without_it() {
        for text in ["{}", "{\n  // mine\n  \"model\": \"opus\",\n}\n", "{\"a\":1}"] {
            let new = install(&file(text).1, "/opt/a b/tokenforge").unwrap();
            assert!(is_installed(&new), "{new}");
            assert_eq!(install(&file(&new).1, "/opt/a b/tokenforge").unwrap(), new);
            let moved = install(&file(&new).1, "/usr/bin/tokenforge").unwrap();
            assert!(moved.contains("/usr/bin/tokenforge"), "{moved}");
            let before = PriorState::Text(text.to_owned());
            assert_eq!(remove(&moved, Some(&before)).unwrap(), Some(before));
        }
    }

    #[test]
    fn a_status_line_of_the_users_own_stays() {
        let text =
            r#"{"statusLine": {"type": "command", "command": "~/line.sh; tokenforge statusline"}}"#;
        let error = install(&file(text).1, "/bin/tokenforge").unwrap_err().to_string();
        assert!(error.starts_with("you already have a status line"), "{error}");
        assert!(!is_installed(text) && remove(text, None).unwrap().is_none());
    }

    #[test]
    fn settings_that_cannot_be_read_are_refused() {
        let error = install(&file("{\"a\": ").1, "/bin/tokenforge").unwrap_err().to_string();
        assert!(error.starts_with("line 1, column"), "{error}");
        assert!(check(&file("{\"a\": ").1).is_err() && check(&file("{}").1).is_ok());
    }
}
