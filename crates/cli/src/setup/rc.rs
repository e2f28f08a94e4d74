//! The lines in a shell's own file that put the folder of shims first on the `PATH`.
//!
//! They stand at the end of the file: what comes before them (a version manager's folders, as a rule) comes after them on
//! the `PATH`.

use super::shim::quote_shell;
use anyhow::bail;
use std::path::{Path, PathBuf};

const BEGIN: &str = "# >>> tokenforge setup >>>";
const END: &str = "# <<< tokenforge setup <<<";

/// A shell's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellFile {
    pub(super) file: PathBuf,
    is_fish: bool,
}

/// Where shells look.
pub(super) struct ShellFolders {
    pub(super) home: PathBuf,
    /// The user's folder for settings.
    pub(super) config: PathBuf,
    /// `ZDOTDIR`.
    pub(super) zsh: Option<PathBuf>,
    pub(super) is_mac: bool,
}

impl ShellFolders {
    /// The files of this shell that get the lines. `None`: it is not known which.
    pub(super) fn of_shell(
        &self,
        shell: &str,
        is_there: &dyn Fn(&Path) -> bool,
    ) -> Option<Vec<ShellFile>> {
        let rc = |file: PathBuf| ShellFile { file, is_fish: false };
        match shell {
            "bash" => {
                let mut files = vec![rc(self.home.join(".bashrc"))];
                files.extend(self.bash_login(is_there).map(rc));
                Some(files)
            }
            "zsh" => Some(vec![rc(self.zshrc())]),
            "fish" => Some(vec![self.fish()]),
            "sh" | "dash" | "ksh" => Some(vec![rc(self.home.join(".profile"))]),
            _ => None,
        }
    }

    /// The file that bash reads in place of `.bashrc` as a login shell, which every terminal of macOS starts. It gets
    /// the lines even if it reads `.bashrc`: that of Debian puts `~/.local/bin` first afterwards, where agents are.
    fn bash_login(&self, is_there: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
        let mut files = BASH_LOGIN.map(|name| self.home.join(name)).into_iter();
        let found = files.find(|file| is_there(file));
        found.or_else(|| self.is_mac.then(|| self.home.join(BASH_LOGIN[0])))
    }

    /// Every file that may have the lines, whatever the shell is now.
    pub(super) fn every(&self) -> Vec<ShellFile> {
        let home = [".bashrc", ".zshrc"].iter().chain(&BASH_LOGIN);
        let mut files: Vec<_> =
            home.map(|name| ShellFile { file: self.home.join(name), is_fish: false }).collect();
        files.extend(self.zsh.iter().map(|_| ShellFile { file: self.zshrc(), is_fish: false }));
        files.push(self.fish());
        files
    }

    fn zshrc(&self) -> PathBuf {
        self.zsh.as_ref().unwrap_or(&self.home).join(".zshrc")
    }

    fn fish(&self) -> ShellFile {
        ShellFile { file: self.config.join("fish/config.fish"), is_fish: true }
    }
}

/// What bash reads at a login: the first of them that is there.
const BASH_LOGIN: [&str; 3] = [".bash_profile", ".bash_login", ".profile"];

impl ShellFile {
    /// The text with the lines for this folder at its end, or where they stand already.
    pub(super) fn with(&self, text: &str, folder: &str) -> anyhow::Result<String> {
        let lines = self.lines(folder);
        if let Some((before, after)) = around(text)? {
            return Ok(format!("{before}{lines}{after}"));
        }
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Ok(format!("{text}{end}{lines}"))
    }

    fn lines(&self, folder: &str) -> String {
        let put = put_first(folder, self.is_fish);
        format!(
            "{BEGIN}\n# Puts Tokenforge's shims first on the PATH; `tokenforge setup --undo` removes these lines.\n{put}\n{END}\n"
        )
    }
}

/// The command that puts the folder first, unless it is.
pub(super) fn put_first(folder: &str, is_fish: bool) -> String {
    if is_fish {
        let folder = format!("'{}'", folder.replace('\\', r"\\").replace('\'', r"\'"));
        format!("if test \"$PATH[1]\" != {folder}; set -gx PATH {folder} $PATH; end")
    } else {
        let folder = quote_shell(folder);
        format!("case \"$PATH\" in {folder}:*) ;; *) export PATH={folder}:\"$PATH\" ;; esac")
    }
}

