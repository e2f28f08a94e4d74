//! The laws of wrapping, on files of all layouts.

use super::rewrite::{
    GatewayBackend, RewrittenFile, ServerOutcome, WrapContext, unwrap_servers, wrap_servers,
};
use super::servers::{ProgramArgs, ServerTransport, servers};
use crate::client_file::{FileNotation, SettingsDocument, TextSpan};
use proptest::prelude::*;

fn context() -> WrapContext {
    let backend = |prefix: &str, url: &str, headers: &[&str]| GatewayBackend {
        prefix: prefix.to_owned(),
        url: url.parse().unwrap(),
        headers: headers.iter().map(ToString::to_string).collect(),
    };
    WrapContext {
        program: "/opt/token forge/tokenforge".to_owned(),
        gateway: "http://127.0.0.1:8787".to_owned(),
        asks_for_key: false,
        client_token: None,
        backends: vec![
            backend("tickets", "https://tickets.example/mcp", &["authorization"]),
            backend("plain", "https://plain.example/mcp", &[]),
        ],
    }
}

fn wrap(text: &str, notation: FileNotation) -> RewrittenFile {
    wrap_servers(text, notation, &context()).unwrap()
}

fn unwrap(text: &str, notation: FileNotation, backup: Option<&str>) -> String {
    unwrap_servers(text, notation, backup, &context()).unwrap().text
}

fn outcome<'r>(rewritten: &'r RewrittenFile, name: &str) -> &'r ServerOutcome {
    &rewritten.servers.iter().find(|(server, _)| server == name).unwrap().1
}

/// What each server would start or ask.
fn ways(text: &str, notation: FileNotation) -> Vec<Vec<String>> {
    let texts = |words: &[TextSpan]| words.iter().map(|word| word.text.clone()).collect();
    let way = |way: ServerTransport| match way {
        ServerTransport::Program { command, args } => {
            let args: Vec<String> =
                args.map_or(Vec::new(), |ProgramArgs { words, .. }| texts(&words));
            [vec![command.text], args].concat()
        }
        ServerTransport::List(words) => texts(&words),
        ServerTransport::Address { url, .. } => vec![url.text],
        ServerTransport::Unknown => Vec::new(),
    };
    let document = SettingsDocument::read(text, notation).unwrap();
    servers(&document).into_iter().map(|server| way(server.way)).collect()
}

#[test]
fn only_the_values_that_change_are_replaced() {
    let file = r#"{
  // my servers
  "mcpServers": {
    "files": { "args": [ "-y", /* why not */ "server", ], "command": "npx", "env": {"K": "v"} },
    "bare": {"command": "serve"},
    "none": {"command": "serve", "args": []},
    "plain": {"type": "http", "url": "https://plain.example/mcp"}, // over HTTP
  },
  "theme": "dark"
}
"#;
    let new = wrap(file, FileNotation::Json);
    assert_eq!(
        new.text,
        r#"{
  // my servers
  "mcpServers": {
    "files": { "args": [ "mcp", "stdio", "--", "npx", "-y", /* why not */ "server", ], "command": "/opt/token forge/tokenforge", "env": {"K": "v"} },
    "bare": {"command": "/opt/token forge/tokenforge", "args": ["mcp", "stdio", "--no-expand-tool", "--", "serve"]},
    "none": {"command": "/opt/token forge/tokenforge", "args": ["mcp", "stdio", "--no-expand-tool", "--", "serve"]},
    "plain": {"type": "http", "url": "http://127.0.0.1:8787/mcp/plain"}, // over HTTP
  },
  "theme": "dark"
}
"#
    );
    assert!(new.servers.iter().all(|(_, outcome)| *outcome == ServerOutcome::Changed));
    assert_eq!(unwrap(&new.text, FileNotation::Json, Some(file)), file);
}

