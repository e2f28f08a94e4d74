//! What is known about programs; the data are in `programs.toml`.

use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;

pub(super) static PROGRAMS: LazyLock<Programs> =
    LazyLock::new(|| toml::from_str(include_str!("programs.toml")).unwrap_or_default());

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Programs {
    aliases: HashMap<String, String>,
    versioned: ProgramNames,
    pub(super) runners: HashMap<String, Runner>,
    pub(super) shells: Shells,
    pub(super) bins: Bins,
    pub(super) subcommands: HashMap<String, Options>,
    pub(super) silent: ProgramNames,
    pub(super) chatter: ProgramNames,
    pub(super) filters: Filters,
    pub(super) readers: Readers,
    pub(super) searchers: Searchers,
    pub(super) scripts: Scripts,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramNames {
    pub(super) names: Vec<String>,
}

/// A program that runs the command that follows it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Runner {
    pub(super) values: Vec<String>,
    pub(super) operands: usize,
    pub(super) input: bool,
    pub(super) script: bool,
    pub(super) stops: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shells {
    pub(super) names: Vec<String>,
    pub(super) scripts: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bins {
    pub(super) managers: Vec<String>,
    pub(super) names: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Options {
    pub(super) values: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Filters {
    pub(super) passing: Vec<String>,
    pub(super) selecting: Vec<String>,
    pub(super) changing: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Readers {
    pub(super) options: HashMap<String, Vec<String>>,
    pub(super) logs: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Searchers {
    pub(super) names: Vec<String>,
    pub(super) values: Vec<String>,
}

/// What runs scripts, and what only looks like it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scripts {
    pub(super) interpreters: Vec<String>,
    endings: Vec<String>,
    pub(super) entry_points: Vec<String>,
    pub(super) options: Vec<String>,
    pub(super) runs: Vec<String>,
}

impl Scripts {
    /// Is this the name of a script's file?
    pub(super) fn has_ending(&self, program: &str) -> bool {
        self.endings.iter().any(|ending| program.ends_with(ending.as_str()))
    }
}

impl Programs {
    /// The name of a program: no folder, no extension, no version, one name where there are several.
    pub(super) fn name<'a>(&'a self, word: &'a str) -> &'a str {
        let base = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let base = if base.is_empty() { word } else { base };
        let base =
            [".exe", ".cmd", ".bat"].iter().find_map(|end| base.strip_suffix(end)).unwrap_or(base);
        let base = match base.find('@') {
            Some(at) if at > 0 => &base[..at],
            _ => base,
        };
        if let Some(name) = self.aliases.get(base) {
            return name;
        }
        let unversioned =
            base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
        if self.versioned.has(unversioned) { unversioned } else { base }
    }
}

impl ProgramNames {
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|listed| listed == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_is_read_whole() {
        let programs: Programs = toml::from_str(include_str!("programs.toml")).unwrap();
        assert!(
            programs.runners.contains_key("uv run") && programs.subcommands.contains_key("git")
        );
    }

    #[test]
    fn a_program_has_one_name_wherever_it_lives() {
        let cases = [
            ("/home/user/venv/bin/python3.12", "python"),
            ("./node_modules/.bin/eslint", "eslint"),
            (r"C:\tools\git.exe", "git"),
            ("./gradlew", "gradle"),
            ("clang-18", "clang"),
            ("pip3", "pip"),
            ("sha256sum", "sha256sum"),
            ("base64", "base64"),
            ("./7z", "7z"),
            ("@biomejs/biome@1.9.4", "biome"),
            ("/", "/"),
        ];
        for (word, name) in cases {
            assert_eq!(PROGRAMS.name(word), name, "{word}");
        }
    }
}
