//! The rules: types for what `rules.toml` says. The file itself explains the fields.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// The rules that come with this crate.
const RULES: &str = include_str!("rules.toml");

/// All rules, by the way a secret shows itself.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Rules {
    pub(crate) token: Vec<TokenRule>,
    pub(crate) assigned: Vec<AssignedRule>,
    pub(crate) url: Vec<UrlRule>,
    pub(crate) block: Vec<BlockRule>,
}

impl Rules {
    /// The rules of the embedded file, whose form the tests guarantee.
    pub(crate) fn builtin() -> Self {
        let reader = toml::Deserializer::parse(RULES).expect("rules.toml is TOML");
        Self::deserialize(reader).expect("rules.toml has the fields of rules.rs")
    }
}

/// A secret known by its own form.
#[derive(Deserialize)]
pub(crate) struct TokenRule {
    pub(crate) id: &'static str,
    #[serde(borrow)]
    pub(crate) literals: Vec<&'static str>,
    #[serde(default)]
    pub(crate) back: usize,
    pub(crate) regex: &'static str,
    #[serde(default)]
    pub(crate) entropy: f64,
    #[serde(skip)]
    compiled: OnceLock<Regex>,
}

/// A secret known by the name it is given.
#[derive(Deserialize)]
pub(crate) struct AssignedRule {
    pub(crate) id: &'static str,
    #[serde(borrow)]
    pub(crate) names: Vec<&'static str>,
    #[serde(borrow, default)]
    pub(crate) not_names: Vec<&'static str>,
    #[serde(default)]
    pub(crate) looks: ValueLooks,
    #[serde(borrow)]
    pub(crate) regex: Option<&'static str>,
    #[serde(default)]
    pub(crate) entropy: f64,
    #[serde(skip)]
    compiled: OnceLock<Regex>,
}

/// What a value has to look like.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ValueLooks {
    /// As the pattern says.
    #[default]
    Form,
    /// Drawn at random.
    Random,
    /// Like a password.
    Password,
    /// Like credentials in a header, behind the name of a scheme.
    Header,
}

/// A secret known by its place in a URL: the password of a scheme or the path of a host.
#[derive(Deserialize)]
pub(crate) struct UrlRule {
    pub(crate) id: &'static str,
    #[serde(borrow, default)]
    pub(crate) schemes: Vec<&'static str>,
    #[serde(borrow, default)]
    pub(crate) hosts: Vec<&'static str>,
    #[serde(borrow)]
    regex: Option<&'static str>,
    #[serde(skip)]
    compiled: OnceLock<Regex>,
}

/// A private key between a first and a last line.
#[derive(Deserialize)]
pub(crate) struct BlockRule {
    pub(crate) id: &'static str,
    #[serde(borrow, default)]
    pub(crate) labels: Vec<&'static str>,
}

impl TokenRule {
    /// Matches from the literal on, or around it where something comes before the literal.
    pub(crate) fn pattern(&self) -> &Regex {
        let anchor = if self.back == 0 { "^" } else { "" };
        self.compiled.get_or_init(|| compile(&format!("{anchor}(?:{})", self.regex)))
    }
}

impl AssignedRule {
    /// Matches a whole value.
    pub(crate) fn pattern(&self) -> Option<&Regex> {
        let regex = self.regex?;
        Some(self.compiled.get_or_init(|| compile(&format!("^(?:{regex})$"))))
    }
}

impl UrlRule {
    /// Matches what follows the host from its slash on.
    pub(crate) fn pattern(&self) -> Option<&Regex> {
        let regex = self.regex?;
        Some(self.compiled.get_or_init(|| compile(&format!("^(?:{regex})"))))
    }
}

/// ASCII only: token characters are, and the tables of Unicode would be most of the memory.
fn compile(regex: &str) -> Regex {
    RegexBuilder::new(regex).unicode(false).build().expect("a test compiles every rule")
}
