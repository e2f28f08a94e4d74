//! Tool servers, as they are written.

use super::list::List;
use super::section::{Field, put, put_optional};
use super::word::{Bytes, Count, File, Flag, Host, One, Span, Spelled, Text, Word, Written};
use crate::error::Fault;
use crate::secret::{MASK, Secret};
use crate::settings::{self, McpTarget, Structured};
use http::Uri;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use tokenforge_formats::negotiate::Format;

/// How long a server may be silent, unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(300);

/// How many requests a server may have at once, unless told otherwise.
const CONCURRENT: usize = 64;

/// The longest prefix.
const LONGEST_PREFIX: usize = 32;

/// The section `mcp`.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct Mcp {
    backends: Option<BTreeMap<String, Backend>>,
    clients: Option<BTreeMap<String, Client>>,
    tools: Option<BTreeMap<String, Tool>>,
    format: Option<Written<One<Format>>>,
    structured: Option<Written<One<Structured>>>,
    include: Option<List<Text>>,
    exclude: Option<List<Text>>,
    min_bytes: Option<Written<Bytes<0>>>,
    max_bytes: Option<Written<Bytes<1>>>,
    observe: Option<Written<Flag>>,
    metadata: Option<Written<Flag>>,
    /// As the setting of this name at the top level, which it was before it counted for every path.
    #[serde(skip_serializing)]
    pub(super) allow_hosts: Option<List<Host>>,
    #[serde(skip_serializing)]
    pub(super) allow_origins: Option<List<Text>>,
    file: Option<Written<File>>,
}

/// To the table of settings it is one setting, whatever is in it.
pub(crate) fn schema(generator: &mut SchemaGenerator) -> Schema {
    let section = generator.subschema_for::<Mcp>();
    json_schema!({ "allOf": [section] })
}

impl Mcp {
    pub(crate) fn apply(self, to: &mut settings::Mcp) -> Result<(), Fault> {
        for (prefix, backend) in self.backends.unwrap_or_default() {
            let meant = backend.meant(&prefix)?;
            to.backends.insert(prefix, meant);
        }
        for (name, client) in self.clients.unwrap_or_default() {
            to.clients.insert(name, client.meant());
        }
        for (name, tool) in self.tools.unwrap_or_default() {
            to.tools.insert(name, tool.meant());
        }
        put_optional(&mut to.format, self.format);
        put(&mut to.structured, self.structured);
        put(&mut to.include, self.include);
        put(&mut to.exclude, self.exclude);
        put(&mut to.min_bytes, self.min_bytes);
        put(&mut to.max_bytes, self.max_bytes);
        put(&mut to.observe, self.observe);
        put(&mut to.metadata, self.metadata);
        put_optional(&mut to.file, self.file);
        Ok(())
    }

    pub(crate) fn of(from: &settings::Mcp) -> Self {
        let backend = |(prefix, backend): (&String, _)| (prefix.clone(), Backend::of(backend));
        let client = |(name, client): (&String, _)| (name.clone(), Client::of(client));
        let tool = |(name, tool): (&String, _)| (name.clone(), Tool::of(tool));
        Mcp {
            backends: Some(from.backends.iter().map(backend).collect()),
            clients: Some(from.clients.iter().map(client).collect()),
            tools: Some(from.tools.iter().map(tool).collect()),
            format: from.format.as_ref().map(Field::of),
            structured: Some(Field::of(&from.structured)),
            include: Some(Field::of(&from.include)),
            exclude: Some(Field::of(&from.exclude)),
            min_bytes: Some(Field::of(&from.min_bytes)),
            max_bytes: Some(Field::of(&from.max_bytes)),
            observe: Some(Field::of(&from.observe)),
            metadata: Some(Field::of(&from.metadata)),
            allow_hosts: None,
            allow_origins: None,
            file: from.file.as_ref().map(Field::of),
        }
    }
}

/// An entry of `mcp.backends`: with `url`, a server behind an address; with `command`, a program.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct Backend {
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Written<Endpoint>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<String, Written<Hidden>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Written<Text>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<List<Argument>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<BTreeMap<String, Written<Hidden>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<Written<File>>,
    timeout: Option<Written<Span>>,
    max_concurrent: Option<Written<Count>>,
    enabled: Option<Written<Flag>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured: Option<Written<One<Structured>>>,
}

impl Backend {
    pub(crate) fn meant(self, prefix: &str) -> Result<settings::McpBackend, Fault> {
        let wrong = |key: &str, problem: &str| {
            Err(Fault::new(format!("mcp.backends.{prefix}{key}"), problem.to_owned()))
        };
        if !is_prefix(prefix) {
            let problem = "a prefix is up to 32 letters, digits, `-` and `_`, begins and ends with no `_`, and has no `__`";
            return wrong("", problem);
        }
        let shown = |map: Option<BTreeMap<String, Written<Hidden>>>| {
            map.unwrap_or_default().into_iter().map(|(name, value)| (name, value.0)).collect()
        };
        let target = match (self.url, self.command) {
            (Some(_), Some(_)) => return wrong("", "has both `url` and `command`; one is needed"),
            (None, None) => {
                return wrong("", "needs `url`, or `command` for a program that is started");
            }
            (Some(url), None) => {
                if self.args.is_some() || self.env.is_some() || self.folder.is_some() {
                    return wrong(
                        "",
                        "`args`, `env` and `folder` go with `command`, not with `url`",
                    );
                }
                let headers: BTreeMap<String, Secret> = shown(self.headers);
                for (name, value) in &headers {
                    let fits = http::HeaderName::try_from(name.as_str()).is_ok()
                        && http::HeaderValue::from_str(value.expose()).is_ok();
                    if !fits {
                        return wrong(
                            ".headers",
                            "has what is no header: a name, and a value in ASCII",
                        );
                    }
                }
                McpTarget::Http { url: url.0, headers }
            }
            (None, Some(command)) => {
                if self.headers.is_some() {
                    return wrong(".headers", "go with `url`, not with `command`");
                }
                McpTarget::Command {
                    command: command.0,
                    args: self.args.map(Field::meant).unwrap_or_default(),
                    env: shown(self.env),
                    folder: self.folder.map(|folder| folder.0),
                }
            }
        };
        Ok(settings::McpBackend {
            target,
            timeout: self.timeout.map_or(TIMEOUT, |timeout| timeout.0),
            max_concurrent: self.max_concurrent.map_or(CONCURRENT, |count| count.0),
            enabled: self.enabled.is_none_or(|enabled| enabled.0),
            structured: self.structured.map(|structured| structured.0),
        })
    }

