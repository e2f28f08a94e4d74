//! Where settings come from: a file, the environment, flags.

use crate::{data, output};
use anyhow::Context;
use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use tokenforge_config::{ConfigErrors, ConfigFile, Origins, Overrides, Settings};

/// The name of the settings file.
const FILE: &str = "tokenforge.yaml";

/// Where settings come from, so that they can be read again.
pub(crate) struct SettingsSource {
    pub(crate) file: Option<PathBuf>,
    pub(crate) flags: Overrides,
}

impl SettingsSource {
    /// Reads the settings.
    pub(crate) fn load(&self) -> anyhow::Result<Settings> {
        Ok(self.load_with_origins()?.0)
    }

    /// Reads the settings, and where each has its value from.
    pub(crate) fn load_with_origins(&self) -> anyhow::Result<(Settings, Origins)> {
        self.load_text(self.read()?.as_deref())
    }

    /// What the file says, if there is one.
    pub(crate) fn read(&self) -> anyhow::Result<Option<String>> {
        let read = |path: &PathBuf| {
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        self.file.as_ref().map(read).transpose()
    }

    /// The settings, if the file says this.
    pub(crate) fn load_text(&self, text: Option<&str>) -> anyhow::Result<(Settings, Origins)> {
        let name = self.file.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let file = text.map(|text| ConfigFile { name: &name, text });
        let environment = |name: &str| env::var(name).ok();
        let settings = Settings::load(file, &environment, &self.flags).map_err(SettingsMistakes)?;
        Ok((settings, Origins::read(file, &environment, &self.flags)?))
    }
}

/// All that is wrong with settings, a line each.
#[derive(Debug)]
pub(crate) struct SettingsMistakes(pub(crate) ConfigErrors);

impl fmt::Display for SettingsMistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.iter().count() {
            1 => self.0.fmt(f),
            count => {
                write!(f, "{count} mistakes in the settings")?;
                self.0.iter().try_for_each(|error| write!(f, "\n  {error}"))
            }
        }
    }
}

impl std::error::Error for SettingsMistakes {}

/// The settings file: the one named, else the one in the user's folder for settings, if there is one.
///
/// Never one in the current folder that was not named: in a cloned repository it could send a login to another host and
/// start programs. A note says that it is there, because who starts a gateway beside it may expect it to count.
pub(crate) fn file(named: Option<&Path>) -> Option<PathBuf> {
    if let Some(named) = named {
        return Some(named.to_owned());
    }
    let users = users_file();
    note_unused(users.as_deref());
    users
}

/// Says once that there is a settings file in the current folder that is not used.
fn note_unused(used: Option<&Path>) {
    static NOTED: Once = Once::new();
    let here = Path::new(FILE);
    let is_used =
        || used.is_some_and(|used| fs::canonicalize(used).ok() == fs::canonicalize(here).ok());
    if !here.is_file() || is_used() {
        return;
    }
    let folder = data::config_folder().map(|folder| folder.display().to_string());
    NOTED.call_once(|| {
        output::tell(&format!(
            "note: {FILE} in this folder is not used, because a folder may hold someone else's files; if you trust it, \
             name it (`--config {FILE}`) or move it to {}",
            folder.as_deref().unwrap_or("your folder for settings")
        ));
    });
}

/// The settings file in the user's folder for settings, if there is one.
pub(crate) fn users_file() -> Option<PathBuf> {
    let path = data::config_folder()?.join(FILE);
    path.is_file().then_some(path)
}
