//! `tokenforge setup`: an agent goes through the gateway every day, and back.
//!
//! What is put in place: the gateway as a service of the user, a shim with the agent's name, and in the shell's own file the
//! lines that put the shim first on the `PATH`.
//!
//! Why a shim. An address in the agent's settings (`env.ANTHROPIC_BASE_URL` in Claude Code's) would be one line, but the
//! agent then fails whenever the gateway is down: Claude Code retries for minutes. A hook at the start of a session cannot
//! mend that, since it runs when the address has been read. A shim looks first, and with no gateway it starts the agent as
//! if there were no Tokenforge. It is also the same for every agent, whatever they call their address, and touches none of
//! their files. What it does not reach: agents that are started without a shell, such as those inside an editor.

pub(crate) mod agents;
mod plan;
mod rc;
pub(crate) mod shim;
pub(crate) mod status_line;
mod step;

use crate::arguments::usage_error;
use crate::client_file::ChangeConsent;
use crate::output;
use crate::service::{self, ManagerChoice};
use anyhow::bail;
use clap::Args;
use step::SetupStep;

const EXAMPLES: &str = "\
Examples:
  tokenforge setup claude --dry-run
  tokenforge setup claude --statusline
  tokenforge setup codex opencode
  tokenforge setup claude --undo
  tokenforge setup --undo                 all agents and the service

Agents: claude, codex, gemini, opencode, pi. Start them as before. If the gateway does not answer, they go to their \
provider and say so. Your login or subscription stays as it is.";

/// Set an agent up to use the gateway every day
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SetupArgs {
    /// claude, codex, gemini, opencode or pi; several are fine
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,

    /// Undo it for these agents, or for all: restores every file byte for byte
    #[arg(long, conflicts_with_all = ["statusline", "no_service"])]
    undo: bool,

    /// Show what the session saved in Claude Code's status line
    #[arg(long)]
    statusline: bool,

    /// Do not install the service: you start the gateway yourself
    #[arg(long)]
    no_service: bool,

    #[command(flatten)]
    consent: ChangeConsent,

    #[command(flatten)]
    choice: ManagerChoice,
}

pub(crate) fn run(arguments: &SetupArgs) -> anyhow::Result<()> {
    if cfg!(not(unix)) {
        bail!(
            "this needs a Unix shell: use `tokenforge wrap`, or in Claude Code `tokenforge init claude`"
        );
    }
    let mut agents = Vec::new();
    for name in &arguments.agents {
        agents.push(agents::supported_name(name)?);
    }
    if arguments.undo { arguments.undo(&agents) } else { arguments.set_up(&agents) }
}

impl SetupArgs {
    fn set_up(&self, agents: &[&'static str]) -> anyhow::Result<()> {
        if agents.is_empty() {
            usage_error(&format!("expected an agent: {}", agents::supported_names().join(", ")));
        }
        if self.statusline && agents::status_line_agent(agents).is_none() {
            usage_error("--statusline is Claude Code's: `tokenforge setup claude --statusline`");
        }
        let mut steps = Vec::new();
        if !self.no_service {
            steps.extend(plan::service(self.choice)?);
        }
        let files = plan::plan_installation(agents, self.statusline)?;
        steps.extend(files.steps);
        if !self.carry_out(&steps, "Set this up?", "this changes files")? {
            return Ok(());
        }
        if steps.is_empty() {
            output::print("nothing to change: it is already set up")?;
        } else if !self.no_service {
            service::report()?;
        }
        files.notes.iter().for_each(|note| output::tell(&format!("note: {note}")));
        Ok(output::print(&files.next.join("\n"))?)
    }

    fn undo(&self, agents: &[&'static str]) -> anyhow::Result<()> {
        let steps = plan::plan_removal(agents, self.choice)?;
        if steps.is_empty() {
            return Ok(output::print("nothing to undo")?);
        }
        self.carry_out(&steps, "Undo this?", "this changes files").map(drop)
    }

    /// Shows the steps, asks, and takes them. `false`: it was only to be shown.
    fn carry_out(&self, steps: &[SetupStep], question: &str, does: &str) -> anyhow::Result<bool> {
        for step in steps {
            output::print(step.preview().trim_end())?;
        }
        if self.consent.is_dry_run() {
            output::print("nothing was changed: this is what would be")?;
            return Ok(false);
        }
        if steps.is_empty() {
            return Ok(true);
        }
        if !self.consent.is_given(question, does)? {
            bail!("nothing was changed");
        }
        if self.undo {
            step::perform_all(steps)?
        } else {
            step::perform_all_or_none(steps)?
        }
        Ok(true)
    }
}
