//! Local shell: may the models of an agent that is about to start fetch with `tokenforge expand`?
//!
//! The gateway cannot see it: it is in the agent's settings, its arguments and the `PATH`. So the process that starts
//! the agent looks, and says it in the path of the gateway's address (`/p/PROJECT/shell/AGENT`), as it says the
//! project: it is the one thing that every agent sends along unchanged. What is not known is a no.

use crate::client_file::{FileNotation, SettingsDocument};
use crate::data;
use crate::setup::shim;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tokenforge_agents::{Agent, LocalShell, PathTemplate, ShellSetting, ShellSign};

/// What the path of the gateway's address says of the agent with this name, started with these arguments.
pub(super) fn path_mark(agent: &str, arguments: &[OsString]) -> String {
    let is_open = |agent: &&Agent| {
        agent
            .local_shell
            .as_ref()
            .is_some_and(|shell| finds_command() && runs_unasked(shell, arguments))
    };
    match tokenforge_agents::find(agent).filter(is_open) {
        Some(agent) => format!("/shell/{}", agent.id),
        None => String::new(),
    }
}

/// Does a shell find this very program by its name, and its data from every folder? A `PATH` with a folder of the project
/// before ours would have a model run whatever the project calls `tokenforge`.
fn finds_command() -> bool {
    let Ok(own) = env::current_exe().and_then(|own| own.canonicalize()) else { return false };
    let first = shim::on_path("tokenforge").next();
    let is_own = first.is_some_and(|path| {
        path.is_absolute() && path.canonicalize().is_ok_and(|path| path == own)
    });
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut folders = env::split_paths(&folders);
    is_own
        && folders.all(|folder| folder.is_absolute())
        && data::folder().is_ok_and(|folder| folder.is_absolute())
}

/// Are commands run here, outside a sandbox and without a question?
fn runs_unasked(shell: &LocalShell, arguments: &[OsString]) -> bool {
    let Some(arguments) =
        arguments.iter().map(|argument| argument.to_str()).collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let here = env::current_dir().unwrap_or_default();
    // What an agent may also take from the folders above can only take something away.
    let (Some(own), Some(all)) = (settings(shell, &[&here]), {
        let above: Vec<&Path> = here.ancestors().collect();
        settings(shell, &above)
    }) else {
        return false;
    };
    let is_there = |signs: &[ShellSign], texts: &[String]| {
        signs.iter().any(|sign| is_seen(sign, &arguments, texts))
    };
    !is_there(&shell.unless, &all)
        && (shell.asks_unless.is_empty() || is_there(&shell.asks_unless, &own))
}

/// What the files of settings say that are there, those of a project in these folders. `None`: one cannot be read.
fn settings(shell: &LocalShell, folders: &[&Path]) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    for file in shell.files.iter().flat_map(|file| places(file, folders)) {
        match fs::read_to_string(file) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => {
                SettingsDocument::read(&text, FileNotation::Json).ok()?;
                texts.push(text);
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(_) => return None,
        }
    }
    Some(texts)
}

/// Where a file is, or may be.
fn places(file: &PathTemplate, folders: &[&Path]) -> Vec<PathBuf> {
    let path = file.resolve(&data::set);
    path.map(|path| folders.iter().map(|folder| folder.join(&path)).collect()).unwrap_or_default()
}

fn is_seen(sign: &ShellSign, arguments: &[&str], texts: &[String]) -> bool {
    match sign {
        ShellSign::Arguments(_) => sign.is_in(arguments),
        ShellSign::Variable(name) => env::var_os(name).is_some_and(|value| !value.is_empty()),
        ShellSign::Setting(setting) => texts.iter().any(|text| has_setting(text, setting)),
        ShellSign::Mention(word) => texts.iter().any(|text| text.contains(word.as_str())),
        ShellSign::Folder(folder) => {
            let entries = folder.resolve(&data::set).and_then(|folder| fs::read_dir(folder).ok());
            entries.is_some_and(|mut entries| entries.next().is_some())
        }
    }
}

