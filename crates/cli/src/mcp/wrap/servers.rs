//! The MCP servers that a client's file names, whichever client it is.

use super::clients;
use crate::client_file::{NodeValue, SettingsDocument, TextSpan};
use crate::gateway::CLIENT_TOKEN;
use std::collections::HashMap;
use std::ops::Range;

/// Members that hold headers, and those that hold variables. Their values are secret.
const HEADERS: [&str; 3] = ["headers", "http_headers", "env_http_headers"];
const VARIABLES: [&str; 2] = ["env", "environment"];

/// Where Codex names the variable of a header.
const BEARER: &str = "bearer_token_env_var";

/// A server that a file names.
#[derive(Debug)]
pub(super) struct ServerEntry {
    /// The keys that lead to it.
    pub(super) path: Vec<String>,
    /// Is it written as `{ … }`? TOML has another way.
    pub(super) is_inline: bool,
    pub(super) way: ServerTransport,
    /// Secret values, which a diff masks.
    pub(super) hidden: Vec<Range<usize>>,
}

/// How the client reaches it.
#[derive(Debug)]
pub(super) enum ServerTransport {
    /// `"command": "npx", "args": ["-y"]`
    Program { command: TextSpan, args: Option<ProgramArgs> },
    /// `"command": ["npx", "-y"]`
    List(Vec<TextSpan>),
    /// `"url": "https://…"`
    Address {
        url: TextSpan,
        headers: Vec<String>,
        header_table: Option<HeaderTable>,
        is_stream: bool,
    },
    /// None that is known here.
    Unknown,
}

/// The headers of a server, as a file writes them.
#[derive(Debug)]
pub(super) struct HeaderTable {
    pub(super) span: Range<usize>,
    pub(super) is_empty: bool,
    /// The value of our own header.
    pub(super) token: Option<Range<usize>>,
}

/// The arguments of a program.
#[derive(Debug)]
pub(super) struct ProgramArgs {
    pub(super) span: Range<usize>,
    pub(super) words: Vec<TextSpan>,
}

impl ServerEntry {
    /// As a person knows it.
    pub(super) fn name(&self) -> String {
        match &self.path[..] {
            [projects, project, _, name] if projects == "projects" => format!("{name} ({project})"),
            [.., name] => name.clone(),
            [] => String::new(),
        }
    }

    /// The keys that lead to the list it is in: a client starts all servers of a list.
    pub(super) fn list(&self) -> &[String] {
        self.path.split_last().map_or(&[], |(_, list)| list)
    }
}

/// All servers of a file.
pub(super) fn servers(document: &SettingsDocument<'_>) -> Vec<ServerEntry> {
    let found = clients::keys().into_iter().flat_map(|key| tables(document, key));
    let servers = found.flat_map(|(path, table)| {
        let members = document.members(table);
        // Of two with one name readers take the last.
        let last: HashMap<&String, usize> =
            members.iter().map(|(name, entry)| (name, *entry)).collect();
        members.iter().filter_map(move |(name, entry)| {
            let is_last = last.get(name) == Some(entry);
            let path = path.iter().chain([name]).cloned().collect();
            is_last.then(|| server(document, path, *entry)).flatten()
        })
    });
    servers.collect()
}

/// The tables that keys lead to; `*` is any key.
fn tables(document: &SettingsDocument<'_>, path: &[String]) -> Vec<(Vec<String>, usize)> {
    let mut tables = vec![(Vec::new(), document.root())];
    for key in path {
        let step = |(path, table): (Vec<String>, usize)| {
            let longer = move |(name, place): &(String, usize)| {
                (path.iter().chain([name]).cloned().collect::<Vec<_>>(), *place)
            };
            let is_it = |(name, _): &&(String, usize)| key == "*" || name == key;
            document.members(table).iter().filter(is_it).map(longer).collect::<Vec<_>>()
        };
        tables = tables.into_iter().flat_map(step).collect();
    }
    tables
}

fn server(document: &SettingsDocument<'_>, path: Vec<String>, entry: usize) -> Option<ServerEntry> {
    let member = |name| document.member(entry, name);
    let word = |name| member(name).and_then(|place| document.text_span(place));
    let url = word("httpUrl").or_else(|| word("url"));
    let way = match (member("command"), url) {
        (Some(command), _) => program(document, command, member("args")),
        (None, Some(url)) => {
            let is_stream = ["type", "transport"]
                .iter()
                .all(|name| word(name).is_none_or(|word| word.text != "sse"));
            let headers = HEADERS.iter().filter_map(|name| member(name));
            let headers = headers.flat_map(|headers| document.members(headers));
            let headers = headers.map(|(name, _)| name.clone());
            let bearer = member(BEARER).map(|_| "Authorization".to_owned());
            let table = HEADERS[..2].iter().find_map(|name| member(name));
            ServerTransport::Address {
                url,
                headers: headers.chain(bearer).collect(),
                header_table: table.map(|table| header_table(document, table)),
                is_stream,
            }
        }
        (None, None) => return None,
    };
    let is_inline = document.raw(&document.node(entry).span).starts_with('{');
    let hidden = HEADERS.iter().chain(&VARIABLES).filter_map(|name| member(name));
    let hidden = hidden.flat_map(|table| document.members(table));
    let hidden = hidden.filter_map(|(_, place)| document.text_span(*place)).map(|word| word.span);
    Some(ServerEntry { path, is_inline, way, hidden: hidden.collect() })
}

fn header_table(document: &SettingsDocument<'_>, table: usize) -> HeaderTable {
    let token = document.member(table, CLIENT_TOKEN);
    HeaderTable {
        span: document.node(table).span.clone(),
        is_empty: document.members(table).is_empty(),
        token: token.map(|token| document.node(token).span.clone()),
    }
}

fn program(
    document: &SettingsDocument<'_>,
    command: usize,
    args: Option<usize>,
) -> ServerTransport {
    if let Some(words) = document.text_spans(command) {
        return if words.is_empty() {
            ServerTransport::Unknown
        } else {
            ServerTransport::List(words)
        };
    }
    let Some(command) = document.text_span(command) else { return ServerTransport::Unknown };
    let Some(place) = args else { return ServerTransport::Program { command, args: None } };
    let span = document.node(place).span.clone();
    match (&document.node(place).value, document.text_spans(place)) {
        (NodeValue::List(_), Some(words)) => {
            ServerTransport::Program { command, args: Some(ProgramArgs { span, words }) }
        }
        _ => ServerTransport::Unknown,
    }
}
