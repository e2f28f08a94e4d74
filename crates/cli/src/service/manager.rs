//! The service manager (systemd, launchd): who runs services for a user here.

use super::command::{output_of, run};
use super::{launchd, systemd};
use crate::data;
use anyhow::{Context, bail};
use clap::ValueEnum;
use std::path::PathBuf;

/// Who runs services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServiceManager {
    /// On Linux
    Systemd,
    /// On macOS
    Launchd,
}

impl ServiceManager {
    /// The one of this system.
    pub(super) fn of_system() -> anyhow::Result<Self> {
        match std::env::consts::OS {
            "linux" => Ok(ServiceManager::Systemd),
            "macos" => Ok(ServiceManager::Launchd),
            other => bail!(
                "services cannot be installed on {other}: start `tokenforge serve` yourself, or use `tokenforge wrap`"
            ),
        }
    }

    /// Is it there, and does it run services for this user?
    ///
    /// # Errors
    /// It is not, with what to do instead.
    pub(crate) fn check(self) -> anyhow::Result<()> {
        let (asked, hint) = match self {
            ServiceManager::Systemd => (
                run("systemctl", &["--user", "show-environment"]),
                "Containers have none, nor has WSL without `systemd=true` under [boot] in /etc/wsl.conf",
            ),
            ServiceManager::Launchd => (
                run("launchctl", &["print", &launchd::domain()]),
                "It needs you to be logged in at the screen",
            ),
        };
        asked.map(drop).with_context(|| {
            format!(
                "no service manager answers here. {hint}. Start `tokenforge serve` yourself and use `tokenforge setup \
                 --no-service`, or use `tokenforge wrap`"
            )
        })
    }

    /// Where the description of the service is.
    pub(crate) fn file(self) -> anyhow::Result<PathBuf> {
        let home = data::home().context("no home folder: set HOME")?;
        Ok(match self {
            ServiceManager::Systemd => {
                let config = systemd::config_folder().unwrap_or_else(|| home.join(".config"));
                config.join("systemd/user").join(systemd::NAME)
            }
            ServiceManager::Launchd => {
                home.join("Library/LaunchAgents").join(format!("{}.plist", launchd::LABEL))
            }
        })
    }

    /// How the service does, in a word or two.
    pub(super) fn state(self) -> String {
        match self {
            ServiceManager::Systemd => {
                let of = |what| output_of("systemctl", &["--user", what, systemd::NAME]);
                let known =
                    |text: String| if text.is_empty() { "unknown".to_owned() } else { text };
                format!("{}, {}", known(of("is-active")), known(of("is-enabled")))
            }
            ServiceManager::Launchd => {
                let print = output_of("launchctl", &["print", &launchd::service()]);
                let state = print.lines().find_map(|line| line.trim().strip_prefix("state = "));
                state.unwrap_or("not loaded").to_owned()
            }
        }
    }
}
