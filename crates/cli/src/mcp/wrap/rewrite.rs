//! A client's file with its MCP servers behind Tokenforge, and back.
//!
//! What is added goes before what is there, so that taking it away leaves every byte as it was:
//!
//! ```text
//! {"command": "npx",         "args": [                               "-y", "server"]}
//! {"command": "/tokenforge", "args": ["mcp", "stdio", "--", "npx", "-y", "server"]}
//! ```

use super::servers::{HeaderTable, ProgramArgs, ServerEntry, ServerTransport, servers};
use crate::client_file::{
    FileNotation, SettingsDocument, TextEdits, TextSpan, UnreadableFile, quote_string,
};
use crate::gateway::CLIENT_TOKEN;
use http::Uri;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// What stands before the program of a server that is behind Tokenforge.
const FILTER: [&str; 3] = ["mcp", "stdio", "--"];

/// What is said to all programs but the first of a list, so that the model is offered one tool that expands, not one for
/// each server. It fetches what was left out by any of them.
const NO_EXPAND_TOOL: &str = "--no-expand-tool";

/// What servers are put behind.
#[derive(Debug, Clone)]
pub(super) struct WrapContext {
    /// This program, from anywhere.
    pub(super) program: String,
    /// Where the gateway listens.
    pub(super) gateway: String,
    /// Does it ask clients for a key?
    pub(super) asks_for_key: bool,
    /// What its tools ask for where the system does not say to which user a client belongs.
    pub(super) client_token: Option<String>,
    /// Its servers that have an address.
    pub(super) backends: Vec<GatewayBackend>,
}

/// A server of the gateway.
#[derive(Debug, Clone)]
pub(super) struct GatewayBackend {
    pub(super) prefix: String,
    pub(super) url: Uri,
    pub(super) headers: Vec<String>,
}

/// A file in other words.
#[derive(Debug)]
pub(super) struct RewrittenFile {
    pub(super) text: String,
    /// What became of each server.
    pub(super) servers: Vec<(String, ServerOutcome)>,
}

/// What became of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ServerOutcome {
    Changed,
    /// It is as it was, and why.
    Left(String),
}

/// The file with its servers behind Tokenforge.
pub(super) fn wrap_servers(
    text: &str,
    notation: FileNotation,
    context: &WrapContext,
) -> Result<RewrittenFile, UnreadableFile> {
    let document = SettingsDocument::read(text, notation)?;
    let mut edits = TextEdits::default();
    let all = servers(&document);
    // Lists of servers whose client is offered the tool that expands already.
    let offers = |server: &&ServerEntry| {
        is_program(server) && is_behind_us(server, context) && !says(server, NO_EXPAND_TOOL)
    };
    let mut offered: HashSet<&[String]> =
        all.iter().filter(offers).map(ServerEntry::list).collect();
    let wrap = |server| {
        let is_offered = offered.contains(ServerEntry::list(server));
        let outcome = match wrap(&document, server, is_offered, context, &mut edits) {
            Ok(()) => ServerOutcome::Changed,
            Err(why) => ServerOutcome::Left(why),
        };
        if outcome == ServerOutcome::Changed && is_program(server) {
            offered.insert(server.list());
        }
        (server.name(), outcome)
    };
    let servers = all.iter().map(wrap).collect();
    Ok(RewrittenFile { text: edits.apply_to(text), servers })
}

/// The file with its servers as they were. What is not in it any more is looked up in the `backup`: an address, or that
/// a program had no arguments.
pub(super) fn unwrap_servers(
    text: &str,
    notation: FileNotation,
    backup: Option<&str>,
    context: &WrapContext,
) -> Result<RewrittenFile, UnreadableFile> {
    let document = SettingsDocument::read(text, notation)?;
    let backup = backup.and_then(|text| SettingsDocument::read(text, notation).ok());
    let before = backup.as_ref().map(servers).unwrap_or_default();
    let before: HashMap<&[String], &ServerEntry> =
        before.iter().map(|server| (&server.path[..], server)).collect();
    let mut edits = TextEdits::default();
    let unwrap = |server: &ServerEntry| {
        let before = before.get(&server.path[..]).copied().zip(backup.as_ref());
        let outcome = unwrap(&document, server, before, context, &mut edits)?;
        Some((server.name(), outcome))
    };
    let servers = servers(&document).iter().filter_map(unwrap).collect();
    Ok(RewrittenFile { text: edits.apply_to(text), servers })
}

