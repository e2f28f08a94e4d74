//! `tokenforge init` and `uninit`: the route without a gateway, put into an agent's own files and taken out again.

mod claude;
mod plugin;
pub(crate) mod routes;
mod scope;

use crate::client_file::{
    ChangeConsent, ClientFile, FileChange, PriorState, carry_out, carry_out_as_json,
};
use crate::hook::{HookAgent, HookAgentParser};
use crate::setup::status_line;
use crate::{alternatives, data, hook, output};
use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
pub(crate) use scope::HookScope;
use std::env;
use std::ffi::OsStr;
use tokenforge_agents::HookEntry;

pub(crate) const EXAMPLES: &str = "\
Examples:
  tokenforge init claude --dry-run
  tokenforge init claude
  tokenforge init opencode --project
  tokenforge uninit claude

The agent then runs `tokenforge hook` for every tool result and shows its model what that prints. Its requests go \
to its provider as before. No gateway is needed; if one is running, the hook uses it, because it answers faster. The \
file as it was is kept beside it, as FILE.tokenforge-backup.";

/// Add Tokenforge to an agent's settings, or take it out again; no gateway is needed
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArgs {
    /// The agent
    #[arg(value_parser = InitAgentParser)]
    client: HookAgent,

    /// In this project only; in your own files, not those the project shares
    #[arg(long, conflicts_with = "global")]
    project: bool,

    /// In all projects; this is the default
    #[arg(long)]
    global: bool,

    #[command(flatten)]
    consent: ChangeConsent,

    /// Print {"changed", "files": [{"file", "diff"}]}; needs --yes or --dry-run
    #[arg(long)]
    json: bool,
}

pub(crate) fn init(arguments: &InitArgs) -> anyhow::Result<()> {
    let program = env::current_exe().context("cannot find the path of this program")?;
    let program = program.to_str().context("the path of this program is not UTF-8")?;
    let file = arguments.file()?;
    let name = file.name.display().to_string();
    let (new, shown) = match &arguments.client.hook.entry {
        HookEntry::PostToolUse(tools) => {
            let new = claude::install(&file, program, tools).with_context(|| name.clone())?;
            let shown = (claude::mask_settings(&file.text), claude::mask_settings(&new));
            (new, shown)
        }
        entry @ HookEntry::PluginFile(_) => {
            let new = plugin::source(entry, program);
            (new.clone(), (file.text.clone(), new))
        }
    };
    if file.is_there() && new == file.text {
        return arguments.report_unchanged(&format!("{name} has it already"));
    }
    // A file that is ours already is not how it was before, and of one that is not, what is kept may be old.
    let entry = &arguments.client.hook.entry;
    let has_status_line =
        || matches!(entry, HookEntry::PostToolUse(_)) && status_line::is_installed(&file.text);
    let is_ours = routes::is_installed(entry, &file.text) || has_status_line();
    let known = if is_ours { file.prior_state()? } else { None };
    let before = known.unwrap_or_else(|| file.current_state());
    let kept = match &before {
        PriorState::Text(_) => format!("; the old version is {}", file.backup_path().display()),
        PriorState::Nothing { .. } => String::new(),
    };
    let mut done = format!("wrote {name}{kept}\nundo: {}", arguments.undo());
    if !hook::can_expand() {
        done += "\nnote: `tokenforge` is not on your PATH, so the model cannot run it to fetch back what was left \
                 out; until it is, nothing is left out";
    }
    let diff = crate::client_file::diff(&name, &shown.0, &shown.1);
    let change = FileChange { file, diff, new: Some(new), before: Some(before), done };
    arguments.carry_out(&[change])
}