    pub(crate) fn of(meant: &settings::McpBackend) -> Self {
        let masked = |map: &BTreeMap<String, Secret>| {
            Some(map.iter().map(|(name, value)| (name.clone(), Written(value.clone()))).collect())
        };
        let common = Backend {
            timeout: Some(Written(meant.timeout)),
            max_concurrent: Some(Written(meant.max_concurrent)),
            enabled: Some(Written(meant.enabled)),
            structured: meant.structured.map(Written),
            ..Backend::default()
        };
        match &meant.target {
            McpTarget::Http { url, headers } => {
                Backend { url: Some(Written(url.clone())), headers: masked(headers), ..common }
            }
            McpTarget::Command { command, args, env, folder } => Backend {
                command: Some(Written(command.clone())),
                args: Some(Field::of(args)),
                env: masked(env),
                folder: folder.clone().map(Written),
                ..common
            },
        }
    }
}

/// Tells tools of servers apart: `prefix__tool`.
pub(crate) fn is_prefix(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !text.is_empty()
        && text.len() <= LONGEST_PREFIX
        && text.bytes().all(fits)
        && !text.starts_with('_')
        && !text.ends_with('_')
        && !text.contains("__")
}

/// An entry of `mcp.clients`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct Client {
    format: Option<Written<One<Format>>>,
    structured: Option<Written<One<Structured>>>,
}

impl Client {
    fn meant(self) -> settings::McpClient {
        settings::McpClient {
            format: self.format.map(|format| format.0),
            structured: self.structured.map(|structured| structured.0),
        }
    }

    fn of(meant: &settings::McpClient) -> Self {
        Client { format: meant.format.map(Written), structured: meant.structured.map(Written) }
    }
}

/// An entry of `mcp.tools`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct Tool {
    format: Option<Written<One<Format>>>,
    min_bytes: Option<Written<Bytes<0>>>,
    max_bytes: Option<Written<Bytes<1>>>,
}

impl Tool {
    fn meant(self) -> settings::McpTool {
        settings::McpTool {
            format: self.format.map(|format| format.0),
            min_bytes: self.min_bytes.map(|bytes| bytes.0),
            max_bytes: self.max_bytes.map(|bytes| bytes.0),
        }
    }

    fn of(meant: &settings::McpTool) -> Self {
        Tool {
            format: meant.format.map(Written),
            min_bytes: meant.min_bytes.map(Written),
            max_bytes: meant.max_bytes.map(Written),
        }
    }
}

/// A text that is not shown: the value of a header or a variable.
pub(crate) struct Hidden;

impl Word for Hidden {
    type Meant = Secret;
    const SECRET: bool = true;

    fn expected() -> String {
        format!("a text without control characters, and not the mask {MASK}")
    }

    fn read(text: &str) -> Option<Secret> {
        (text != MASK && !text.chars().any(char::is_control)).then(|| Secret::new(text))
    }

    fn write(_: &Secret) -> Spelled {
        Spelled::text(MASK)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// An argument of a program: any text, also none.
pub(crate) struct Argument;

impl Word for Argument {
    type Meant = String;

    fn expected() -> String {
        "a text".to_owned()
    }

    fn read(text: &str) -> Option<String> {
        (!text.contains('\0')).then(|| text.to_owned())
    }

    fn write(meant: &String) -> Spelled {
        Spelled::text(meant)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// The address of a server, whose query may hold a key and is not shown.
pub(crate) struct Endpoint;

impl Word for Endpoint {
    type Meant = Uri;
    const SECRET: bool = true;

    fn expected() -> String {
        "http:// or https://, a host and perhaps a path and a query; no user".to_owned()
    }

    fn read(text: &str) -> Option<Uri> {
        let uri: Uri = text.parse().ok()?;
        let authority = uri.authority()?;
        let fits = matches!(uri.scheme_str(), Some("http" | "https"))
            && !authority.host().is_empty()
            && !authority.as_str().contains('@')
            && uri.query() != Some(MASK)
            && !text.contains('#');
        fits.then_some(uri)
    }

    fn write(meant: &Uri) -> Spelled {
        let text = meant.to_string();
        Spelled::text(match text.split_once('?') {
            Some((address, _)) => format!("{address}?{MASK}"),
            None => text,
        })
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^https?://[^@#]+$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_can_be_told_from_the_name_of_a_tool() {
        for good in ["fs", "a", "git-hub", "my_server", "A1"] {
            assert!(is_prefix(good), "{good}");
        }
        let long = "x".repeat(33);
        for bad in ["", "a__b", "a_", "_a", "a b", "é", "a/b", long.as_str()] {
            assert!(!is_prefix(bad), "{bad}");
        }
    }
}
