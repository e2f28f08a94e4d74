//! Tool servers, as they are written.

use super::list::ValueList;
use super::section::{Field, NamedEntry, Optional};
use super::value_type::{
    Boolean, ByteSize, FilePath, NonEmptyText, OneOf, Parsed, PositiveCount, Scalar, TimeSpan,
    ValueType,
};
use crate::error::SettingFault;
use crate::secret::{MASK, Secret};
use crate::settings::{self, McpClient, McpTarget, Structured, ToolList};
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
pub(crate) struct McpSection {
    backends: Option<BTreeMap<String, BackendEntry>>,
    clients: Option<BTreeMap<String, ClientEntry>>,
    tools: Option<BTreeMap<String, ToolEntry>>,
    tool_list: Option<Parsed<OneOf<ToolList>>>,
    pinned_tools: Option<ValueList<NonEmptyText>>,
    format: Option<Optional<OneOf<Format>>>,
    structured: Option<Parsed<OneOf<Structured>>>,
    include: Option<ValueList<NonEmptyText>>,
    exclude: Option<ValueList<NonEmptyText>>,
    min_bytes: Option<Parsed<ByteSize<0>>>,
    max_bytes: Option<Parsed<ByteSize<1>>>,
    observe: Option<Parsed<Boolean>>,
    metadata: Option<Parsed<Boolean>>,
    file: Option<Optional<FilePath>>,
}

/// To the table of settings it is one setting, whatever is in it.
pub(crate) fn schema(generator: &mut SchemaGenerator) -> Schema {
    let section = generator.subschema_for::<McpSection>();
    json_schema!({ "allOf": [section] })
}

impl Field for McpSection {
    type Value = settings::Mcp;

    fn put(self, place: &mut settings::Mcp) -> Result<(), SettingFault> {
        put(self.backends, &mut place.backends)?;
        put(self.clients, &mut place.clients)?;
        put(self.tools, &mut place.tools)?;
        put(self.tool_list, &mut place.tool_list)?;
        put(self.pinned_tools, &mut place.pinned_tools)?;
        put(self.format, &mut place.format)?;
        put(self.structured, &mut place.structured)?;
        put(self.include, &mut place.include)?;
        put(self.exclude, &mut place.exclude)?;
        put(self.min_bytes, &mut place.min_bytes)?;
        put(self.max_bytes, &mut place.max_bytes)?;
        put(self.observe, &mut place.observe)?;
        put(self.metadata, &mut place.metadata)?;
        put(self.file, &mut place.file)
    }

    fn of(value: &settings::Mcp) -> Option<Self> {
        Some(McpSection {
            backends: Field::of(&value.backends),
            clients: Field::of(&value.clients),
            tools: Field::of(&value.tools),
            tool_list: Field::of(&value.tool_list),
            pinned_tools: Field::of(&value.pinned_tools),
            format: Field::of(&value.format),
            structured: Field::of(&value.structured),
            include: Field::of(&value.include),
            exclude: Field::of(&value.exclude),
            min_bytes: Field::of(&value.min_bytes),
            max_bytes: Field::of(&value.max_bytes),
            observe: Field::of(&value.observe),
            metadata: Field::of(&value.metadata),
            file: Field::of(&value.file),
        })
    }
}

/// Puts what was written, if anything was, in place of what is there.
fn put<F: Field>(written: Option<F>, place: &mut F::Value) -> Result<(), SettingFault> {
    written.map_or(Ok(()), |written| written.put(place))
}

/// An entry of `mcp.backends`: with `url`, a server behind an address; with `command`, a program.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct BackendEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Parsed<ServerUrl>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<BTreeMap<String, Parsed<MaskedText>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Parsed<NonEmptyText>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<ValueList<ProgramArgument>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<BTreeMap<String, Parsed<MaskedText>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<Parsed<FilePath>>,
    timeout: Option<Parsed<TimeSpan>>,
    max_concurrent: Option<Parsed<PositiveCount>>,
    enabled: Option<Parsed<Boolean>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured: Option<Parsed<OneOf<Structured>>>,
}

impl NamedEntry for BackendEntry {
    type Value = settings::McpBackend;

