//! Local shells: whether what an agent's model runs in its shell runs on this machine, outside any sandbox and unasked.
//! Only there can a model be told to fetch with a command of ours what was left out of a result.
//!
//! What is not known is a no: the model would be told of a command that fails, or that its user is asked about.

use crate::PathTemplate;
use serde::Deserialize;

/// A shell whose commands run on this machine as they do in its user's terminal, unless something says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LocalShell {
    /// What its agent calls itself before providers where that is not its `user_agent`: an SDK's name.
    pub user_agents: Vec<String>,
    /// The files of settings in which signs are looked for. All that are there count; one that cannot be read is a no.
    pub files: Vec<PathTemplate>,
    /// It is in a sandbox, or may not run our command, where one of these is there.
    pub unless: Vec<ShellSign>,
    /// It asks its user before it runs a command, but where one of these is there. None: it never asks.
    pub asks_unless: Vec<ShellSign>,
}

/// What tells how an agent runs commands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellSign {
    /// It is started with these arguments, in a row; or, of two, with `FIRST=SECOND`.
    Arguments(Vec<String>),
    /// This variable is set.
    Variable(String),
    /// A file of settings has this at a key.
    Setting(ShellSetting),
    /// A file of settings has this word in it, wherever.
    Mention(String),
    /// There is something in this folder.
    Folder(PathTemplate),
}

/// A text or a truth value at a key, or in a list there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShellSetting {
    /// The key.
    pub key: Vec<String>,
    /// It is one of these.
    pub is: Vec<String>,
    /// It begins with one of these.
    pub begins: Vec<String>,
}

impl ShellSetting {
    /// Is this what is looked for?
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        self.is.iter().any(|one| one == value)
            || self.begins.iter().any(|beginning| value.starts_with(beginning.as_str()))
    }
}

impl ShellSign {
    /// Is it among the arguments of a command line?
    #[must_use]
    pub fn is_in(&self, arguments: &[&str]) -> bool {
        let Self::Arguments(wanted) = self else { return false };
        let is_joined = |argument: &&str| match &wanted[..] {
            [first, second] => argument.split_once('=') == Some((first, second)),
            [only] => argument.split_once('=').is_some_and(|(name, _)| name == only),
            _ => false,
        };
        (!wanted.is_empty() && arguments.windows(wanted.len()).any(|part| part == wanted))
            || arguments.iter().any(is_joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_found_however_they_are_written() {
        let sign =
            |words: &[&str]| ShellSign::Arguments(words.iter().map(ToString::to_string).collect());
        let mode = sign(&["--permission-mode", "bypassPermissions"]);
        assert!(mode.is_in(&["-p", "--permission-mode", "bypassPermissions", "hi"]));
        assert!(mode.is_in(&["--permission-mode=bypassPermissions"]));
        assert!(!mode.is_in(&["--permission-mode", "plan"]) && !mode.is_in(&["--permission-mode"]));
        assert!(!mode.is_in(&[]) && !sign(&[]).is_in(&["a"]));
        assert!(sign(&["--settings"]).is_in(&["--settings={}"]));
        assert!(sign(&["--settings"]).is_in(&["--settings", "file"]));
        assert!(!sign(&["--settings"]).is_in(&["--settingsx"]));
        assert!(!ShellSign::Variable("A".to_owned()).is_in(&["A"]));
    }

    #[test]
    fn a_setting_matches_as_a_whole_or_by_how_it_begins() {
        let setting = ShellSetting {
            is: vec!["Bash".to_owned()],
            begins: vec!["Bash(tokenforge".to_owned()],
            ..ShellSetting::default()
        };
        assert!(setting.matches("Bash") && setting.matches("Bash(tokenforge expand:*)"));
        assert!(!setting.matches("Bash(git:*)") && !setting.matches("BashOutput"));
    }
}
