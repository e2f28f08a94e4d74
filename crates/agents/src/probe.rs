//! How an agent is tried without a person.

use serde::Deserialize;
use std::collections::BTreeMap;

/// With what an agent, in a home folder of its own and with a made-up key, asks its model one question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentProbe {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its arguments where its requests name the session, if with the others they do not.
    #[serde(default)]
    pub session_arguments: Vec<String>,
    /// Its variables, beside those that lead to programs and the home folder.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// What is in files of its home folder.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// With what its model calls its [`shell`](crate::Agent::shell); `{command}` stands for the command line.
    #[serde(default)]
    pub shell_arguments: BTreeMap<String, String>,
    /// What has it start a tool server.
    pub tool_server: Option<ProbeToolServer>,
}

/// A file of the home folder that names one tool server, in the place of the one of this name in
/// [`files`](AgentProbe::files).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeToolServer {
    /// Its name.
    pub file: String,
    /// What it says. In the notation of JSON, `{program}` stands for the server's program, `{arguments}` for the list of
    /// its arguments, and `{command}` for the list of both.
    pub text: String,
}
