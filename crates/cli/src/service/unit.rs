//! The description of the service: written, started, stopped and taken away.

use super::environment::ServiceEnvironment;
use super::manager::ServiceManager;
use super::{is_stale, launchd, systemd};
use crate::client_file::{self, ClientFile};
use crate::setup::shim;
use anyhow::{Context, bail};
use std::fs;

/// What every description of ours says.
const MARK: &str = "Written by `tokenforge ";

/// Which command writes it, and so takes it away again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstalledBy {
    Service,
    Setup,
}

impl InstalledBy {
    fn head(self) -> &'static str {
        match self {
            InstalledBy::Service => {
                "Written by `tokenforge service install`; `tokenforge service remove` removes it."
            }
            // Without dashes: in a property list it is a comment, which must not have two in a row.
            InstalledBy::Setup => "Written by `tokenforge setup`; its option `undo` removes it.",
        }
    }
}

/// A description of the service, and what it is to say.
pub(crate) struct ServiceUnit {
    manager: ServiceManager,
    file: ClientFile,
    text: String,
    environment: ServiceEnvironment,
}

impl ServiceUnit {
    /// The one that starts this program. One that is there already stays that of the command that wrote it.
    pub(crate) fn new(manager: ServiceManager, installer: InstalledBy) -> anyhow::Result<Self> {
        let program = &shim::this_program()?;
        let file = ClientFile::find(&manager.file()?)?;
        if file.is_there() && !file.text.contains(MARK) {
            bail!(
                "{} is not ours, and is left as it is; remove it or rename it first",
                file.name.display()
            );
        }
        let installer = if file.text.contains(InstalledBy::Service.head()) {
            InstalledBy::Service
        } else {
            installer
        };
        let environment = ServiceEnvironment::of_shell()?;
        let text = match manager {
            ServiceManager::Systemd => systemd::text(installer.head(), program, &environment),
            ServiceManager::Launchd => launchd::text(installer.head(), program, &environment),
        };
        Ok(ServiceUnit { manager, file, text, environment })
    }

    /// Is it there as it is to be?
    pub(crate) fn is_there(&self) -> bool {
        self.file.text == self.text
    }

    /// Is there nothing to be done: it is there, it runs, and it is of this version?
    pub(crate) fn is_well(&self) -> bool {
        let state = self.manager.state();
        let is_running = state.starts_with("active") || state == "running";
        self.is_there() && is_running && !is_stale()
    }

    /// What would change, for a person.
    pub(crate) fn preview(&self) -> String {
        let name = self.file.name.display().to_string();
        if self.is_there() {
            format!("{name}: it is there already")
        } else {
            client_file::diff(&name, &self.file.text, &self.text)
        }
    }

    /// Writes and starts it; what was done. If it cannot be started, it is as if nothing had happened.
    pub(crate) fn install(&self) -> anyhow::Result<String> {
        let is_changed = self.file.is_there() && (!self.is_there() || is_stale());
        fs::create_dir_all(&self.environment.folder)
            .with_context(|| format!("cannot make {}", self.environment.folder))?;
        if !self.is_there() {
            if !self.file.is_there() {
                self.file.keep(&self.file.current_state())?;
            }
            self.file.replace(&self.text)?;
        }
        if let Err(error) = self.start(is_changed) {
            let taken_back = self.roll_back();
            taken_back.context("what was written could not be taken back")?;
            return Err(error);
        }
        self.environment.tell_rest();
        Ok(self.done())
    }

    fn start(&self, is_changed: bool) -> anyhow::Result<()> {
        match self.manager {
            ServiceManager::Systemd => systemd::start(is_changed),
            ServiceManager::Launchd => launchd::start(&self.file.name, is_changed),
        }
    }

    fn done(&self) -> String {
        let name = self.file.name.display();
        let wrote = if self.is_there() { String::new() } else { format!("wrote {name}\n") };
        match self.manager {
            ServiceManager::Systemd => format!(
                "{wrote}ran systemctl --user enable --now {}: it runs now and after every login (to \
                 start it at boot: loginctl enable-linger)",
                systemd::NAME
            ),
            ServiceManager::Launchd => format!(
                "{wrote}ran launchctl bootstrap {}: it runs now and after every login",
                launchd::domain()
            ),
        }
    }

    /// Takes back an installation that something else failed after.
    pub(crate) fn roll_back(&self) -> anyhow::Result<()> {
        if self.is_there() {
            return Ok(());
        }
        let now = ClientFile::find(&self.file.name)?;
        if self.file.is_there() {
            now.replace(&self.file.text)?;
            return self.start(true);
        }
        self.stop_quietly();
        now.remove_if_there()?;
        now.forget()?;
        if self.manager == ServiceManager::Systemd {
            let _ = systemd::forget();
        }
        Ok(())
    }

    fn stop_quietly(&self) {
        match self.manager {
            ServiceManager::Systemd => drop(systemd::stop()),
            ServiceManager::Launchd => launchd::stop(),
        }
    }
}

/// A description that is there, and ours.
pub(crate) struct InstalledUnit {
    manager: ServiceManager,
    file: ClientFile,
}

impl InstalledUnit {
    /// The one that is there, if it is ours.
    pub(crate) fn find(manager: ServiceManager) -> anyhow::Result<Option<Self>> {
        let file = ClientFile::find(&manager.file()?)?;
        Ok(file.text.contains(MARK).then_some(InstalledUnit { manager, file }))
    }

    /// Did `setup` write it?
    pub(crate) fn is_of_setup(&self) -> bool {
        self.file.text.contains(InstalledBy::Setup.head())
    }

    /// What would go, for a person.
    pub(crate) fn preview(&self) -> String {
        client_file::diff(&self.file.name.display().to_string(), &self.file.text, "")
    }

    /// Stops it and takes it away; what was done.
    pub(crate) fn remove(&self) -> anyhow::Result<String> {
        match self.manager {
            ServiceManager::Systemd => systemd::stop()?,
            ServiceManager::Launchd => launchd::stop(),
        }
        self.file.remove_if_there()?;
        self.file.forget()?;
        if self.manager == ServiceManager::Systemd {
            systemd::forget()?;
        }
        Ok(format!("stopped the service, and removed {}", self.file.name.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_list_comments_are_well_formed_for_every_installer() {
        for installer in [InstalledBy::Service, InstalledBy::Setup] {
            let environment =
                ServiceEnvironment { folder: "/data".to_owned(), variables: Vec::new() };
            let list = launchd::text(installer.head(), "/opt/tokenforge", &environment);
            let comments: Vec<_> = list.split("<!--").skip(1).collect();
            assert!(!comments.is_empty(), "{list}");
            for comment in comments {
                let (comment, _) = comment.split_once("--").unwrap();
                assert!(
                    comment.contains(MARK) && list.contains(&format!("{comment}-->")),
                    "{list}"
                );
            }
        }
    }
}