#[test]
fn d58_one_server_of_a_list_offers_the_tool_that_expands() {
    let list = r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}"#;
    let file = format!(r#"{{"projects": {{"/one": {list}, "/two": {list}}}}}"#);
    let quiet = |text: &str| -> Vec<bool> {
        let ways = ways(text, FileNotation::Json);
        ways.iter().map(|way| way.iter().any(|word| word == "--no-expand-tool")).collect()
    };
    let once = wrap(&file, FileNotation::Json).text;
    assert_eq!(quiet(&once), [false, true, false, true]);
    assert_eq!(unwrap(&once, FileNotation::Json, Some(&file)), file);
    // A server that is added later, before the others.
    let later = once.replacen(r#"{"a""#, r#"{"new": {"command": "z"}, "a""#, 1);
    assert_eq!(quiet(&wrap(&later, FileNotation::Json).text), [true, false, true, false, true]);
    // The one that offered it is gone.
    let gone = r#"{"mcpServers": {"b": {"command": "tokenforge", "args": ["mcp", "stdio", "--no-expand-tool", "--", "y"]}, "c": {"command": "z"}}}"#;
    assert_eq!(quiet(&wrap(gone, FileNotation::Json).text), [true, false]);
}

#[test]
fn every_client_s_way_of_naming_servers_is_known() {
    let entry = r#"{"command": "npx", "args": ["x"]}"#;
    for file in [
        format!(r#"{{"mcpServers": {{"a": {entry}}}}}"#),
        format!(r#"{{"projects": {{"/home/me": {{"mcpServers": {{"a": {entry}}}}}}}}}"#),
        format!(r#"{{"servers": {{"a": {entry}}}, "inputs": []}}"#),
        format!(r#"{{"mcp": {{"servers": {{"a": {entry}}}}}}}"#),
        r#"{"mcp": {"a": {"type": "local", "command": ["npx", "x"], "enabled": true}}}"#.to_owned(),
    ] {
        let new = wrap(&file, FileNotation::Json);
        let program = context().program;
        let expected = [&program, "mcp", "stdio", "--", "npx", "x"].map(str::to_owned);
        assert_eq!(ways(&new.text, FileNotation::Json), [expected], "{file}");
        assert_eq!(unwrap(&new.text, FileNotation::Json, None), file);
    }
}

#[test]
fn an_address_goes_through_the_gateway_only_if_that_works() {
    let left = |entry: &str, context: &WrapContext| {
        let file = format!(r#"{{"mcpServers": {{"a": {entry}}}}}"#);
        let new = wrap_servers(&file, FileNotation::Json, context).unwrap();
        match outcome(&new, "a") {
            ServerOutcome::Changed => String::new(),
            ServerOutcome::Left(why) => why.clone(),
        }
    };
    let tickets =
        r#"{"httpUrl": "https://tickets.example/mcp", "headers": {"Authorization": "x"}}"#;
    assert_eq!(left(tickets, &context()), "");
    let strict = WrapContext { asks_for_key: true, ..context() };
    assert!(left(tickets, &strict).contains("asks for a key"));
    for (entry, why) in [
        (r#"{"url": "https://other.example/mcp"}"#, "no server with this address"),
        (r#"{"url": "https://plain.example/mcp", "type": "sse"}"#, "SSE"),
        (r#"{"url": "https://plain.example/mcp", "headers": {"X-Team": "a"}}"#, "header X-Team"),
        (r#"{"url": "http://127.0.0.1:8787/mcp/a"}"#, "already"),
        (r#"{"command": 7}"#, "not understood"),
        (r#"{"command": "a", "args": [1]}"#, "not understood"),
    ] {
        assert!(left(entry, &context()).contains(why), "{entry}");
    }
}

#[test]
fn g65_the_client_token_goes_in_with_the_address_and_out_again() {
    let context = WrapContext { client_token: Some("a-token".to_owned()), ..context() };
    let shown = r#""headers": {"X-Forge-Token": "a-token"#;
    for (notation, file, expected) in [
        (
            FileNotation::Json,
            r#"{"mcpServers": {"plain": {"url": "https://plain.example/mcp"}}}"#,
            format!(r#""http://127.0.0.1:8787/mcp/plain", {shown}"}}"#),
        ),
        (
            FileNotation::Json,
            r#"{"mcpServers": {"t": {"url": "https://tickets.example/mcp", "headers": {"Authorization": "x"}}}}"#,
            format!(r#""http://127.0.0.1:8787/mcp/tickets", {shown}", "Authorization": "x"}}"#),
        ),
        (
            FileNotation::Json,
            r#"{"mcpServers": {"plain": {"headers": {}, "url": "https://plain.example/mcp"}}}"#,
            format!(r#"{{{shown}"}}, "url": "http://127.0.0.1:8787/mcp/plain""#),
        ),
        (
            FileNotation::Json,
            r#"{"mcpServers": {"plain": {"url": "https://plain.example/mcp", "headers": {}}}}"#,
            format!(r#""http://127.0.0.1:8787/mcp/plain", {shown}"}}"#),
        ),
        (
            FileNotation::Toml,
            "[mcp_servers.plain]\n  url = \"https://plain.example/mcp\" # mine\n",
            "/mcp/plain\"\n  http_headers = {\"X-Forge-Token\" = \"a-token\"} # mine\n".to_owned(),
        ),
    ] {
        let new = wrap_servers(file, notation, &context).unwrap().text;
        assert!(new.contains(&expected), "{new}");
        // Wherever it is undone, and with whichever token.
        for token in [None, Some("another".to_owned())] {
            let context = WrapContext { client_token: token, ..context.clone() };
            let back = unwrap_servers(&new, notation, Some(file), &context).unwrap().text;
            assert_eq!(back, file);
        }
        let again = wrap_servers(&new, notation, &context).unwrap().text;
        assert_eq!(again, new, "nothing is wrapped twice");
    }
}

#[test]
fn options_that_were_added_by_hand_are_undone_too() {
    let file = r#"{"mcpServers": {"a": {"command": "/usr/bin/tokenforge", "args": ["mcp", "stdio", "--format", "toon", "--", "npx", "-y"]}}}"#;
    assert_eq!(
        outcome(&wrap(file, FileNotation::Json), "a"),
        &ServerOutcome::Left("it is behind Tokenforge already".into())
    );
    let plain = r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y"]}}}"#;
    assert_eq!(unwrap(file, FileNotation::Json, None), plain);
}

#[test]
fn codex_s_file_keeps_its_comments_and_tables() {
    let file = "model = \"gpt\" # mine\n\n[mcp_servers.files]\ncommand = 'npx' # here\nargs = [\n  \"-y\", # yes\n]\n\
                [mcp_servers.files.env]\nKEY = \"v\"\n\n[mcp_servers.bare]\n  command = \"serve\"\n\n\
                [mcp_servers]\ninline = { command = \"serve\" }\n";
    let new = wrap(file, FileNotation::Toml);
    assert!(
        new.text.contains("command = \"/opt/token forge/tokenforge\" # here\n"),
        "{}",
        new.text
    );
    assert!(
        new.text
            .contains("  \"mcp\", \"stdio\", \"--no-expand-tool\", \"--\", 'npx', \"-y\", # yes\n"),
        "{}",
        new.text
    );
    assert!(
        new.text.contains("\n  args = [\"mcp\", \"stdio\", \"--\", \"serve\"]\n"),
        "{}",
        new.text
    );
    assert_eq!(wrap(&new.text, FileNotation::Toml).text, new.text);
    assert_eq!(unwrap(&new.text, FileNotation::Toml, Some(file)), file);
    let windows = file.replace('\n', "\r\n");
    let new = wrap(&windows, FileNotation::Toml);
    assert_eq!(unwrap(&new.text, FileNotation::Toml, Some(&windows)), windows);
    let dotted = "mcp_servers.a.command = \"serve\"\n";
    assert!(matches!(outcome(&wrap(dotted, FileNotation::Toml), "a"), ServerOutcome::Left(_)));
}

/// A text in quotes, as files spell them.
fn word() -> impl Strategy<Value = String> {
    let spellings = [
        r#""npx""#,
        r#""-y""#,
        r#""a\"b""#,
        r#""\u00e9é""#,
        r#""//""#,
        r#""/* x */""#,
        r#""C:\\x""#,
        r#""""#,
        r#""--""#,
        r#""tokenforge""#,
        r#""\ud800""#,
        r#""mcp""#,
        r#""stdio""#,
    ];
    prop::sample::select(spellings.to_vec()).prop_map(str::to_owned)
}

/// The pieces of a server's entry.
fn entry() -> impl Strategy<Value = Vec<String>> {
    let list = |words: Vec<String>| {
        let mut pieces = vec!["[".to_owned()];
        for word in words {
            pieces.extend([word, ",".to_owned()]);
        }
        if pieces.len() > 1 {
            pieces.pop();
        }
        pieces.push("]".to_owned());
        pieces
    };
    let object = |members: Vec<(&str, Vec<String>)>| {
        let mut pieces = vec!["{".to_owned()];
        for (key, value) in members {
            pieces.extend([format!("\"{key}\""), ":".to_owned()]);
            pieces.extend(value);
            pieces.push(",".to_owned());
        }
        if pieces.len() > 1 {
            pieces.pop();
        }
        pieces.push("}".to_owned());
        pieces
    };
    let program = (word(), prop::option::of(prop::collection::vec(word(), 0..4)), any::<bool>());
    prop_oneof![
        4 => program.prop_map(move |(command, args, is_first)| {
            let mut members = vec![("command", vec![command]), ("env", vec!["null".to_owned()])];
            if let Some(args) = args {
                members.insert(if is_first { 0 } else { 2 }, ("args", list(args)));
            }
            object(members)
        }),
        2 => prop::collection::vec(word(), 0..4).prop_map(move |words| object(vec![("command", list(words))])),
        1 => prop::sample::select(vec!["https://plain.example/mcp", "https://other.example", "http://127.0.0.1:8787/mcp/x"])
            .prop_map(move |url| object(vec![("url", vec![format!("\"{url}\"")])])),
        1 => Just(vec!["-1.5e3".to_owned()]),
    ]
}

/// A file in any layout.
fn file() -> impl Strategy<Value = String> {
    let noise = prop::sample::select(vec![
        "",
        "",
        " ",
        "\n",
        "\t",
        "\r\n  ",
        " /* \"{ */ ",
        "// [,\n",
        "/**/",
    ]);
    let place = prop::sample::select(vec!["mcpServers", "servers", "mcp"]);
    let commas = any::<bool>();
    (place, prop::collection::vec(entry(), 0..4), prop::collection::vec(noise, 64), commas)
        .prop_map(|(place, entries, noise, has_last_comma)| {
            let mut pieces: Vec<String> =
                ["{", "\"x\"", ":", "[", "]", ","].map(str::to_owned).into();
            pieces.extend([format!("\"{place}\""), ":".to_owned(), "{".to_owned()]);
            let last = entries.len();
            for (index, entry) in entries.into_iter().enumerate() {
                pieces.extend([format!("\"s{index}\""), ":".to_owned()]);
                pieces.extend(entry);
                if index + 1 < last || has_last_comma {
                    pieces.push(",".to_owned());
                }
            }
            pieces.extend(["}".to_owned(), "}".to_owned()]);
            let noise = noise.iter().cycle();
            pieces.iter().zip(noise).map(|(piece, noise)| format!("{noise}{piece}")).collect()
        })
}

proptest! {
    #[test]
    fn a_wrapped_file_is_unwrapped_to_the_same_bytes(file in file()) {
        let json = FileNotation::Json;
        let before = unwrap(&file, json, None);
        let new = wrap(&file, json);
        prop_assert_eq!(unwrap(&new.text, json, Some(&before)), before);
    }

    #[test]
    fn l6_nothing_is_wrapped_twice(file in file()) {
        let once = wrap(&file, FileNotation::Json).text;
        let twice = wrap(&once, FileNotation::Json);
        prop_assert_eq!(&twice.text, &once);
        prop_assert!(twice.servers.iter().all(|(_, outcome)| *outcome != ServerOutcome::Changed));
    }

    #[test]
    fn a_wrapped_server_starts_what_it_started_before(file in file()) {
        let json = FileNotation::Json;
        let new = wrap(&file, json);
        let filter = [context().program.as_str(), "mcp", "stdio", "--"].map(str::to_owned);
        let pairs = ways(&file, json).into_iter().zip(ways(&new.text, json));
        for ((old, new), (name, outcome)) in pairs.zip(&new.servers) {
            match outcome {
                ServerOutcome::Left(_) => prop_assert_eq!(old, new),
                ServerOutcome::Changed if old.len() == 1 && old[0].starts_with("https:") => {
                    prop_assert_eq!(new, ["http://127.0.0.1:8787/mcp/plain"], "{}", name);
                }
                ServerOutcome::Changed => {
                    let new: Vec<_> = new.into_iter().filter(|it| it != "--no-expand-tool").collect();
                    prop_assert_eq!(new, [&filter[..], &old[..]].concat());
                }
            }
        }
    }

    #[test]
    fn what_was_changed_since_stays_changed(file in file()) {
        let json = FileNotation::Json;
        let before = unwrap(&file, json, None);
        let edit = |text: &str| text.replacen("\"x\"", "\"later\": true, \"x\"", 1);
        let edited = edit(&wrap(&file, json).text);
        prop_assert_eq!(unwrap(&edited, json, Some(&before)), edit(&before));
    }
}
