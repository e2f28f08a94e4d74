//! How an agent is tried without a person.

use serde::Deserialize;
use std::collections::BTreeMap;

/// With what an agent, in a home folder of its own and with a made-up key, asks its model one question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentProbe {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its variables, beside those that lead to programs and the home folder.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// What is in files of its home folder.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}