fn wrap(
    document: &SettingsDocument<'_>,
    server: &ServerEntry,
    is_offered: bool,
    context: &WrapContext,
    edits: &mut TextEdits,
) -> Result<(), String> {
    let before = |raw: &str| {
        let [mcp, stdio, end] = FILTER;
        let option = is_offered.then_some(NO_EXPAND_TOOL);
        let words = [mcp, stdio].into_iter().chain(option).chain([end]).map(quote_string);
        words.chain([raw.to_owned()]).collect::<Vec<_>>().join(", ")
    };
    if is_behind_us(server, context) {
        return Err("it is behind Tokenforge already".to_owned());
    }
    match &server.way {
        ServerTransport::Unknown => Err("how it is started is not understood".to_owned()),
        ServerTransport::Program { command, args } => {
            let inserted = before(document.raw(&command.span));
            let mut program = quote_string(&context.program);
            match args {
                Some(ProgramArgs { words, span }) => match words.first() {
                    Some(first) => {
                        let at = first.span.start;
                        edits.replace(at..at, format!("{inserted}, "));
                    }
                    None => edits.replace(span.start + 1..span.start + 1, inserted),
                },
                None => {
                    let joint = joint(document, server, command, "args").ok_or(
                        "it has no `args`, and they cannot be added the way it is written",
                    )?;
                    program += &format!("{joint}[{inserted}]");
                }
            }
            edits.replace(command.span.clone(), program);
            Ok(())
        }
        ServerTransport::List(words) => {
            let first = words.first().map_or(0, |word| word.span.start);
            let inserted = before("");
            edits.replace(first..first, format!("{}, {inserted}", quote_string(&context.program)));
            Ok(())
        }
        ServerTransport::Address { url, headers, header_table, is_stream } => {
            let backend = backend(url, headers, *is_stream, context)?;
            let mut address = quote_string(&address(context, &backend.prefix));
            if let Some(token) = &context.client_token {
                let member = token_member(document.notation, &quote_string(token));
                match header_table {
                    Some(HeaderTable { span, .. }) if !document.raw(span).starts_with('{') => {
                        return Err(
                            "a header cannot be added the way its headers are written".to_owned()
                        );
                    }
                    Some(HeaderTable { span, is_empty, .. }) => {
                        let end = if *is_empty { "" } else { ", " };
                        edits.replace(span.start + 1..span.start + 1, format!("{member}{end}"));
                    }
                    None => {
                        let joint = joint(document, server, url, header_key(document.notation));
                        let joint = joint.ok_or(
                            "it has no headers, and they cannot be added the way it is written",
                        )?;
                        address += &format!("{joint}{{{member}}}");
                    }
                }
            }
            edits.replace(url.span.clone(), address);
            Ok(())
        }
    }
}

/// `None`: it is not behind Tokenforge.
fn unwrap(
    document: &SettingsDocument<'_>,
    server: &ServerEntry,
    before: Option<(&ServerEntry, &SettingsDocument<'_>)>,
    context: &WrapContext,
    edits: &mut TextEdits,
) -> Option<ServerOutcome> {
    if !is_behind_us(server, context) {
        return None;
    }
    match &server.way {
        ServerTransport::Unknown => return None,
        ServerTransport::Program { command, args } => {
            let ProgramArgs { words, span } = args.as_ref()?;
            let first = words.first()?;
            let inner = &words[inner(words)?..];
            let (program, rest) = inner.split_first()?;
            edits.replace(command.span.clone(), document.raw(&program.span));
            let had_none = before.is_some_and(|(before, _)| {
                matches!(before.way, ServerTransport::Program { args: None, .. })
            });
            let joint = joint(document, server, command, "args");
            let is_added = joint.is_some_and(|joint| {
                document.text[command.span.end..].starts_with(&format!("{joint}["))
            });
            match rest.first() {
                Some(rest) => edits.replace(first.span.start..rest.span.start, ""),
                None if had_none && is_added => edits.replace(command.span.end..span.end, ""),
                None => edits.replace(first.span.start..program.span.end, ""),
            }
        }
        ServerTransport::List(words) => {
            let (first, rest) = words.split_first()?;
            let program = rest.get(inner(rest)?)?;
            edits.replace(first.span.start..program.span.start, "");
        }
        ServerTransport::Address { url, header_table, .. } => {
            let Some((
                ServerEntry {
                    way: ServerTransport::Address { url: old, header_table: old_table, .. },
                    ..
                },
                backup,
            )) = before
            else {
                let why = "its own address is not known: there is no backup that has it";
                return Some(ServerOutcome::Left(why.to_owned()));
            };
            edits.replace(url.span.clone(), backup.raw(&old.span));
            if let Some(table) = header_table {
                let is_added = old_table.is_none()
                    && joint(document, server, url, header_key(document.notation))
                        .is_some_and(|joint| document.text[url.span.end..].starts_with(&joint));
                remove_token(document, table, is_added.then_some(url.span.end), edits);
            }
        }
    }
    Some(ServerOutcome::Changed)
}

/// Takes the client token out of headers. `added_at`: where the headers were added for it, if they were.
fn remove_token(
    document: &SettingsDocument<'_>,
    table: &HeaderTable,
    added_at: Option<usize>,
    edits: &mut TextEdits,
) {
    let Some(token) = &table.token else { return };
    let member = token_member(document.notation, document.raw(token));
    let start = table.span.start + 1;
    if !document.text[start..].starts_with(&member) {
        return;
    }
    let rest = &document.text[start + member.len()..];
    match added_at {
        Some(added_at) if rest.starts_with('}') => edits.replace(added_at..table.span.end, ""),
        _ => {
            let separator = if rest.starts_with(", ") { 2 } else { 0 };
            edits.replace(start..start + member.len() + separator, "");
        }
    }
}

/// The header with the client token; `value` in quotes.
fn token_member(notation: FileNotation, value: &str) -> String {
    let is = match notation {
        FileNotation::Json => ": ",
        FileNotation::Toml => " = ",
    };
    format!("{}{is}{value}", quote_string(CLIENT_TOKEN))
}

/// What clients call the headers of a server.
fn header_key(notation: FileNotation) -> &'static str {
    match notation {
        FileNotation::Json => "headers",
        FileNotation::Toml => "http_headers",
    }
}

