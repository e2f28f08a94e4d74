//! What is wrong with settings, where, and what would be right.

use std::fmt;

/// Settings that cannot be used: where, which one, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Where it is written.
    pub place: Place,
    /// The setting's path, as in the file; empty where there is none.
    pub key: String,
    /// What was found and what is allowed.
    pub problem: String,
}

/// Where a setting is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a file.
    File {
        /// Its name.
        name: String,
        /// The line, from 1; 0 where it is not known.
        line: u64,
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

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { name, line: 0 } => f.write_str(name),
            Self::File { name, line } => write!(f, "{name}, line {line}"),
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

/// What is wrong with one setting, for those who do not know where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) key: String,
    pub(crate) problem: String,
}

impl Fault {
    pub(crate) fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Fault { key: key.into(), problem: problem.into() }
    }

    pub(crate) fn at(self, place: Place) -> ConfigError {
        ConfigError { place, key: self.key, problem: self.problem }
    }
}
