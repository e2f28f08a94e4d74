//! `tokenforge mcp add`, `list` and `remove`: the tool servers of the gateway.

use super::backends::{Definitions, Found, Place, names, unknown};
use super::target::Target;
use crate::output;
use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value, json};

pub(super) const ADD_EXAMPLES: &str = "\
Examples:
  tokenforge mcp add files -- npx -y @modelcontextprotocol/server-filesystem /tmp
  tokenforge mcp add tickets --url https://mcp.example.com/mcp --header \"X-Key: $TICKETS_KEY\"
  tokenforge mcp add github --env GITHUB_TOKEN -- github-mcp-server stdio

A gateway that runs has the server at once, and keeps it. If none answers, the server goes into the \
file that the gateway reads at its next start.";

#[derive(Args)]
pub(super) struct Add {
    /// What its tools' names begin with: NAME__tool
    name: String,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    target: Target,
}

#[derive(Args)]
pub(super) struct List {
    #[command(flatten)]
    place: Place,

    /// Print {"gateway" or "file", "backends": [...]}
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Remove {
    /// The server
    name: String,

    #[command(flatten)]
    place: Place,
}

pub(super) async fn add(arguments: &Add) -> anyhow::Result<()> {
    let name = &arguments.name;
    let definition = arguments.target.definition()?;
    let definition = definition.context("which server? Name --url URL, or a program after --")?;
    if name == "stats" {
        bail!("`stats` is a path of the gateway's own; choose another name");
    }
    let what = format!("added {name}");
    match arguments.place.find().await? {
        Found::Running(gateway, backends) => {
            if names(&backends?).contains(&name.as_str()) {
                bail!("there is a tool server with the prefix `{name}` already");
            }
            let mut files = arguments.place.definitions()?;
            files.expect_file_of(&gateway).await?;
            files.add(name, &definition)?;
            let told = gateway.reload_servers().await;
            told.with_context(|| format!("{what} to {}, but", next_start(&files)))?;
            Ok(output::print(&format!("{what} to the gateway at {}", gateway.url))?)
        }
        Found::Files(mut files, why) => {
            files.add(name, &definition)?;
            Ok(output::print(&format!("{why}: {what} to {}", next_start(&files)))?)
        }
    }
}

pub(super) async fn list(arguments: &List) -> anyhow::Result<()> {
    let (whose, place, head, backends) = match arguments.place.find().await? {
        Found::Running(gateway, backends) => {
            let head = format!("the gateway at {} has", gateway.url);
            ("gateway", gateway.url, head, backends?)
        }
        Found::Files(files, why) => {
            let place = files.file().display().to_string();
            let head = format!("{why}: the settings and {place} have");
            ("file", place, head, files.shown())
        }
    };
    if arguments.json {
        return Ok(output::print(&json!({whose: place, "backends": backends}).to_string())?);
    }
    let rows = backends.iter().map(row).collect::<Vec<_>>();
    Ok(output::print(&table(&head, &rows))?)
}

pub(super) async fn remove(arguments: &Remove) -> anyhow::Result<()> {
    let name = &arguments.name;
    let what = format!("removed {name}");
    match arguments.place.find().await? {
        Found::Running(gateway, backends) => {
            let backends = backends?;
            let names = names(&backends);
            if !names.contains(&name.as_str()) {
                return Err(unknown(name, &names));
            }
            gateway.remove(name).await?;
            Ok(output::print(&format!("{what} from the gateway at {}", gateway.url))?)
        }
        Found::Files(mut files, why) => {
            let all = files.all();
            if !all.contains_key(name) {
                return Err(unknown(name, &all.keys().map(String::as_str).collect::<Vec<_>>()));
            }
            files.remove(name)?;
            Ok(output::print(&format!("{why}: {what} in {}", next_start(&files)))?)
        }
    }
}

fn next_start(files: &Definitions) -> String {
    format!("{}, which the gateway reads at its next start", files.file().display())
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
    let width = rows.iter().map(|[name, ..]| name.chars().count()).max().unwrap_or(0).max(4);
    let title = format!("{:width$}  {:8}  where", "name", "state");
    let line = |[name, state, place]: &[String; 3]| format!("{name:width$}  {state:8}  {place}");
    let lines = [format!("{head}:"), title].into_iter().chain(rows.iter().map(line));
    lines.collect::<Vec<_>>().join("\n")
}
