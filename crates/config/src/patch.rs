//! Changes to settings in use.

use crate::error::{ConfigError, Fault, Place};
use crate::load::{check, read};
use crate::secret::MASK;
use crate::settings::{Monitoring, Settings, ToolOutput};
use crate::show::{at, set};
use crate::table::{Change, SETTINGS};
use serde_json::Value;

/// The one secret that can be changed.
const API_KEY: &str = "pipes.tool_output.api.api_key";

impl Settings {
    /// These settings with a change: an object of the shape of the file, with what shall differ. `null` is the default,
    /// and a secret that is masked stays, so that [`changeable_json`](Self::changeable_json) can be edited and given
    /// back.
    ///
    /// # Errors
    /// Something that cannot change while the gateway runs, a value that is not allowed, or values that do not go
    /// together.
    ///
    /// ```
    /// use serde_json::json;
    /// use tokenforge_config::Settings;
    ///
    /// let settings = Settings::default();
    /// let safe = settings.patched(&json!({"pipes": {"tool_output": {"mode": "safe"}}}))?;
    /// assert_eq!(safe.tool_output.mode.name(), "safe");
    /// assert!(settings.patched(&json!({"listen": "127.0.0.1:1"})).is_err());
    /// # Ok::<(), tokenforge_config::ConfigError>(())
    /// ```
    pub fn patched(&self, patch: &Value) -> Result<Settings, ConfigError> {
        self.changed_by(patch).map_err(|fault| fault.at(Place::Patch))
    }

    fn changed_by(&self, patch: &Value) -> Result<Settings, Fault> {
        let mut changes = Vec::new();
        collect(patch, "", &mut changes)?;
        let mut tree = self.changeable_json();
        for (path, value) in changes {
            set(&mut tree, path, value.clone());
        }
        let keeps_key = at(&tree, API_KEY).and_then(Value::as_str) == Some(MASK);
        if keeps_key {
            set(&mut tree, API_KEY, Value::Null);
        }
        let mut settings = self.with_default_changeables();
        read(tree)?.apply(&mut settings)?;
        if keeps_key {
            settings.tool_output.api.api_key.clone_from(&self.tool_output.api.api_key);
        }
        check(&settings)?;
        Ok(settings)
    }

    fn with_default_changeables(&self) -> Settings {
        let default = Settings::default();
        let (deadline, log_level) = (self.tool_output.deadline, default.monitoring.log_level);
        Settings {
            tool_output: ToolOutput { deadline, ..default.tool_output },
            schema_compression: default.schema_compression,
            redact_secrets: default.redact_secrets,
            toon: default.toon,
            monitoring: Monitoring { log_level, ..self.monitoring.clone() },
            ..self.clone()
        }
    }

    /// The settings that differ in `new` and count only after a restart.
    #[must_use]
    pub fn restart_needed(&self, new: &Settings) -> Vec<&'static str> {
        let (old_json, new_json) = (self.to_json(), new.to_json());
        let differs = |path: &str| match path {
            // What is masked looks the same.
            "store.url" => self.store.url != new.store.url,
            "store.key" => self.store.key != new.store.key,
            path => at(&old_json, path) != at(&new_json, path),
        };
        let fixed = SETTINGS.iter().filter(|setting| setting.change == Change::Restart);
        fixed.map(|setting| setting.path).filter(|path| differs(path)).collect()
    }
}

/// Finds the settings that a change names, going down only where there are settings.
pub(crate) fn collect<'a>(
    patch: &'a Value,
    around: &str,
    changes: &mut Vec<(&'static str, &'a Value)>,
) -> Result<(), Fault> {
    let Value::Object(members) = patch else {
        return Err(Fault::new(around, "expected an object of the shape of the file"));
    };
    for (key, value) in members {
        let dot = if around.is_empty() { "" } else { "." };
        let path = format!("{around}{dot}{key}");
        let setting = SETTINGS.iter().find(|setting| setting.path == path);
        match setting {
            Some(setting) if setting.change == Change::AtOnce => {
                changes.push((setting.path, value))
            }
            None if is_section(&path) => collect(value, &path, changes)?,
            Some(_) => {
                return Err(Fault::new(path, format!("cannot be changed here; {WHAT_CAN}")));
            }
            None => return Err(Fault::new(path, format!("there is no such setting; {WHAT_CAN}"))),
        }
    }
    Ok(())
}

const WHAT_CAN: &str = "what can be changed is pipes.tool_output.*, schema_compression, redact_secrets, toon.* and \
                        monitoring.log_level";

fn is_section(path: &str) -> bool {
    let inside =
        |setting: &&str| setting.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    SETTINGS.iter().map(|setting| setting.path).any(|setting| inside(&setting))
}
