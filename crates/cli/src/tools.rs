//! `tokenforge tools`: unused tools, switched off in an agent's own settings, and on again.

mod list;
mod switch;

use crate::client_file::{
    ChangeConsent, ClientFile, FileChange, FileNotation, PriorState, carry_out, carry_out_as_json,
};
use crate::{data, init, mcp, output, values};
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use std::collections::BTreeSet;
use std::path::PathBuf;
use switch::SwitchTarget;
use tokenforge_agents::{Agent, ToolSwitch, ToolSwitches};

/// Whose notes are kept beside an agent's settings.
const NOTES: &str = "tools-";

const EXAMPLES: &str = "\
Examples:
  tokenforge tools list
  tokenforge tools disable mcp__files__write --dry-run
  tokenforge tools disable --server files --agent codex
  tokenforge tools enable mcp__files__write";

/// Find tools that are never called, and switch them off
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    command: ToolsCommand,
}

#[derive(Subcommand)]
enum ToolsCommand {
    /// List tools that were declared and never called, and those that are off
    List(list::ToolListArgs),
    /// Switch tools off in the agent's own settings
    #[command(after_help = EXAMPLES)]
    Disable(ToolSwitchArgs),
    /// Switch tools on again
    #[command(after_help = EXAMPLES)]
    Enable(ToolSwitchArgs),
}

#[derive(Args)]
struct ToolSwitchArgs {
    /// Tools, as `tools list` names them; with --server, tool servers
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,

    /// Whose they are [default: the agent that declared them, as the ledger says]
    #[arg(long, value_name = "AGENT", value_parser = values::SuggestingParser(agent_names))]
    agent: Option<std::ffi::OsString>,

    /// The names are those of tool servers: all their tools are meant
    #[arg(long)]
    server: bool,

    #[command(flatten)]
    consent: ChangeConsent,

    /// Print {"changed", "files": [{"file", "diff"}]}; needs --yes or --dry-run
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ToolsArgs) -> anyhow::Result<()> {
    match &arguments.command {
        ToolsCommand::List(arguments) => list::run(arguments),
        ToolsCommand::Disable(arguments) => arguments.disable(),
        ToolsCommand::Enable(arguments) => arguments.enable(),
    }
}

/// The agents that have such a setting.
fn agent_names() -> Vec<&'static str> {
    switchable().map(|(agent, _)| agent.id.as_str()).collect()
}

fn switchable() -> impl Iterator<Item = (&'static Agent, &'static ToolSwitches)> {
    let all = tokenforge_agents::all().iter();
    all.filter_map(|agent| Some((agent, agent.tool_switches.as_ref()?)))
}

/// The settings of an agent: the first file that is there, else the first.
fn settings_file(switches: &ToolSwitches) -> anyhow::Result<ClientFile> {
    let files: Vec<PathBuf> =
        switches.files.iter().filter_map(|file| file.resolve(&data::set)).collect();
    let there = files.iter().find(|file| file.is_file());
    let place = there.or(files.first()).context("there is no home folder: set HOME")?;
    Ok(ClientFile::find(place)?.with_notes(NOTES))
}

impl ToolSwitchArgs {
    fn disable(&self) -> anyhow::Result<()> {
        let (agent, switches) = self.agent()?;
        let file = settings_file(switches)?;
        let name = file.name.display().to_string();
        let notation = FileNotation::of(&file.name);
        let targets = self.targets(agent, switches)?;
        let old = match notation {
            FileNotation::Json if !file.is_there() => "{}\n",
            _ => &file.text,
        };
        let new = self.switched_off(&targets, switches, old, notation).context(name.clone())?;
        if new == old {
            return self.say(&format!("nothing to change: {} off already in {name}", self.are()));
        }
        let before = state_before(&file, &targets, &new, notation)?;
        let undo = format!("tokenforge tools enable {}", self.words(agent));
        let done =
            format!("wrote {name}\nundo: {undo}\nnote: {} reads it when it starts", agent.name);
        self.carry_out(file, Some(new), Some(before), done)
    }

    fn enable(&self) -> anyhow::Result<()> {
        let (agent, switches) = self.agent()?;
        let file = settings_file(switches)?;
        let name = file.name.display().to_string();
        let notation = FileNotation::of(&file.name);
        if !file.is_there() {
            return self.say(&format!("nothing to change: there is no {name}"));
        }
        let before = file.prior_state()?;
        let new = switched_on(&self.targets(agent, switches)?, &file.text, notation, &before)
            .with_context(|| name.clone())?;
        if new == file.text {
            return self.say(&format!("nothing to change: {} not off in {name}", self.are()));
        }
        match before {
            Some(PriorState::Nothing { .. }) if is_empty(&new) => {
                let done = format!("removed {name}, which was made for this");
                self.carry_out(file, None, None, done)
            }
            Some(PriorState::Text(old)) if old == new => {
                self.carry_out(file, Some(new), None, format!("restored {name}, byte for byte"))
            }
            before => {
                let is_needed = has_more_off(&new, notation, switches, &before)?;
                let before = before.filter(|_| is_needed);
                self.carry_out(file, Some(new), before, format!("wrote {name}"))
            }
        }
    }

    fn switched_off(
        &self,
        targets: &[SwitchTarget],
        switches: &ToolSwitches,
        text: &str,
        notation: FileNotation,
    ) -> anyhow::Result<String> {
        if let Some(key) = switches.overruled_by.as_ref().filter(|_| !self.server) {
            switch::check_not_overruled(text, notation, key)?;
        }
        let off = |text: String, target: &SwitchTarget| target.switch_off(&text, notation);
        targets.iter().try_fold(text.to_owned(), off)
    }

