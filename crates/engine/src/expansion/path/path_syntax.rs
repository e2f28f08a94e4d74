//! How a path is written, and read.

use super::{JsonPath, PathStep, SelectionError};
use std::fmt;
use std::str::FromStr;

/// The longest path in bytes.
const MAX_PATH: usize = 2000;

/// Of a path that is wrong, so many bytes are told.
const MAX_TOLD: usize = 100;

impl FromStr for JsonPath {
    type Err = SelectionError;

    fn from_str(given: &str) -> Result<Self, SelectionError> {
        let path = given.trim();
        let bad = || SelectionError::BadPath { given: shorten(path, MAX_TOLD) };
        if path.is_empty() || path.len() > MAX_PATH {
            return Err(bad());
        }
        // `$ref` is a name.
        let root =
            path.strip_prefix('$').filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let mut rest = root.unwrap_or(path);
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, behind) = read_step(rest, steps.is_empty()).ok_or_else(bad)?;
            steps.extend(step);
            rest = behind;
        }
        Ok(JsonPath { steps })
    }
}

/// The step that a path begins with, and what follows it. A dot before a bracket is no step.
fn read_step(path: &str, is_first: bool) -> Option<(Option<PathStep>, &str)> {
    if let Some(inner) = path.strip_prefix('[') {
        let (step, rest) = read_quoted(inner).or_else(|| read_elements(inner))?;
        return Some((Some(step), rest));
    }
    let path = match path.strip_prefix('.') {
        Some(rest) if rest.starts_with('[') || rest.is_empty() && is_first => {
            return Some((None, rest));
        }
        Some(rest) => rest,
        None if is_first => path,
        None => return None,
    };
    let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    (!name.is_empty()).then(|| (Some(PathStep::Member(name.to_owned())), rest))
}

/// Reads `"odd name"]`, a JSON string; in single quotes it is taken as it stands.
fn read_quoted(text: &str) -> Option<(PathStep, &str)> {
    let (name, rest) = match text.strip_prefix('\'') {
        Some(inner) => inner.split_once("']").map(|(name, rest)| (name.to_owned(), rest))?,
        None => {
            let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
            let name = strings.next()?.ok()?;
            (name, text.get(strings.byte_offset()..)?.strip_prefix(']')?)
        }
    };
    Some((PathStep::Member(name), rest))
}

/// Reads `3]`, `2-5]`, `2-]` or `*]`.
fn read_elements(text: &str) -> Option<(PathStep, &str)> {
    let number = |text: &str| -> Option<usize> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(usize::MAX))
    };
    let (range, rest) = text.split_once(']')?;
    let (first, last) = match range.split_once('-') {
        _ if range.is_empty() || range == "*" => (0, usize::MAX),
        Some((first, "")) => (number(first)?, usize::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(range)?, number(range)?),
    };
    (first <= last).then_some((PathStep::Elements { first, last }, rest))
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&path(&self.steps))
    }
}

/// The steps as a path; `$` where there are none.
pub(super) fn path(steps: &[PathStep]) -> String {
    let mut path = String::new();
    for step in steps {
        if !path.is_empty() && matches!(step, PathStep::Member(name) if is_plain(name)) {
            path.push('.');
        }
        path += &step.to_string();
    }
    if path.is_empty() { "$".to_owned() } else { path }
}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathStep::Member(name) if is_plain(name) => f.write_str(name),
            PathStep::Member(name) => write!(f, "[{}]", serde_json::Value::from(&**name)),
            PathStep::Elements { first: 0, last: usize::MAX } => f.write_str("[*]"),
            PathStep::Elements { first, last: usize::MAX } => write!(f, "[{first}-]"),
            PathStep::Elements { first, last } if first == last => write!(f, "[{first}]"),
            PathStep::Elements { first, last } => write!(f, "[{first}-{last}]"),
        }
    }
}

/// Can a name be written without quotes, wherever it stands?
fn is_plain(name: &str) -> bool {
    let is_other = |c: char| c.is_control() || c.is_whitespace() || ".[]\"".contains(c);
    !name.is_empty() && name != "$" && !name.contains(is_other)
}

/// The start of a text that is too long to be told.
pub(super) fn shorten(text: &str, max_bytes: usize) -> String {
    match text.split_at(text.floor_char_boundary(max_bytes)) {
        (all, "") => all.to_owned(),
        (start, _) => format!("{start}..."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_path(path: &str) -> Result<String, SelectionError> {
        path.parse::<JsonPath>().map(|path| path.to_string())
    }

    #[test]
    fn the_spellings_that_people_and_models_use_are_one_path() {
        for path in ["items[3].name", "$.items[3].name", ".items[3].name", " items.[3][\"name\"] "]
        {
            assert_eq!(read_path(path).as_deref(), Ok("items[3].name"), "{path}");
        }
        for path in ["$", ".", "$."] {
            assert_eq!(read_path(path).as_deref(), Ok("$"), "{path}");
        }
        assert_eq!(read_path(".[].a"), read_path("$[*].a"));
        assert_eq!(read_path("[0-]"), read_path("[*]"));
        assert_eq!(read_path("['a.b']"), read_path(r#"["a\u002eb"]"#));
        assert_eq!(read_path("['']").as_deref(), Ok(r#"[""]"#));
    }

    #[test]
    fn what_is_written_is_read_back() {
        for path in [r#"a["b c"][0][1-2][3-]["$"].d-e["\"]"]"#, "[*].é", "[\"\\n\"].x", "$ref"] {
            assert_eq!(read_path(path).as_deref(), Ok(path));
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let long = "a".repeat(MAX_PATH + 1);
        for path in [
            "", " ", "a..b", "a.", "..a", "a[", "a[x]", "a[-1]", "a[2-1]", "a[1]b", "[\"a]",
            "['a]", "[a]", "$$.", "a]b[", &long,
        ] {
            let read = read_path(path);
            assert!(matches!(read, Err(SelectionError::BadPath { .. })), "{path}: {read:?}");
        }
    }
}
