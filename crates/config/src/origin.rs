//! Where each setting has its value from.

use crate::error::{ConfigError, SettingOrigin};
use crate::load::{ConfigFile, Environment, Overrides, flags, parse, variables};
use crate::patch::collect;
use crate::show::at;
use crate::table::SETTINGS;
use serde_json::Value;
use std::collections::BTreeMap;

/// Where settings have their values from, by their paths. A setting that is not here has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(BTreeMap<&'static str, SettingOrigin>);

impl Origins {
    /// Reads them as [`Settings::load`](crate::Settings::load) reads the settings.
    ///
    /// # Errors
    /// The file is not readable as YAML, or names a variable that is not set.
    ///
    /// ```
    /// use tokenforge_config::{ConfigFile, Origins, Overrides};
    ///
    /// let file = ConfigFile { name: "tokenforge.yaml", text: "pipes:\n  tool_output:\n    mode: safe\n" };
    /// let origins = Origins::read(Some(file), &|_| None, &Overrides::default())?;
    /// assert_eq!(origins.of("pipes.tool_output.mode").unwrap().to_string(), "tokenforge.yaml:3:5");
    /// assert_eq!(origins.of("listen"), None);
    /// # Ok::<(), tokenforge_config::ConfigError>(())
    /// ```
    pub fn read(
        file: Option<ConfigFile<'_>>,
        environment: Environment<'_>,
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let mut origins = BTreeMap::new();
        if let Some(file) = file {
            let mut document = parse(file, environment)?;
            if !document.faults.is_empty() {
                let fault = document.faults.swap_remove(0);
                let place = document.places.of(&fault.key, file.name);
                return Err(fault.at(place));
            }
            let is_written = |path| at(&document.tree, path).is_some_and(|value| !value.is_null());
            for path in SETTINGS.iter().map(|setting| setting.path).filter(|path| is_written(path))
            {
                origins.insert(path, document.places.of(path, file.name));
            }
        }
        for (setting, variable, _) in variables(environment) {
            origins.insert(setting.path, SettingOrigin::Variable(variable));
        }
        for (setting, flag, _) in flags(overrides) {
            origins.insert(setting.path, SettingOrigin::Flag(flag));
        }
        Ok(Origins(origins))
    }

    /// Where a setting has its value from; `None`: it is the default.
    #[must_use]
    pub fn of(&self, path: &str) -> Option<&SettingOrigin> {
        self.0.get(path)
    }

    /// Takes note of a change as [`Settings::patched`](crate::Settings::patched) takes it; `null` is the default.
    pub fn change(&mut self, patch: &Value) {
        let mut changes = Vec::new();
        // What cannot be changed was not.
        if collect(patch, "", &mut changes).is_err() {
            return;
        }
        for (path, value) in changes {
            match value {
                Value::Null => self.0.remove(path),
                _ => self.0.insert(path, SettingOrigin::Patch),
            };
        }
    }
}