/// The text without the lines. `None`: they are not there.
pub(super) fn without(text: &str) -> anyhow::Result<Option<String>> {
    Ok(around(text)?.map(|(before, after)| format!("{before}{after}")))
}

/// Is a part of the lines in this text?
pub(super) fn is_in(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.lines().any(|line| [BEGIN, END].contains(&line.trim_end()))
}

/// The same files without those that are one behind their links.
pub(super) fn distinct(mut files: Vec<ShellFile>) -> Vec<ShellFile> {
    let mut seen = Vec::new();
    files.retain(|rc| {
        let place = rc.file.canonicalize().unwrap_or_else(|_| rc.file.clone());
        let is_new = !seen.contains(&place);
        seen.push(place);
        is_new
    });
    files
}

/// What stands before the lines and behind them.
fn around(text: &str) -> anyhow::Result<Option<(&str, &str)>> {
    let at = |mark: &str| {
        let mut offset = 0;
        text.split_inclusive('\n').find_map(|line| {
            let begins = offset;
            offset += line.len();
            (line.trim_end() == mark).then_some((begins, offset))
        })
    };
    match (at(BEGIN), at(END)) {
        (None, None) => Ok(None),
        (Some((begins, _)), Some((ends, behind))) if begins < ends => {
            Ok(Some((&text[..begins], &text[behind..])))
        }
        (begin, end) => {
            let found = begin.or(end).map_or(0, |(begins, _)| begins);
            let line = text[..found].matches('\n').count() + 1;
            bail!(
                "line {line}: expected both `{BEGIN}` and `{END}` after it; take out what is left of them"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(is_mac: bool) -> ShellFolders {
        ShellFolders { home: "/h".into(), config: "/h/.config".into(), zsh: None, is_mac }
    }

    fn files(places: &ShellFolders, shell: &str, there: &[&str]) -> Vec<String> {
        let is_there = |path: &Path| there.iter().any(|name| Path::new("/h").join(name) == path);
        let files = places.of_shell(shell, &is_there).unwrap();
        files.iter().map(|rc| rc.file.display().to_string()).collect()
    }

    #[test]
    fn each_shell_has_its_file() {
        assert_eq!(files(&places(false), "bash", &[]), ["/h/.bashrc"]);
        assert_eq!(files(&places(true), "bash", &[]), ["/h/.bashrc", "/h/.bash_profile"]);
        let there = [".profile", ".bash_login"];
        assert_eq!(files(&places(false), "bash", &there), ["/h/.bashrc", "/h/.bash_login"]);
        assert_eq!(files(&places(true), "bash", &there[..1]), ["/h/.bashrc", "/h/.profile"]);
        assert_eq!(files(&places(false), "zsh", &[]), ["/h/.zshrc"]);
        let elsewhere = ShellFolders { zsh: Some("/z".into()), ..places(false) };
        assert_eq!(files(&elsewhere, "zsh", &[]), ["/z/.zshrc"]);
        assert_eq!(files(&places(false), "fish", &[]), ["/h/.config/fish/config.fish"]);
        assert_eq!(places(false).of_shell("nu", &|_| false), None);
    }

    #[test]
    fn the_lines_are_put_in_once_and_taken_out_again() {
        let rc = ShellFile { file: "/h/.bashrc".into(), is_fish: false };
        for text in ["", "alias ll='ls -l'\n", "a\n\n", "a\r\nb\r\n"] {
            let with = rc.with(text, "/d/shims").unwrap();
            assert_eq!(rc.with(&with, "/d/shims").unwrap(), with);
            assert_eq!(without(&with).unwrap().as_deref(), Some(text));
            let moved = rc.with(&format!("{with}later\n"), "/e").unwrap();
            assert_eq!(without(&moved).unwrap(), Some(format!("{text}later\n")));
        }
        assert_eq!(without("a\n").unwrap(), None);
    }

    #[test]
    fn half_of_the_lines_is_an_error_that_says_where() {
        for (text, line) in [(format!("a\n{BEGIN}\nb\n"), 2), (format!("{END}\n{BEGIN}\n"), 2)] {
            let error = without(&text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("line {line}: expected both")), "{error}");
        }
    }
}
