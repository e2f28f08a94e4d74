//! What is wrong with settings, where, and what would be right.

use std::fmt;

/// Settings that cannot be used: where, which one, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Where it is written.
    pub place: SettingOrigin,
    /// The setting's path, as in the file; empty where there is none.
    pub key: String,
    /// What was found and what is allowed.
    pub problem: String,
}

/// Where a setting is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// In a file.
    File {
        /// Its name.
        name: String,
        /// The line, from 1; 0 where it is not known.
        line: u64,
        /// The column of its first character, from 1; 0 where it is not known.
        column: u64,
    },
    /// In a variable of the environment.
    Variable(String),
    /// In a flag.
    Flag(&'static str),
    /// In a change to settings in use.
    Patch,
    /// In several places: each value is fine, but they do not go together.
    Together,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // As compilers write it: editors and terminals open the file there.
            Self::File { name, line: 0, .. } => f.write_str(name),
            Self::File { name, line, column: 0 } => write!(f, "{name}:{line}"),
            Self::File { name, line, column } => write!(f, "{name}:{line}:{column}"),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Patch => f.write_str("change"),
            Self::Together => f.write_str("settings"),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for ConfigError {}

/// Everything that is wrong with settings: at least one mistake, in the order of the file, the environment and the flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigError>);

impl ConfigErrors {
    /// `None` where nothing is wrong.
    pub(crate) fn new(errors: Vec<ConfigError>) -> Option<Self> {
        (!errors.is_empty()).then_some(ConfigErrors(errors))
    }

    /// Each mistake.
    pub fn iter(&self) -> std::slice::Iter<'_, ConfigError> {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a ConfigErrors {
    type Item = &'a ConfigError;
    type IntoIter = std::slice::Iter<'a, ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// One line for each.
impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let line_end = if index > 0 { "\n" } else { "" };
            write!(f, "{line_end}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// What is wrong with one setting, for those who do not know where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingFault {
    pub(crate) key: String,
    pub(crate) problem: String,
}

impl SettingFault {
    pub(crate) fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        SettingFault { key: key.into(), problem: problem.into() }
    }

    pub(crate) fn at(self, place: SettingOrigin) -> ConfigError {
        ConfigError { place, key: self.key, problem: self.problem }
    }
}