    /// What is to be switched, or why that is not possible.
    fn targets(&self, agent: &Agent, switches: &ToolSwitches) -> anyhow::Result<Vec<SwitchTarget>> {
        self.names.iter().map(|name| self.target(agent, switches, name)).collect()
    }

    fn target(
        &self,
        agent: &Agent,
        switches: &ToolSwitches,
        name: &str,
    ) -> anyhow::Result<SwitchTarget> {
        let found = |switch: &Option<ToolSwitch>, server: &str, tool: &str, what: &str| {
            let switch = switch.as_ref().with_context(|| {
                format!("{} documents no setting that switches off {what}", agent.name)
            })?;
            Ok(SwitchTarget::new(switch, name, server, tool))
        };
        if self.server {
            return found(&switches.server, name, "", "a tool server");
        }
        match agent.mcp_tool_name.as_ref().and_then(|pattern| pattern.split(name)) {
            Some((server, tool)) => {
                found(&switches.server_tool, server, tool, "a single tool of a server")
            }
            None => found(&switches.tool, "", "", "a tool of its own"),
        }
    }

    /// The agent that is named, or else the one that declared these tools.
    fn agent(&self) -> anyhow::Result<(&'static Agent, &'static ToolSwitches)> {
        let all = || agent_names().join(", ");
        let named = match &self.agent {
            Some(agent) => agent.to_string_lossy().into_owned(),
            None => list::declaring_agent(&self.names, self.server)?.with_context(|| {
                format!(
                    "which agent? The ledger has no single one that declared this; add --agent: {}",
                    all()
                )
            })?,
        };
        if let Some(found) = switchable().find(|(agent, _)| agent.id == named) {
            return Ok(found);
        }
        match tokenforge_agents::find(&named) {
            Some(agent) => bail!(
                "{} documents no setting that switches tools off; these agents do: {}",
                agent.name,
                all()
            ),
            None => bail!("`{named}` is none of {}", all()),
        }
    }

    fn carry_out(
        &self,
        file: ClientFile,
        new: Option<String>,
        before: Option<PriorState>,
        done: String,
    ) -> anyhow::Result<()> {
        let name = file.name.display().to_string();
        let (old, after) = (&file.text, new.as_deref().unwrap_or_default());
        let diff = masked_diff(&name, old, after, FileNotation::of(&file.name));
        let change = FileChange { file, diff, new, before, done };
        if self.json {
            carry_out_as_json(&[change], self.consent)
        } else {
            carry_out(&[change], self.consent)
        }
    }

    /// Says why there is nothing to do.
    fn say(&self, why: &str) -> anyhow::Result<()> {
        if self.json { carry_out_as_json(&[], self.consent) } else { Ok(output::print(why)?) }
    }

    /// The names, as a sentence has them.
    fn are(&self) -> String {
        let verb = if self.names.len() == 1 { "is" } else { "are" };
        format!("{} {verb}", output::printable(&self.names.join(", ")))
    }

    /// The arguments that mean the same.
    fn words(&self, agent: &Agent) -> String {
        let server = if self.server { " --server" } else { "" };
        format!("{}{server} --agent {}", output::printable(&self.names.join(" ")), agent.id)
    }
}

/// How the file was before us: as it is kept beside it, if with that every byte comes back, else as it is now.
fn state_before(
    file: &ClientFile,
    targets: &[SwitchTarget],
    new: &str,
    notation: FileNotation,
) -> anyhow::Result<PriorState> {
    let comes_back = |before: &PriorState| {
        let back = switched_on(targets, new, notation, &Some(before.clone()));
        back.is_ok_and(|back| back == file.text || (!file.is_there() && is_empty(&back)))
    };
    let states = [file.prior_state()?, Some(file.current_state())];
    let before = states.into_iter().flatten().find(comes_back);
    before.context("this could not be undone byte for byte, so nothing was changed")
}

/// Settings with these on again.
fn switched_on(
    targets: &[SwitchTarget],
    text: &str,
    notation: FileNotation,
    before: &Option<PriorState>,
) -> anyhow::Result<String> {
    let old = match before {
        Some(PriorState::Text(old)) => Some(old.as_str()),
        Some(PriorState::Nothing { .. }) => Some("{}"),
        None => None,
    };
    let mut text = text.to_owned();
    for target in targets {
        if let Some(on) = target.switch_on(&text, notation, old)? {
            text = on;
        }
    }
    Ok(text)
}

/// Is anything off that was on before? Else what is kept of how it was is of no use any more.
fn has_more_off(
    text: &str,
    notation: FileNotation,
    switches: &ToolSwitches,
    before: &Option<PriorState>,
) -> anyhow::Result<bool> {
    let off = switch::off_names(text, notation, switches)?;
    let old = match before {
        Some(PriorState::Text(old)) => switch::off_names(old, notation, switches)?,
        _ => BTreeSet::new(),
    };
    Ok(!off.is_subset(&old))
}

/// Are these settings that say nothing?
fn is_empty(text: &str) -> bool {
    matches!(text.trim(), "" | "{}")
}

/// A diff with the secrets masked.
fn masked_diff(name: &str, old: &str, new: &str, notation: FileNotation) -> String {
    let mask = |text: &str| match notation {
        FileNotation::Json => init::mask_settings(text),
        FileNotation::Toml => text.to_owned(),
    };
    mcp::masked_diff(name, &mask(old), &mask(new), notation)
}
