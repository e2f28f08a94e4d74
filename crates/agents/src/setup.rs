//! What `tokenforge setup` has to know of an agent that it takes on for every day.

use crate::PathTemplate;
use serde::Deserialize;

/// How `tokenforge setup` takes an agent on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SetupSupport {
    /// Does a command in its settings print its status line?
    pub status_line: bool,
    /// The key of its settings with an address that it takes whatever it is told.
    pub overriding_address: Option<Vec<String>>,
    /// Where its user may have named a provider's address, which the gateway does not use.
    pub own_address: Option<OwnAddress>,
    /// The login without which it cannot go through a gateway.
    pub required_login: Option<RequiredLogin>,
}

/// Where the user of an agent may have named a provider's address.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnAddress {
    /// Names of files in the folder that the agent is started in, and in all above it.
    #[serde(default)]
    pub project_files: Vec<String>,
    /// The user's files.
    pub files: Vec<PathTemplate>,
    /// The key in each of them; `{provider}` stands for a provider's name.
    pub key: Vec<String>,
    /// Those names.
    pub providers: Vec<String>,
}

/// A key of the settings that must have this value.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredLogin {
    /// The key.
    pub key: Vec<String>,
    /// Its value.
    pub value: String,
}