    fn into_settings(self, prefix: &str) -> Result<settings::McpBackend, SettingFault> {
        let wrong = |key: &str, problem: &str| {
            Err(SettingFault::new(format!("mcp.backends.{prefix}{key}"), problem.to_owned()))
        };
        if !is_prefix(prefix) {
            let problem = "a prefix is up to 32 letters, digits, `-` and `_`, begins and ends with no `_`, and has no `__`";
            return wrong("", problem);
        }
        let shown = |map: Option<BTreeMap<String, Parsed<MaskedText>>>| {
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
                    args: self.args.map(|args| args.0).unwrap_or_default(),
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

    fn of(value: &settings::McpBackend) -> Self {
        let masked = |map: &BTreeMap<String, Secret>| {
            Some(map.iter().map(|(name, value)| (name.clone(), Parsed(value.clone()))).collect())
        };
        let common = BackendEntry {
            timeout: Some(Parsed(value.timeout)),
            max_concurrent: Some(Parsed(value.max_concurrent)),
            enabled: Some(Parsed(value.enabled)),
            structured: value.structured.map(Parsed),
            ..BackendEntry::default()
        };
        match &value.target {
            McpTarget::Http { url, headers } => {
                BackendEntry { url: Some(Parsed(url.clone())), headers: masked(headers), ..common }
            }
            McpTarget::Command { command, args, env, folder } => BackendEntry {
                command: Some(Parsed(command.clone())),
                args: Field::of(args),
                env: masked(env),
                folder: folder.clone().map(Parsed),
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
pub(crate) struct ClientEntry {
    format: Option<Parsed<OneOf<Format>>>,
    structured: Option<Parsed<OneOf<Structured>>>,
    /// The tools that this client sees and may call.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<ValueList<NonEmptyText>>,
}

impl NamedEntry for ClientEntry {
    type Value = McpClient;

    fn into_settings(self, name: &str) -> Result<McpClient, SettingFault> {
        // An entry that says which tools an agent sees has said nothing about how the agent shows results.
        let usual = McpClient::of_agent(name);
        Ok(McpClient {
            format: self.format.map(|format| format.0),
            structured: self.structured.map(|structured| structured.0).or(usual.structured),
            tools: self.tools.map(|tools| tools.0),
        })
    }

    fn of(value: &McpClient) -> Self {
        ClientEntry {
            format: value.format.map(Parsed),
            structured: value.structured.map(Parsed),
            tools: value.tools.as_ref().and_then(Field::of),
        }
    }
}

/// An entry of `mcp.tools`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct ToolEntry {
    format: Option<Parsed<OneOf<Format>>>,
    min_bytes: Option<Parsed<ByteSize<0>>>,
    max_bytes: Option<Parsed<ByteSize<1>>>,
}

impl NamedEntry for ToolEntry {
    type Value = settings::McpTool;

    fn into_settings(self, _name: &str) -> Result<settings::McpTool, SettingFault> {
        Ok(settings::McpTool {
            format: self.format.map(|format| format.0),
            min_bytes: self.min_bytes.map(|bytes| bytes.0),
            max_bytes: self.max_bytes.map(|bytes| bytes.0),
        })
    }

    fn of(value: &settings::McpTool) -> Self {
        ToolEntry {
            format: value.format.map(Parsed),
            min_bytes: value.min_bytes.map(Parsed),
            max_bytes: value.max_bytes.map(Parsed),
        }
    }
}

/// A text that is not shown: the value of a header or a variable.
pub(crate) struct MaskedText;

impl ValueType for MaskedText {
    type Value = Secret;
    const SECRET: bool = true;

    fn expected() -> String {
        format!("a text without control characters, and not the mask {MASK}")
    }

    fn parse(text: &str) -> Option<Secret> {
        (text != MASK && !text.chars().any(char::is_control)).then(|| Secret::new(text))
    }

    fn write(_: &Secret) -> Scalar {
        Scalar::text(MASK)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// An argument of a program: any text, also none.
pub(crate) struct ProgramArgument;

impl ValueType for ProgramArgument {
    type Value = String;

    fn expected() -> String {
        "a text".to_owned()
    }

    fn parse(text: &str) -> Option<String> {
        (!text.contains('\0')).then(|| text.to_owned())
    }

    fn write(value: &String) -> Scalar {
        Scalar::text(value)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// The address of a server, whose query may hold a key and is not shown.
pub(crate) struct ServerUrl;

impl ValueType for ServerUrl {
    type Value = Uri;
    const SECRET: bool = true;

    fn expected() -> String {
        "http:// or https://, a host and perhaps a path and a query; no user".to_owned()
    }

    fn parse(text: &str) -> Option<Uri> {
        let uri: Uri = text.parse().ok()?;
        let authority = uri.authority()?;
        let fits = matches!(uri.scheme_str(), Some("http" | "https"))
            && !authority.host().is_empty()
            && !authority.as_str().contains('@')
            && uri.query() != Some(MASK)
            && !text.contains('#');
        fits.then_some(uri)
    }

    fn write(value: &Uri) -> Scalar {
        let text = value.to_string();
        Scalar::text(match text.split_once('?') {
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
