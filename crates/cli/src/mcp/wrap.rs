//! `tokenforge mcp wrap` and `unwrap`: the servers in a client's file behind Tokenforge, and back.

mod clients;
mod diff;
mod rewrite;
mod servers;
#[cfg(test)]
mod tests;

use super::backends::BackendDefinitions;
use crate::client_file::{
    ChangeConsent, ClientFile, FileChange, FileNotation, PriorState, carry_out, carry_out_as_json,
};
use crate::gateway::is_local;
use crate::output::{self, printable};
use crate::{data, screen, values};
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
pub(crate) use clients::client_names;
pub(crate) use diff::diff as masked_diff;
use rewrite::{GatewayBackend, RewrittenFile, ServerOutcome, WrapContext};
use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tokenforge_config::McpTarget;
use tokenforge_gateway::draw_token;

pub(super) const EXAMPLES: &str = "\
Examples:
  tokenforge mcp wrap claude --dry-run
  tokenforge mcp wrap .mcp.json --yes
  tokenforge mcp unwrap claude

Programs are then started by `tokenforge mcp stdio -- PROGRAM`. A server with an address goes through the gateway \
if the gateway has it too (`tokenforge mcp add NAME --url URL`); otherwise it stays as it is. Comments and layout \
stay. The file as it was is kept beside it, as FILE.tokenforge-backup.";

#[derive(Args)]
pub(super) struct McpWrapArgs {
    /// An agent, or a settings file that names tool servers
    #[arg(value_name = "AGENT or FILE", value_parser = values::SuggestingParser(client_names))]
    #[arg(value_hint = ValueHint::FilePath)]
    whose: OsString,

    #[command(flatten)]
    consent: ChangeConsent,

    /// Print {"changed", "files": [{"file", "diff"}]}; needs --yes or --dry-run
    #[arg(long)]
    json: bool,

    /// The gateway for servers that have an address [default: what the settings say]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    gateway: Option<String>,

    /// The settings file [default: tokenforge.yaml in the settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

pub(super) fn wrap(arguments: &McpWrapArgs) -> anyhow::Result<()> {
    let context = arguments.wrap_context()?;
    arguments.carry_out(|file, notation| {
        // Behind what was put there before, the file as it would be without.
        let before =
            rewrite::unwrap_servers(&file.text, notation, file.backup()?.as_deref(), &context)?;
        let RewrittenFile { text, servers } =
            rewrite::wrap_servers(&file.text, notation, &context)?;
        let back = rewrite::unwrap_servers(&text, notation, Some(&before.text), &context)?;
        if back.text != before.text {
            bail!("this could not be undone byte for byte, so nothing was changed");
        }
        arguments.say(&file.name, &servers, "goes behind Tokenforge", "no tool server")?;
        let done = format!(
            "wrote {}; the old version is {}",
            file.name.display(),
            file.backup_path().display()
        );
        Ok((text, Some(before.text), done))
    })
}

pub(super) fn unwrap(arguments: &McpWrapArgs) -> anyhow::Result<()> {
    let context = arguments.wrap_context()?;
    arguments.carry_out(|file, notation| {
        let backup = file.backup()?;
        let RewrittenFile { text, servers } =
            rewrite::unwrap_servers(&file.text, notation, backup.as_deref(), &context)?;
        let none = "no tool server behind Tokenforge";
        arguments.say(&file.name, &servers, "goes back to what it was", none)?;
        let name = file.name.display();
        let left = servers.iter().any(|(_, outcome)| *outcome != ServerOutcome::Changed);
        Ok(match backup {
            Some(backup) if backup == text && !left => {
                (text, None, format!("restored {name}, byte for byte"))
            }
            None => (text, None, format!("wrote {name}")),
            backup => {
                let kept = file.backup_path();
                let done = format!(
                    "{name} was edited since it was wrapped: only the entries above were undone; the version before is {}",
                    kept.display()
                );
                (text, backup, done)
            }
        })
    })
}

impl McpWrapArgs {
    /// Plans every file, shows what would change, asks, and does it.
    fn carry_out(
        &self,
        plan: impl Fn(&ClientFile, FileNotation) -> anyhow::Result<(String, Option<String>, String)>,
    ) -> anyhow::Result<()> {
        let mut changes = Vec::new();
        for path in self.files()? {
            let file = ClientFile::read_if_there(&path)?;
            let notation = FileNotation::of(&path);
            let planned = plan(&file, notation);
            let (new, backup, done) = planned.with_context(|| path.display().to_string())?;
            if new == file.text {
                continue;
            }
            let diff = diff::diff(&path.display().to_string(), &file.text, &new, notation);
            let before = backup.map(PriorState::Text);
            changes.push(FileChange { file, diff, new: Some(new), before, done });
        }
        if self.json {
            carry_out_as_json(&changes, self.consent)
        } else {
            carry_out(&changes, self.consent)
        }
    }

