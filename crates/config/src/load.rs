//! From what is written to what is meant: the default, then the file, the environment and the flags, each over the one
//! before.

mod check;
mod collect_errors;
mod explain;
mod interpolate;
mod overrides;
mod yaml;

pub use overrides::Overrides;

pub(crate) use check::faults;
pub(crate) use explain::{nearest, read};
pub(crate) use yaml::parse;

use collect_errors::is_within;
use yaml::{Document, Places};

use crate::error::{ConfigError, ConfigErrors, SettingFault, SettingOrigin};
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
    /// Every key that does not exist, value that is not allowed and variable that is not set, and values that do not go
    /// together; the messages say where, and what would be right.
    ///
    /// ```
    /// use tokenforge_config::{ConfigFile, Overrides, Settings};
    ///
    /// let text = "pipes: {tool_output: {mode: safe, min_bytes: 4KiB}}";
    /// let file = ConfigFile { name: "tokenforge.yaml", text };
    /// let environment = |name: &str| (name == "FORGE_MODE").then(|| "lossless".to_owned());
    /// let settings = Settings::load(Some(file), &environment, &Overrides::default())?;
    /// assert_eq!(settings.tool_output.min_bytes, 4096);
    /// assert_eq!(settings.tool_output.mode.name(), "lossless");
    /// # Ok::<(), tokenforge_config::ConfigErrors>(())
    /// ```
    pub fn load(
        file: Option<ConfigFile<'_>>,
        environment: Environment<'_>,
        overrides: &Overrides,
    ) -> Result<Settings, ConfigErrors> {
        let mut settings = Settings::default();
        let (places, mut errors) = match file {
            Some(file) => apply_file(&mut settings, file, environment),
            None => (Places::default(), Vec::new()),
        };
        for (setting, variable, text) in variables(environment) {
            errors.extend(apply_text(
                &mut settings,
                setting.path,
                &text,
                SettingOrigin::Variable(variable),
            ));
        }
        for (setting, flag, text) in flags(overrides) {
            errors.extend(apply_text(&mut settings, setting.path, text, SettingOrigin::Flag(flag)));
        }
        // What was not understood says nothing about what it goes together with.
        let is_known =
            |paths: &[&str]| !errors.iter().any(|e| paths.iter().any(|it| is_within(&e.key, it)));
        let name = file.map_or("", |file| file.name);
        let together = faults(&settings, is_known).into_iter().map(|fault| {
            let place = written(&fault.key, environment, overrides)
                .or_else(|| places.has(&fault.key).then(|| places.of(&fault.key, name)))
                .unwrap_or(SettingOrigin::Together);
            fault.at(place)
        });
        errors.extend(together.collect::<Vec<_>>());
        ConfigErrors::new(errors).map_or(Ok(settings), Err)
    }
}

/// The flag or variable that has the last word about a setting.
fn written(
    key: &str,
    environment: Environment<'_>,
    overrides: &Overrides,
) -> Option<SettingOrigin> {
    let flag = flags(overrides).find(|(setting, ..)| setting.path == key);
    let variable = || variables(environment).find(|(setting, ..)| setting.path == key);
    let flag = flag.map(|(_, flag, _)| SettingOrigin::Flag(flag));
    flag.or_else(|| variable().map(|(_, variable, _)| SettingOrigin::Variable(variable)))
}

/// The settings that the environment says something about, with the variable and what it says.
pub(crate) fn variables(
    environment: Environment<'_>,
) -> impl Iterator<Item = (&'static Setting, String, String)> {
    SETTINGS.iter().filter_map(|setting| {
        // An empty variable is how many tools say that it is not set.
        let set = |name: &String| environment(name).filter(|text| !text.is_empty());
        let mut names = setting.variable().into_iter().chain(setting.document_variable());
        names.find_map(|name| set(&name).map(|text| (setting, name, text)))
    })
}

/// The settings that flags say something about, with the flag and what it says.
pub(crate) fn flags(
    overrides: &Overrides,
) -> impl Iterator<Item = (&'static Setting, &'static str, &str)> {
    SETTINGS.iter().filter_map(|setting| {
        let (flag, text) = setting.given(overrides)?;
        Some((setting, flag, text))
    })
}

/// Sets what a file says; where that is, and what is wrong with it, in its order.
fn apply_file(
    settings: &mut Settings,
    file: ConfigFile<'_>,
    environment: Environment<'_>,
) -> (Places, Vec<ConfigError>) {
    let Document { tree, places, mut faults } = match parse(file, environment) {
        Ok(document) => document,
        Err(error) => return (Places::default(), vec![error]),
    };
    collect_errors::apply(tree, settings, &mut faults);
    let located = |fault: SettingFault| {
        let place = places.of(&fault.key, file.name);
        fault.at(place)
    };
    let mut errors: Vec<ConfigError> = faults.into_iter().map(located).collect();
    errors.sort_by_key(|error| match error.place {
        SettingOrigin::File { line, column, .. } => (line, column),
        _ => (0, 0),
    });
    (places, errors)
}

/// Sets one setting from a text; what is wrong with it.
fn apply_text(
    settings: &mut Settings,
    path: &str,
    text: &str,
    place: SettingOrigin,
) -> Option<ConfigError> {
    let nest = |tree: Value, key: &str| json!({ key: tree });
    let tree = path.rsplit('.').fold(Value::from(text), nest);
    read(tree).and_then(|raw| raw.apply(settings)).err().map(|fault| fault.at(place))
}
