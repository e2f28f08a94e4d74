//! From what is written to what is meant: the default, then the file, the environment and the flags, each over the one
//! before.

mod check;
mod explain;
mod interpolate;
mod overrides;
mod yaml;

pub use overrides::Overrides;

pub(crate) use check::check;
pub(crate) use explain::{nearest, read};
pub(crate) use yaml::parse;

use crate::error::{ConfigError, Place};
use crate::settings::Settings;
use crate::table::{SETTINGS, Setting};
use serde_json::{Value, json};

/// Looks up a variable of the environment.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A file of settings that was read.
#[derive(Debug, Clone, Copy)]
pub struct ConfigFile<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// What it says, in YAML.
    pub text: &'a str,
}

impl ConfigFile<'_> {
    /// Is there nothing in it but comments, as in one that was cut short?
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let is_blank = |line: &str| {
            let line = line.trim_start_matches('\u{feff}').trim();
            line.is_empty() || line.starts_with('#') || matches!(line, "---" | "...")
        };
        self.text.lines().all(is_blank)
    }
}

impl Settings {
    /// Reads settings: the default, then the file, the environment and the flags, each over the one before.
    ///
    /// # Errors
    /// A key that does not exist, a value that is not allowed, a variable that is not set, or values that do not go
    /// together; the message says where, and what would be right.
    ///
    /// ```
    /// use tokenforge_config::{ConfigFile, Overrides, Settings};
    ///
    /// let text = "pipes: {tool_output: {mode: safe, min_bytes: 4KiB}}";
    /// let file = ConfigFile { name: "tokenforge.yaml", text };
    /// let environment = |name: &str| (name == "FORGE_TOOL_OUTPUT_COMPRESSION").then(|| "lossless".to_owned());
    /// let settings = Settings::load(Some(file), &environment, &Overrides::default())?;
    /// assert_eq!(settings.tool_output.min_bytes, 4096);
    /// assert_eq!(settings.tool_output.mode.name(), "lossless");
    /// # Ok::<(), tokenforge_config::ConfigError>(())
    /// ```
    pub fn load(
        file: Option<ConfigFile<'_>>,
        environment: Environment<'_>,
        overrides: &Overrides,
    ) -> Result<Settings, ConfigError> {
        let mut settings = Settings::default();
        if let Some(file) = file {
            apply_file(&mut settings, file, environment)?;
        }
        for (setting, variable, text) in variables(environment) {
            apply_word(&mut settings, setting.path, &text, || Place::Variable(variable))?;
        }
        for (setting, flag, text) in flags(overrides) {
            apply_word(&mut settings, setting.path, text, || Place::Flag(flag))?;
        }
        check(&settings).map_err(|fault| fault.at(Place::Together))?;
        Ok(settings)
    }
}

/// The settings that the environment says something about, with the variable and what it says.
pub(crate) fn variables(
    environment: Environment<'_>,
) -> impl Iterator<Item = (&'static Setting, String, String)> {
    SETTINGS.iter().filter_map(|setting| {
        let variable = setting.variable()?;
        // An empty variable is how many tools say that it is not set.
        let text = environment(&variable).filter(|text| !text.is_empty())?;
        Some((setting, variable, text))
    })
}

/// The settings that flags say something about, with the flag and what it says.
pub(crate) fn flags(
    overrides: &Overrides,
) -> impl Iterator<Item = (&'static Setting, &'static str, &str)> {
    overrides.entries().filter_map(|(flag, text)| {
        let setting = SETTINGS.iter().find(|setting| setting.flag == Some(flag))?;
        Some((setting, flag, text))
    })
}

fn apply_file(
    settings: &mut Settings,
    file: ConfigFile<'_>,
    environment: Environment<'_>,
) -> Result<(), ConfigError> {
    let document = parse(file, environment)?;
    let raw = read(document.tree).and_then(|raw| raw.apply(settings));
    raw.map_err(|fault| {
        let line = document.lines.of(&fault.key);
        fault.at(Place::File { name: file.name.to_owned(), line })
    })
}

/// Sets one setting from a text.
fn apply_word(
    settings: &mut Settings,
    path: &str,
    text: &str,
    place: impl FnOnce() -> Place,
) -> Result<(), ConfigError> {
    let nest = |tree: Value, key: &str| json!({ key: tree });
    let tree = path.rsplit('.').fold(Value::from(text), nest);
    read(tree).and_then(|raw| raw.apply(settings)).map_err(|fault| fault.at(place()))
}
