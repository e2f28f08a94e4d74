//! What is said to a module, and what it answers.

use crate::wasm::fault::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The version of the interface.
pub const ABI: u32 = 1;

/// No error of a module is longer, so that it fits into a log.
const LONGEST_ERROR: usize = 500;

/// What a module says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The version of the interface it was made for: 1.
    pub abi: u32,
    /// The name in metrics and messages: small letters, digits and hyphens.
    pub name: String,
    /// When it is called, and the largest body that it has to see then; 0 for none.
    pub phases: BTreeMap<String, usize>,
}

/// What is going on.
#[derive(Debug, Clone, Serialize)]
pub struct Call<'a> {
    /// The phase: `pre_auth`, `post_auth`, `pre_upstream`, `post_upstream`, `tool_call`, `tool_result`, `on_error`.
    pub phase: &'static str,
    /// The settings.
    pub settings: &'a Value,
    /// Where the request came from: address and port.
    pub remote: String,
    /// Whose request it is, once that is known.
    pub tenant: Option<&'a str>,
    /// What the request is counted under, if the client said so.
    pub project: Option<&'a str>,
    /// The method of the request.
    pub method: &'a str,
    /// The address of the request.
    pub uri: String,
    /// The headers of the request. What is not text is left out.
    pub request_headers: Vec<(&'a str, &'a str)>,
    /// The status of the response, where there is one.
    pub status: Option<u16>,
    /// The headers of the response, where there is one.
    pub response_headers: Option<Vec<(&'a str, &'a str)>>,
    /// Which tool is called, where one is.
    pub tool: Option<CalledTool<'a>>,
    /// Does the body follow? It is the request's, the response's, or a tool's arguments or result, by phase. One that is
    /// larger than declared does not follow.
    pub body: bool,
}

/// Which tool is called.
#[derive(Debug, Clone, Serialize)]
pub struct CalledTool<'a> {
    /// The name of its server.
    pub server: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// What is to be done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginReply {
    /// How the request goes on.
    pub flow: NextStep,
    /// The status of the response from now on; with `terminate` that of the module's own, 403 if it says none.
    pub status: Option<u16>,
    /// Headers to set, or to remove where the value is null: the request's before it goes upstream, the response's
    /// after; with `terminate` those of the module's own.
    pub headers: BTreeMap<String, Option<String>>,
    /// Does a body follow? It takes the place of the one that was shown; with `terminate` it is the module's own.
    pub body: bool,
    /// The call failed, and this is why. Everything else is ignored.
    pub error: Option<String>,
}

/// How a request goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextStep {
    /// With the next plugin.
    #[default]
    Continue,
    /// With the next phase.
    SkipRest,
    /// Not at all: the module answers it.
    Terminate,
}

impl Description {
    /// Reads what a module answers to `describe`.
    pub(crate) fn read(answer: &[u8]) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct Refusal {
            error: String,
        }
        if let Ok(refusal) = serde_json::from_slice::<Refusal>(answer) {
            return Err(said(&refusal.error));
        }
        let description: Self = parsed("describe", answer)?;
        if description.abi != ABI {
            return Err(Fault::OtherAbi(description.abi));
        }
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        match description.name.len() {
            1..=64 if description.name.bytes().all(is_plain) => Ok(description),
            _ => Err(unreadable(
                "describe",
                "`name` must be 1 to 64 small letters, digits and hyphens",
            )),
        }
    }
}

impl Call<'_> {
    /// The message, with the body behind it.
    pub(crate) fn written(&self, body: &[u8]) -> Vec<u8> {
        // Nothing in here can fail to be JSON.
        let mut message = serde_json::to_vec(self).unwrap_or_default();
        message.push(b'\n');
        message.extend_from_slice(body);
        message
    }
}

impl PluginReply {
    /// Reads what a module answers to `call`, and the body that follows.
    pub(crate) fn read(answer: &[u8]) -> Result<(Self, Option<Vec<u8>>), Fault> {
        let end = answer.iter().position(|byte| *byte == b'\n').unwrap_or(answer.len());
        let (line, body) = answer.split_at(end);
        let reply: Self = parsed("call", line)?;
        if let Some(error) = &reply.error {
            return Err(said(error));
        }
        let body = reply.body.then(|| body.get(1..).unwrap_or_default().to_vec());
        Ok((reply, body))
    }
}

fn parsed<'a, T: Deserialize<'a>>(to: &'static str, answer: &'a [u8]) -> Result<T, Fault> {
    if !answer.trim_ascii_start().starts_with(b"{") {
        return Err(unreadable(to, "it is no JSON object"));
    }
    // The message of the parser may quote what it found.
    serde_json::from_slice(answer).map_err(|error| {
        unreadable(
            to,
            format!(
                "{:?} error at line {} column {}",
                error.classify(),
                error.line(),
                error.column()
            ),
        )
    })
}

fn unreadable(to: &'static str, problem: impl Into<String>) -> Fault {
    Fault::Unreadable { to, problem: problem.into() }
}

/// What a module says, in one line of bounded length.
fn said(error: &str) -> Fault {
    let line: Cow<'_, str> = if error.contains(char::is_control) {
        error.replace(char::is_control, " ").into()
    } else {
        error.into()
    };
    Fault::Said(line.chars().take(LONGEST_ERROR).collect())
}
