//! `tokenforge mcp add`, `list` and `remove`: the tool servers of the gateway.

use super::backends::{BackendDefinitions, BackendSource, GatewayOptions, names, unknown};
use super::target::CallTarget;
use crate::{output, screen};
use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};
use tokenforge_replay::columns::{TextColumn, TextTable};

pub(super) const ADD_EXAMPLES: &str = "\
Examples:
  tokenforge mcp add time -- uvx mcp-server-time
  tokenforge mcp add tickets --url https://mcp.example.com/mcp
  tokenforge mcp add github --env GITHUB_TOKEN -- github-mcp-server stdio

A running gateway has the server at once, and keeps it. If none answers, the server goes into the file \
that the gateway reads when it starts.";

#[derive(Args)]
pub(super) struct AddArgs {
    /// What its tools' names begin with: NAME__tool
    name: String,

    #[command(flatten)]
    gateway_options: GatewayOptions,

    #[command(flatten)]
    target: CallTarget,

    /// Print {"added", "gateway" or "file"}
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    gateway_options: GatewayOptions,

    /// Print {"gateway" or "file", "backends": [...]}
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct RemoveArgs {
    /// The server
    name: String,

    #[command(flatten)]
    gateway_options: GatewayOptions,

    /// Print {"removed", "gateway" or "file"}
    #[arg(long)]
    json: bool,
}

pub(super) async fn add(arguments: &AddArgs) -> anyhow::Result<()> {
    let name = &arguments.name;
    let definition = arguments.target.definition()?;
    let definition =
        definition.context("which server? Give its address with --url, or its program after --")?;
    if name == "stats" {
        bail!("`stats` is a path of the gateway's own; choose another name");
    }
    let what = format!("added {name}");
    match arguments.gateway_options.find_backends().await? {
        BackendSource::Running(gateway, backends) => {
            if names(&backends?).contains(&name.as_str()) {
                bail!("there is a tool server with the prefix `{name}` already");
            }
            let mut files = arguments.gateway_options.definitions()?;
            files.expect_file_of(&gateway).await?;
            files.add(name, &definition)?;
            let told = gateway.reload_servers().await;
            told.with_context(|| format!("{what} to {}, but", next_start(&files)))?;
            let says = format!("{what} to the gateway at {}", gateway.url);
            let document = json!({"added": name, "gateway": gateway.url});
            print(says, &document, arguments.json)
        }
        BackendSource::Files(mut files, why) => {
            files.add(name, &definition)?;
            let says = format!("{why}: {what} to {}", next_start(&files));
            print(says, &json!({"added": name, "file": files.file()}), arguments.json)
        }
    }
}

pub(super) async fn list(arguments: &ListArgs) -> anyhow::Result<()> {
    let (whose, place, head, backends) = match arguments.gateway_options.find_backends().await? {
        BackendSource::Running(gateway, backends) => {
            let head = format!("the gateway at {} has", gateway.url);
            ("gateway", gateway.url, head, backends?)
        }
        BackendSource::Files(files, why) => {
            let place = files.file().display().to_string();
            let head = format!("{why}: the settings and {place} have");
            ("file", place, head, files.listing())
        }
    };
    if arguments.json {
        return Ok(output::print(&json!({whose: place, "backends": backends}).to_string())?);
    }
    let rows = backends.iter().map(row).collect::<Vec<_>>();
    Ok(output::print(&table(&head, &rows))?)
}

pub(super) async fn remove(arguments: &RemoveArgs) -> anyhow::Result<()> {
    let name = &arguments.name;
    let what = format!("removed {name}");
    match arguments.gateway_options.find_backends().await? {
        BackendSource::Running(gateway, backends) => {
            let backends = backends?;
            let names = names(&backends);
            if !names.contains(&name.as_str()) {
                return Err(unknown(name, &names));
            }
            gateway.remove(name).await?;
            let says = format!("{what} from the gateway at {}", gateway.url);
            let document = json!({"removed": name, "gateway": gateway.url});
            print(says, &document, arguments.json)
        }
        BackendSource::Files(mut files, why) => {
            let all = files.all();
            if !all.contains_key(name) {
                return Err(unknown(name, &all.keys().map(String::as_str).collect::<Vec<_>>()));
            }
            files.remove(name)?;
            let says = format!("{why}: {what} in {}", next_start(&files));
            print(says, &json!({"removed": name, "file": files.file()}), arguments.json)
        }
    }
}

/// For a person, or for a program.
fn print(says: String, document: &Value, as_json: bool) -> anyhow::Result<()> {
    Ok(output::print(&if as_json { document.to_string() } else { says })?)
}

fn next_start(files: &BackendDefinitions) -> String {
    format!("{}, which the gateway reads when it starts", files.file().display())
}

/// A server in a line: its name, where it is, and whether it is used.
fn row(backend: &Value) -> [String; 3] {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let args = backend["args"].as_array().into_iter().flatten();
    let place = match backend["url"].as_str() {
        Some(url) => url.to_owned(),
        None => [text(&backend["command"])]
            .into_iter()
            .chain(args.map(text))
            .collect::<Vec<_>>()
            .join(" "),
    };
    let state = if backend["enabled"] == false { "disabled" } else { "enabled" };
    [text(&backend["prefix"]), state.to_owned(), place]
}

fn table(head: &str, rows: &[[String; 3]]) -> String {
    if rows.is_empty() {
        return format!("{head} no tool server; `tokenforge mcp add` adds one");
    }
    let mut table = TextTable::new(["name", "state", "where"].map(TextColumn::text));
    rows.iter().for_each(|row| table.row(row.clone()));
    format!("{}\n{}", screen::paragraph(&format!("{head}:")), screen::table(&table))
}
