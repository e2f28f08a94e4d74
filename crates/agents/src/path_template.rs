//! Paths with variables, in the notation of shells: `${CODEX_HOME:-~/.codex}/config.toml`.

use serde::Deserialize;
use std::path::PathBuf;

/// A path that begins with `~`, with a variable that may have a default, or with neither: then it is as it is written, in
/// the folder that the program runs in unless it begins with `/`. `~` is `HOME`, or `USERPROFILE` where that is not set.
///
/// ```
/// # use tokenforge_agents::PathTemplate;
/// let path = PathTemplate::parse("${CODEX_HOME:-~/.codex}/config.toml").unwrap();
/// let home = |name: &str| (name == "HOME").then(|| "/home/me".into());
/// assert_eq!(path.resolve(&home).unwrap(), std::path::Path::new("/home/me/.codex/config.toml"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PathTemplate {
    start: Start,
    /// What follows, without a slash before it.
    rest: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Start {
    Here,
    Home,
    Variable { name: String, default: Option<Box<PathTemplate>> },
}

impl PathTemplate {
    /// Reads a template. `None`: it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (start, rest) = if let Some(rest) = text.strip_prefix('~') {
            (Start::Home, rest)
        } else if let Some(inner) = text.strip_prefix("${") {
            let (inner, rest) = inner.split_at(closing_brace(inner)?);
            (Start::variable(inner)?, &rest[1..])
        } else {
            let is_path = !text.is_empty() && !text.contains(['$', '~']);
            return is_path.then(|| Self { start: Start::Here, rest: text.to_owned() });
        };
        let rest = match rest {
            "" => "",
            _ => rest.strip_prefix('/')?,
        };
        (!rest.contains(['$', '~', '{', '}'])).then(|| Self { start, rest: rest.to_owned() })
    }

    /// The path, with the values that `variable` gives. `None`: one that it needs is not set.
    #[must_use]
    pub fn resolve(&self, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
        let start = match &self.start {
            Start::Here => return Some(PathBuf::from(&self.rest)),
            Start::Home => variable("HOME").or_else(|| variable("USERPROFILE"))?,
            Start::Variable { name, default } => {
                variable(name).or_else(|| default.as_ref()?.resolve(variable))?
            }
        };
        Some(if self.rest.is_empty() { start } else { start.join(&self.rest) })
    }
}

impl Start {
    fn variable(inner: &str) -> Option<Self> {
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(Box::new(PathTemplate::parse(default)?))),
            None => (inner, None),
        };
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        is_name.then(|| Start::Variable { name: name.to_owned(), default })
    }
}

impl TryFrom<String> for PathTemplate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not a path such as ${{NAME:-~/a}}/b"))
    }
}

/// Where the brace is that closes what is open at the beginning.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, character)| {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn resolved(template: &str, set: &[(&str, &str)]) -> Option<PathBuf> {
        let value = |name: &str| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| PathBuf::from(value))
        };
        PathTemplate::parse(template).unwrap_or_else(|| panic!("{template}")).resolve(&value)
    }

    #[test]
    fn variables_come_before_their_defaults() {
        let nested = "${OWN:-${XDG_CONFIG_HOME:-~/.config}/agent}/file.json";
        for (set, path) in [
            (&[("HOME", "/h")][..], Some("/h/.config/agent/file.json")),
            (&[("USERPROFILE", "/u")], Some("/u/.config/agent/file.json")),
            (&[("HOME", "/h/"), ("XDG_CONFIG_HOME", "/c")], Some("/c/agent/file.json")),
            (&[("HOME", "/h"), ("OWN", "o")], Some("o/file.json")),
            (&[], None),
        ] {
            assert_eq!(resolved(nested, set).as_deref(), path.map(Path::new), "{set:?}");
        }
        assert_eq!(resolved("${FILE}", &[("FILE", "/f")]), Some("/f".into()));
        assert_eq!(resolved("${FILE}", &[("HOME", "/h")]), None);
        assert_eq!(resolved("~", &[("HOME", "/h")]), Some("/h".into()));
    }

    #[test]
    fn a_path_without_either_stays_as_it_is_written() {
        for path in [".mcp.json", "./.claude/settings.local.json", "/etc/agent/settings.json"] {
            assert_eq!(resolved(path, &[]).unwrap().as_os_str(), path);
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "~x", "${A", "${}", "${a}/x", "${A:-}/x", "${A}x", "a/$B", "~/{x}"] {
            assert_eq!(PathTemplate::parse(text), None, "{text}");
        }
    }
}
