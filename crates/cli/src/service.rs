//! `tokenforge service`: the gateway as a service of the user, which is there after a reboot and comes back when it fails.
//!
//! A service of the user and not of the system: it needs no root, it keeps what it keeps where the other commands of the
//! same user look for it, and it is as private as they are.

mod command;
mod environment;
mod launchd;
mod manager;
mod systemd;
mod unit;

pub(crate) use manager::ServiceManager;
pub(crate) use unit::{InstalledBy, InstalledUnit, ServiceUnit};

use crate::gateway::url;
use crate::output;
use crate::settings::{self, SettingsSource};
use crate::wrap::launch::probe::{self, ProbeResult};
use anyhow::bail;
use clap::{Args, Subcommand};
use std::thread;
use std::time::{Duration, Instant};
use tokenforge_config::{Overrides, Settings};

const EXAMPLES: &str = "\
Examples:
  tokenforge service install --dry-run
  tokenforge service install
  tokenforge service status
  tokenforge service remove

A systemd user unit on Linux, a launchd agent on macOS. Settings: tokenforge.yaml in the folder for settings.";

/// How long a gateway that was started may take until it answers.
const PATIENCE: Duration = Duration::from_secs(5);

/// How soon it is asked again.
const RETRY_AFTER: Duration = Duration::from_millis(50);

/// Run the gateway in the background, also after a reboot
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServiceArgs {
    #[command(subcommand)]
    what: ServiceAction,
}

#[derive(Subcommand)]
enum ServiceAction {
    /// Start the gateway now and after every login
    #[command(after_help = "Example:\n  tokenforge service install --dry-run")]
    Install {
        /// Show what would be written, and change nothing
        #[arg(long)]
        dry_run: bool,

        #[command(flatten)]
        choice: ManagerChoice,
    },
    /// Say whether it is installed, and whether the gateway answers; exit with 1 if it does not
    #[command(after_help = "Example:\n  tokenforge service status")]
    Status(ManagerChoice),
    /// Stop it and remove it
    #[command(after_help = "Example:\n  tokenforge service remove")]
    Remove(ManagerChoice),
}

/// Which service manager; for tests, where there is another than this system has.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ManagerChoice {
    #[arg(long, hide = true)]
    manager: Option<ServiceManager>,
}

impl ManagerChoice {
    /// The manager, if there is one that answers.
    pub(crate) fn manager(self) -> anyhow::Result<ServiceManager> {
        let manager = self.or_usual()?;
        manager.check()?;
        Ok(manager)
    }

    /// The manager of this system, whether it answers or not.
    pub(crate) fn or_usual(self) -> anyhow::Result<ServiceManager> {
        self.manager.map_or_else(ServiceManager::of_system, Ok)
    }
}

pub(crate) fn run(arguments: &ServiceArgs) -> anyhow::Result<()> {
    match arguments.what {
        ServiceAction::Install { dry_run, choice } => install(choice, dry_run),
        ServiceAction::Status(choice) => status(choice),
        ServiceAction::Remove(choice) => remove(choice),
    }
}

fn install(choice: ManagerChoice, dry_run: bool) -> anyhow::Result<()> {
    let unit = ServiceUnit::new(choice.manager()?, InstalledBy::Service)?;
    output::print(&unit.preview())?;
    if dry_run {
        return Ok(output::print("nothing was changed: this is what would be")?);
    }
    output::print(&unit.install()?)?;
    report()
}

fn status(choice: ManagerChoice) -> anyhow::Result<()> {
    let manager = choice.or_usual()?;
    let file = manager.file()?;
    let shown = file.display();
    let says = match (file.is_file(), manager.check()) {
        (false, _) => format!("service: not installed (there is no {shown})"),
        (true, Ok(())) => format!("service: {}, {shown}", manager.state()),
        (true, Err(error)) => format!("service: {shown}; {error:#}"),
    };
    output::print(&says)?;
    let settings = settings()?;
    let url = url(settings.listen);
    match probe::ask(&settings) {
        ProbeResult::Gateway { version, .. } => {
            Ok(output::print(&format!("gateway: version {version} answers at {url}"))?)
        }
        ProbeResult::Busy => bail!("the gateway at {url} takes no requests now"),
        ProbeResult::Stranger(why) => bail!("{why}"),
        ProbeResult::NoAnswer => bail!("no gateway answers at {url}"),
    }
}

fn remove(choice: ManagerChoice) -> anyhow::Result<()> {
    let manager = choice.or_usual()?;
    match InstalledUnit::find(manager)? {
        Some(unit) => {
            manager.check()?;
            Ok(output::print(&unit.remove()?)?)
        }
        None => {
            let file = manager.file()?;
            Ok(output::print(&format!("nothing to remove: there is no {}", file.display()))?)
        }
    }
}

/// Waits until the gateway answers, and says so, or where to look if it does not.
pub(crate) fn report() -> anyhow::Result<()> {
    let (settings, began) = (settings()?, Instant::now());
    let url = url(settings.listen);
    loop {
        let why = match probe::ask(&settings) {
            ProbeResult::Gateway { .. } => {
                return Ok(output::print(&format!("the gateway answers at {url}"))?);
            }
            ProbeResult::Stranger(why) => why,
            ProbeResult::Busy | ProbeResult::NoAnswer => format!("no gateway answers at {url} yet"),
        };
        if began.elapsed() >= PATIENCE {
            output::tell(&format!("note: {why}; `tokenforge service status` says more"));
            return Ok(());
        }
        thread::sleep(RETRY_AFTER);
    }
}

/// Does another gateway answer than one of this version that knows the user's token? The program, or the token, was
/// replaced since it was started.
fn is_stale() -> bool {
    match settings().map(|settings| probe::ask(&settings)) {
        Ok(ProbeResult::Gateway { version, .. }) => version != env!("CARGO_PKG_VERSION"),
        Ok(ProbeResult::Stranger(_)) => true,
        _ => false,
    }
}

/// The settings of the user's gateway.
fn settings() -> anyhow::Result<Settings> {
    SettingsSource { file: settings::users_file(), flags: Overrides::default() }.load()
}