pub(crate) fn uninit(arguments: &InitArgs) -> anyhow::Result<()> {
    let file = arguments.file()?;
    let name = file.name.display().to_string();
    if !file.is_there() {
        return arguments.report_unchanged(&format!("nothing to change: there is no {name}"));
    }
    let before = file.prior_state()?;
    let entry = &arguments.client.hook.entry;
    let left = match entry {
        HookEntry::PostToolUse(_) => {
            claude::remove(&file.text, before.as_ref()).with_context(|| name.clone())?
        }
        HookEntry::PluginFile(_) => plugin::remove(entry, &file.text, before.as_ref()),
    };
    let Some(left) = left else {
        return arguments
            .report_unchanged(&format!("nothing to change: {name} does not mention Tokenforge"));
    };
    let is_changed =
        matches!(entry, HookEntry::PluginFile(_)) && plugin::is_changed(entry, &file.text);
    let (new, before, done) = match (left, before) {
        (PriorState::Nothing { .. }, _) if is_changed => {
            let kept = file.backup_path();
            let done = format!(
                "removed {name}; it had been edited, so a copy is kept as {}",
                kept.display()
            );
            (None, Some(PriorState::Text(file.text.clone())), done)
        }
        (PriorState::Nothing { .. }, _) => {
            (None, None, format!("removed {name}, which was not there before"))
        }
        // What `setup` put there needs to know it too.
        (PriorState::Text(text), before) if status_line::is_installed(&text) => {
            (Some(text), before, format!("took the hook out of {name}"))
        }
        (PriorState::Text(text), Some(before)) if before == PriorState::Text(text.clone()) => {
            (Some(text), None, format!("restored {name}, byte for byte"))
        }
        (PriorState::Text(text), Some(PriorState::Text(_))) => {
            let kept = file.backup_path();
            let done = format!(
                "{name} was edited since: only Tokenforge's entries were removed; the version before them is {}",
                kept.display()
            );
            (Some(text), file.prior_state()?, done)
        }
        (PriorState::Text(text), _) => {
            (Some(text), None, format!("removed Tokenforge's entries from {name}"))
        }
    };
    let after = new.as_deref().unwrap_or_default();
    let diff = crate::client_file::diff(
        &name,
        &claude::mask_settings(&file.text),
        &claude::mask_settings(after),
    );
    arguments.carry_out(&[FileChange { file, diff, new, before, done }])
}

/// The agents, and what to do with those that have no hook.
#[derive(Clone)]
struct InitAgentParser;

impl TypedValueParser for InitAgentParser {
    type Value = HookAgent;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<HookAgent, clap::Error> {
        HookAgentParser.parse_ref(command, argument, value).map_err(|error| {
            match value.to_str().and_then(alternatives::to_init) {
                Some(message) => {
                    clap::Error::raw(ErrorKind::InvalidValue, message + "\n").with_cmd(command)
                }
                None => error,
            }
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        HookAgentParser.possible_values()
    }
}

/// Is the hook in these settings of Claude Code?
pub(crate) fn has_hook(text: &str) -> bool {
    claude::is_installed(text)
}

/// Settings of Claude Code for a screen that others may see.
pub(crate) fn mask_settings(text: &str) -> String {
    claude::mask_settings(text)
}

impl InitArgs {
    fn file(&self) -> anyhow::Result<ClientFile> {
        let file = self.scope().file(self.client).resolve(&data::set);
        let place = file.context("there is no home folder: set HOME")?;
        if place.is_dir() {
            bail!("{} is a folder", place.display());
        }
        ClientFile::find(&place)
    }

    fn carry_out(&self, changes: &[FileChange]) -> anyhow::Result<()> {
        if self.json {
            carry_out_as_json(changes, self.consent)
        } else {
            carry_out(changes, self.consent)
        }
    }

    /// Says why there is nothing to do.
    fn report_unchanged(&self, why: &str) -> anyhow::Result<()> {
        if self.json { self.carry_out(&[]) } else { Ok(output::print(why)?) }
    }

    fn scope(&self) -> HookScope {
        if self.project { HookScope::Project } else { HookScope::Global }
    }

    fn undo(&self) -> String {
        let scope = if self.project { " --project" } else { "" };
        format!("tokenforge uninit {}{scope}", self.client.id())
    }
}