/// Is it behind Tokenforge?
fn is_behind_us(server: &ServerEntry, context: &WrapContext) -> bool {
    let is_us = |command: &str| {
        let name = Path::new(command).file_stem();
        command == context.program || name.is_some_and(|name| name == "tokenforge")
    };
    match &server.way {
        ServerTransport::Program { command, args: Some(ProgramArgs { words, .. }) } => {
            is_us(&command.text) && inner(words).is_some()
        }
        ServerTransport::List(words) => match &words[..] {
            [command, rest @ ..] => is_us(&command.text) && inner(rest).is_some(),
            [] => false,
        },
        ServerTransport::Address { url, .. } => url.text.starts_with(&address(context, "")),
        ServerTransport::Program { args: None, .. } | ServerTransport::Unknown => false,
    }
}

fn is_program(server: &ServerEntry) -> bool {
    matches!(server.way, ServerTransport::Program { .. } | ServerTransport::List(_))
}

/// Is this among the words that start it?
fn says(server: &ServerEntry, option: &str) -> bool {
    let words = match &server.way {
        ServerTransport::Program { args: Some(ProgramArgs { words, .. }), .. }
        | ServerTransport::List(words) => &words[..],
        _ => &[],
    };
    words.iter().take_while(|word| word.text != FILTER[2]).any(|word| word.text == option)
}

/// Where the server's own program is among the arguments of `tokenforge`.
fn inner(words: &[TextSpan]) -> Option<usize> {
    let [mcp, stdio, ..] = words else { return None };
    let is_filter = mcp.text == FILTER[0] && stdio.text == FILTER[1];
    let end = words.iter().position(|word| word.text == FILTER[2]).filter(|_| is_filter)?;
    words.get(end + 1).map(|_| end + 1)
}

/// What stands between a value of a server, its command or its address, and the member that is added behind it.
fn joint(
    document: &SettingsDocument<'_>,
    server: &ServerEntry,
    value: &TextSpan,
    added: &str,
) -> Option<String> {
    match document.notation {
        FileNotation::Json => Some(format!(", \"{added}\": ")),
        FileNotation::Toml if server.is_inline => Some(format!(", {added} = ")),
        FileNotation::Toml => {
            let before = &document.text[..value.span.start];
            let line = before.rsplit('\n').next().unwrap_or_default();
            let key = line.trim_start();
            let indent = &line[..line.len() - key.len()];
            // A longer key would have to be repeated.
            let key_of = key.trim_end().strip_suffix('=').map(str::trim);
            let is_plain = matches!(key_of, Some("command" | "url"));
            let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
            is_plain.then(|| format!("{end}{indent}{added} = "))
        }
    }
}

/// The server of the gateway that a client's entry means, or why there is none.
fn backend<'m>(
    url: &TextSpan,
    headers: &[String],
    is_stream: bool,
    context: &'m WrapContext,
) -> Result<&'m GatewayBackend, String> {
    if !is_stream {
        return Err("it speaks the old SSE transport, which the gateway does not".to_owned());
    }
    let same =
        |backend: &&GatewayBackend| url.text.parse::<Uri>().is_ok_and(|url| url == backend.url);
    let Some(backend) = context.backends.iter().find(same) else {
        return Err(
            "the gateway has no server with this address; `tokenforge mcp add NAME --url URL` adds it".to_owned()
        );
    };
    if context.asks_for_key {
        return Err("the gateway asks for a key, which this entry does not have".to_owned());
    }
    let has = |name: &String| backend.headers.iter().any(|own| own.eq_ignore_ascii_case(name));
    match headers.iter().find(|name| !has(name)) {
        Some(name) => {
            Err(format!("the gateway's `{}` does not send the header {name}", backend.prefix))
        }
        None => Ok(backend),
    }
}

/// Where the gateway has a server.
fn address(context: &WrapContext, prefix: &str) -> String {
    format!("{}/mcp/{prefix}", context.gateway)
}