    /// Says what becomes of each server.
    fn say(
        &self,
        name: &Path,
        servers: &[(String, ServerOutcome)],
        changed: &str,
        none: &str,
    ) -> anyhow::Result<()> {
        if self.json {
            return Ok(());
        }
        Ok(output::print(&account(name, servers, changed, none))?)
    }

    /// The files that are meant and there.
    fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let whose = self.whose.to_string_lossy();
        let Some(files) = clients::files(&whose, &data::set) else {
            let path = PathBuf::from(&self.whose);
            if !path.exists() {
                bail!("`{whose}` is neither a file nor one of {}", client_names().join(", "));
            }
            return Ok(vec![path]);
        };
        let there = existing_files(files.iter().cloned());
        if there.is_empty() {
            let looked: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
            bail!(
                "{whose} has no settings with tool servers: there is no {}",
                looked.join(" and no ")
            );
        }
        Ok(there)
    }

    fn wrap_context(&self) -> anyhow::Result<WrapContext> {
        read_wrap_context(self.gateway.as_deref(), self.config.as_deref())
    }
}

/// The files of all clients that have servers behind Tokenforge, and the names of these.
pub(crate) fn wrapped_files(config: Option<&Path>) -> anyhow::Result<Vec<(PathBuf, Vec<String>)>> {
    let context = read_wrap_context(None, config)?;
    let names = client_names().into_iter();
    let files = names.filter_map(|client| clients::files(client, &data::set)).flatten();
    let wrapped = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        let undone =
            rewrite::unwrap_servers(&text, FileNotation::of(&path), None, &context).ok()?;
        let changed = undone.servers.into_iter().filter(|(_, it)| *it == ServerOutcome::Changed);
        let servers: Vec<_> = changed.map(|(server, _)| server).collect();
        (!servers.is_empty()).then_some((path, servers))
    };
    Ok(existing_files(files).into_iter().filter_map(wrapped).collect())
}

/// Those files that are there, each once: in the user's own folder, the project's file is the user's.
fn existing_files(files: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    let is_new = |file: &PathBuf| {
        file.is_file() && fs::canonicalize(file).is_ok_and(|path| seen.insert(path))
    };
    files.filter(is_new).collect()
}

fn read_wrap_context(gateway: Option<&str>, config: Option<&Path>) -> anyhow::Result<WrapContext> {
    let program = env::current_exe().context("cannot find the path of this program")?;
    let program = program.to_str().context("the path of this program is not UTF-8")?;
    let definitions = BackendDefinitions::read(config)?;
    let backend = |(prefix, backend): (String, tokenforge_config::McpBackend)| {
        let McpTarget::Http { url, headers } = backend.target else { return None };
        let headers = headers.into_keys().collect();
        backend.enabled.then_some(GatewayBackend { prefix, url, headers })
    };
    let gateway = match gateway {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => definitions.gateway_url(),
    };
    // Linux says to which user a client belongs. A file of a project may be shared, so it gets a token only where it must.
    let needs_token = !cfg!(target_os = "linux") && is_local(&gateway);
    let client_token = if needs_token {
        Some(draw_token(&data::client_token_file()?).context("the client token")?)
    } else {
        None
    };
    Ok(WrapContext {
        program: program.to_owned(),
        gateway,
        asks_for_key: !definitions.settings.keys.is_empty(),
        client_token: client_token.map(|token| token.expose().to_owned()),
        backends: definitions.all().into_iter().filter_map(backend).collect(),
    })
}

/// What becomes of each server.
fn account(name: &Path, servers: &[(String, ServerOutcome)], changed: &str, none: &str) -> String {
    let mut lines = vec![name.display().to_string()];
    lines.extend(servers.iter().map(|(server, outcome)| match outcome {
        ServerOutcome::Changed => format!("  {}: {changed}", printable(server)),
        ServerOutcome::Left(why) => {
            screen::wrap_text(&format!("{}: left alone; {why}", printable(server)), "  ", "    ")
        }
    }));
    if servers.is_empty() {
        lines.push(format!("  {none}"));
    }
    lines.join("\n")
}
