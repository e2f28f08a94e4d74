//! A filter as it is written: the keys of the TOML text and the rules for their values.

use serde::Deserialize;

/// The longest text of a filter.
const MAX_BYTES: usize = 256 << 10;
/// The longest note; it is read by a model with every output.
const MAX_SAY: usize = 100;
/// The most groups in a replacement: each may be as long as the line.
const MAX_GROUPS: usize = 8;
/// The most rules of a kind.
const MAX_RULES: usize = 64;
/// A shorter cut would leave nothing to recognise a line by.
const MIN_TRUNCATE: usize = 40;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FilterFile {
    pub(super) name: String,
    pub(super) family: String,
    #[serde(default = "yes")]
    pub(super) verified: bool,
    #[serde(rename = "match")]
    pub(super) matching: Match,
    #[serde(default)]
    pub(super) keep: Vec<String>,
    #[serde(default)]
    pub(super) strip: Vec<Strip>,
    #[serde(default)]
    pub(super) structure: bool,
    #[serde(default)]
    pub(super) replace: Vec<Replace>,
    pub(super) truncate: Option<usize>,
    pub(super) head: Option<usize>,
    pub(super) tail: Option<usize>,
    #[serde(default = "nothing_else")]
    pub(super) on_empty: String,
    #[serde(default)]
    pub(super) tests: Vec<Test>,
}

/// Which outputs a filter is for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Match {
    pub(super) programs: Vec<String>,
    pub(super) subcommands: Vec<String>,
    pub(super) with: Vec<String>,
    pub(super) unless: Vec<String>,
    pub(super) shape: Vec<String>,
    pub(super) wrapper: bool,
    pub(super) fallback: bool,
}

/// Lines to leave out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Strip {
    pub(super) say: String,
    #[serde(default)]
    pub(super) lines: Vec<String>,
    #[serde(default)]
    pub(super) except: Vec<String>,
    #[serde(default)]
    pub(super) headings: Vec<String>,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    #[serde(default)]
    pub(super) repeated: bool,
    #[serde(default)]
    pub(super) certain: bool,
    #[serde(default)]
    pub(super) passes: bool,
    #[serde(default)]
    pub(super) unless_failed: bool,
    #[serde(default)]
    pub(super) fold: Fold,
}

/// Where the lines left out by one rule are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Fold {
    /// In one note, where the first of them stood.
    #[default]
    All,
    /// In a note for each run of consecutive lines.
    Run,
}

/// Text to rewrite within the lines that stay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Replace {
    pub(super) say: String,
    pub(super) pattern: String,
    pub(super) with: String,
}

/// An output and what becomes of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    pub(super) command: Option<String>,
    pub(super) input: String,
    pub(super) output: Option<String>,
    #[serde(default)]
    pub(super) must_keep: Vec<String>,
    #[serde(default)]
    pub(super) must_drop: Vec<String>,
}

/// Reads and checks everything but the patterns.
pub(super) fn parse_filter_file(text: &str) -> Result<FilterFile, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("a filter has at most {MAX_BYTES} bytes, this one has {}", text.len()));
    }
    let written: FilterFile = toml::from_str(text).map_err(|error| error.to_string())?;
    written.check()?;
    Ok(written)
}

impl FilterFile {
    pub(super) fn is_lossy(&self) -> bool {
        !self.strip.is_empty()
            || self.structure
            || !self.replace.is_empty()
            || self.truncate.is_some()
            || self.head.is_some()
            || self.tail.is_some()
    }

    fn check(&self) -> Result<(), String> {
        check_said("name", &self.name)?;
        check_said("family", &self.family)?;
        check_said("on_empty", &self.on_empty)?;
        let Match { programs, shape, fallback, .. } = &self.matching;
        if programs.is_empty() && shape.is_empty() && !fallback {
            return Err("match: needs `programs`, `shape` or both".to_owned());
        }
        if !self.verified && self.is_lossy() {
            return Err("verified: false is for filters that leave nothing out; remove strip, structure, replace, truncate, \
                        head and tail, or record real output and set it to true"
                .to_owned());
        }
        if self.truncate.is_some_and(|limit| limit < MIN_TRUNCATE) {
            return Err(format!("truncate: at least {MIN_TRUNCATE} characters"));
        }
        if self.strip.len().max(self.replace.len()) > MAX_RULES {
            return Err(format!("strip, replace: at most {MAX_RULES} each"));
        }
        self.strip.iter().try_for_each(Strip::check)?;
        self.replace.iter().try_for_each(Replace::check)
    }
}

impl Strip {
    fn check(&self) -> Result<(), String> {
        check_said("strip.say", &self.say)?;
        if self.lines.is_empty() && self.from.is_none() && self.to.is_none() && !self.repeated {
            return Err("strip: needs `lines`, `from`, `to` or `repeated`, or it would leave out everything".to_owned());
        }
        Ok(())
    }
}

impl Replace {
    fn check(&self) -> Result<(), String> {
        check_said("replace.say", &self.say)?;
        let groups = self.with.matches('$').count();
        if self.with.len() > MAX_SAY
            || groups > MAX_GROUPS
            || self.with.contains(|c: char| c.is_control() || c == '[')
        {
            return Err(format!(
                "replace.with: at most {MAX_SAY} bytes and {MAX_GROUPS} groups, neither control characters nor `[`"
            ));
        }
        Ok(())
    }
}

/// What is printed inside a note stays on one line and cannot close it.
fn check_said(key: &str, said: &str) -> Result<(), String> {
    if said.is_empty()
        || said.len() > MAX_SAY
        || said.chars().any(|c| c.is_control() || c == '[' || c == ']')
    {
        return Err(format!(
            "{key}: 1 to {MAX_SAY} bytes on one line without brackets, not {said:?}"
        ));
    }
    Ok(())
}

fn yes() -> bool {
    true
}

fn nothing_else() -> String {
    "nothing else was printed".to_owned()
}
