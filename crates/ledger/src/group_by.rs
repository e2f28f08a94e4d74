//! Grouping: by what entries are added up.

use crate::{BoundedName, LedgerEntry, ResultOutcome, UtcDay};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// By what entries are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GroupBy {
    /// The tool whose result it is.
    #[default]
    Tool,
    /// The agent.
    Client,
    /// The project.
    Project,
    /// The day, in UTC.
    Day,
    /// The stages whose text was taken, together.
    Stage,
    /// The model that was asked.
    Model,
    /// Why results went on as they came.
    Reason,
}

impl GroupBy {
    /// Every way.
    pub const ALL: &'static [Self] = &[
        Self::Tool,
        Self::Client,
        Self::Project,
        Self::Day,
        Self::Stage,
        Self::Model,
        Self::Reason,
    ];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GroupBy::Tool => "tool",
            GroupBy::Client => "client",
            GroupBy::Project => "project",
            GroupBy::Day => "day",
            GroupBy::Stage => "stage",
            GroupBy::Model => "model",
            GroupBy::Reason => "reason",
        }
    }

    /// The name of the row that results belong to.
    pub(crate) fn row(self, entry: &LedgerEntry, outcome: &ResultOutcome) -> String {
        let or_none = |name: Option<&BoundedName>, none: &str| {
            name.map_or(none, BoundedName::as_str).to_owned()
        };
        match self {
            GroupBy::Tool if outcome.tool == *"" => "(unknown)".to_owned(),
            GroupBy::Tool => outcome.tool.to_string(),
            GroupBy::Client => or_none(entry.client.as_ref(), "(unknown)"),
            GroupBy::Project => or_none(entry.project.as_ref(), "(none)"),
            GroupBy::Day => UtcDay::of(entry.time).to_string(),
            GroupBy::Model => or_none(entry.model.as_ref(), "(unknown)"),
            GroupBy::Reason => reason(entry, outcome).to_owned(),
            GroupBy::Stage if !outcome.is_touched() => "(untouched)".to_owned(),
            GroupBy::Stage => {
                let stages: Vec<&str> = outcome.stages.iter().map(BoundedName::as_str).collect();
                stages.join(" + ")
            }
        }
    }
}

/// Why results went on as they came, in one word; or that they did not.
pub(crate) fn reason<'e>(entry: &LedgerEntry, outcome: &'e ResultOutcome) -> &'e str {
    match &outcome.kept {
        Some(kept) => kept.as_str(),
        None if entry.observed => "observed",
        None if outcome.is_touched() => "(made smaller)",
        None => "(unknown)",
    }
}

/// No such way to add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownGrouping;

impl fmt::Display for UnknownGrouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected tool, client, project, day, stage, model or reason")
    }
}

impl std::error::Error for UnknownGrouping {}

impl FromStr for GroupBy {
    type Err = UnknownGrouping;

    fn from_str(name: &str) -> Result<Self, UnknownGrouping> {
        Self::ALL.iter().copied().find(|by| by.name() == name).ok_or(UnknownGrouping)
    }
}

impl Serialize for GroupBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for GroupBy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