/// Has a text of settings this value at the key, or in a list there?
fn has_setting(text: &str, setting: &ShellSetting) -> bool {
    let Ok(document) = SettingsDocument::read(text, FileNotation::Json) else { return false };
    let mut keys = setting.key.iter();
    let place = keys.try_fold(document.root(), |place, name| document.member(place, name));
    let Some(place) = place else { return false };
    let matches = |place: usize| match document.text_span(place) {
        Some(found) => setting.matches(&found.text),
        None => setting.matches(document.raw(&document.node(place).span)),
    };
    matches(place) || document.children(place).into_iter().any(matches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claude() -> &'static LocalShell {
        tokenforge_agents::find("claude").unwrap().local_shell.as_ref().unwrap()
    }

    /// Do settings and arguments leave the shell open, without a look at files?
    fn is_open(shell: &LocalShell, text: &str, arguments: &[&str]) -> bool {
        let texts = [text.to_owned()];
        let is_there =
            |signs: &[ShellSign]| signs.iter().any(|sign| is_seen(sign, arguments, &texts));
        !is_there(&shell.unless) && (shell.asks_unless.is_empty() || is_there(&shell.asks_unless))
    }

    #[test]
    fn decision_38_claude_code_asks_unless_a_rule_or_an_argument_says_otherwise() {
        let allow =
            |rules: &str| format!(r#"{{"permissions": {{"allow": [{rules}]}} /* mine */}}"#);
        for (text, arguments, open) in [
            ("{}".to_owned(), &[][..], false),
            (allow(r#""Bash(git:*)", "Read""#), &[], false),
            (allow(r#""Read", "Bash""#), &[], true),
            (allow(r#""Bash(tokenforge expand:*)""#), &[], true),
            ("{}".to_owned(), &["--dangerously-skip-permissions"], true),
            ("{}".to_owned(), &["--permission-mode=bypassPermissions"], true),
            ("{}".to_owned(), &["--permission-mode", "acceptEdits"], false),
            (r#"{"permissions": {"defaultMode": "bypassPermissions"}}"#.to_owned(), &[], true),
            (allow(r#""Bash""#), &["--settings", "other.json"], false),
        ] {
            assert_eq!(is_open(claude(), &text, arguments), open, "{text} {arguments:?}");
        }
    }

    #[test]
    fn decision_38_a_sandbox_or_a_rule_against_it_closes_a_shell() {
        let with = |more: &str| format!(r#"{{"permissions": {{"allow": ["Bash"]}}, {more}}}"#);
        assert!(is_open(claude(), &with(r#""sandbox": {"enabled": false}"#), &[]));
        assert!(!is_open(claude(), &with(r#""sandbox": {"enabled": true}"#), &[]));
        for rule in ["Bash", "Bash(*)", "Bash(tokenforge:*)"] {
            for list in ["deny", "ask"] {
                let text =
                    format!(r#"{{"permissions": {{"allow": ["Bash"], "{list}": ["{rule}"]}}}}"#);
                assert!(!is_open(claude(), &text, &[]), "{text}");
            }
        }
        let deny = r#"{"permissions": {"allow": ["Bash"], "deny": ["Bash(rm:*)"]}}"#;
        assert!(is_open(claude(), deny, &[]));
    }

    #[test]
    fn decision_38_agents_that_never_ask_are_open_until_something_says_otherwise() {
        let shell = |id: &str| tokenforge_agents::find(id).unwrap().local_shell.as_ref().unwrap();
        assert!(is_open(shell("opencode"), r#"{"model": "x"}"#, &[]));
        assert!(!is_open(shell("opencode"), r#"{"permission": {"bash": "ask"}}"#, &[]));
        assert!(is_open(shell("pi"), r#"{"theme": "dark"}"#, &["-p", "hi"]));
        assert!(!is_open(shell("pi"), "{}", &["-e", "sandbox.ts"]));
        assert!(!is_open(shell("pi"), r#"{"packages": ["npm:pi-sandbox"]}"#, &[]));
    }

    #[test]
    fn decision_38_settings_that_cannot_be_read_close_a_shell() {
        let folder = tempfile::tempdir().unwrap();
        let shell = LocalShell {
            files: vec![PathTemplate::parse("settings.json").unwrap()],
            ..LocalShell::default()
        };
        let read = || settings(&shell, &[folder.path()]);
        assert_eq!(read(), Some(Vec::new()), "there are none");
        fs::write(folder.path().join("settings.json"), "{ // mine\n}").unwrap();
        assert_eq!(read().map(|texts| texts.len()), Some(1));
        fs::write(folder.path().join("settings.json"), "{").unwrap();
        assert_eq!(read(), None);
    }
}
