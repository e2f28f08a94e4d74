//! Changes to settings in use.

use crate::error::{ConfigError, SettingFault, SettingOrigin};
use crate::load::{faults, read};
use crate::settings::Settings;
use crate::show::{at, set};
use crate::table::{SETTINGS, TakesEffect};
use serde_json::{Map, Value};

impl Settings {
    /// These settings with a change: an object of the shape of the file, with what shall differ. `null` is the default.
    /// [`changeable_json`](Self::changeable_json) can be edited and given back.
    ///
    /// This is the SSRF guard of the admin API: only what the table says to be changeable at once can be changed here,
    /// and that names no host, no key and no safety switch.
    ///
    /// # Errors
    /// Something that can be changed in the file alone, a value that is not allowed, or values that do not go together.
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
        self.changed_by(patch).map_err(|fault| fault.at(SettingOrigin::Patch))
    }

    fn changed_by(&self, patch: &Value) -> Result<Settings, SettingFault> {
        let mut changes = Vec::new();
        collect(patch, "", &mut changes)?;
        let defaults = Settings::default().to_json();
        let (mut settings, mut tree) = (self.clone(), Value::Object(Map::new()));
        for (path, value) in changes {
            match at(&defaults, path).filter(|_| value.is_null()) {
                None => set(&mut tree, path, value.clone()),
                Some(Value::Null) => clear(&mut settings, path),
                Some(default) => set(&mut tree, path, default.clone()),
            }
        }
        read(tree)?.apply(&mut settings)?;
        faults(&settings, |_| true).into_iter().next().map_or(Ok(settings), Err)
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
        let fixed = SETTINGS.iter().filter(|setting| setting.change == TakesEffect::Restart);
        fixed.map(|setting| setting.path).filter(|path| differs(path)).collect()
    }
}

/// Finds the settings that a change names, going down only where there are settings.
pub(crate) fn collect<'a>(
    patch: &'a Value,
    around: &str,
    changes: &mut Vec<(&'static str, &'a Value)>,
) -> Result<(), SettingFault> {
    let Value::Object(members) = patch else {
        return Err(SettingFault::new(around, "expected an object of the shape of the file"));
    };
    for (key, value) in members {
        let dot = if around.is_empty() { "" } else { "." };
        let path = format!("{around}{dot}{key}");
        let setting = SETTINGS.iter().find(|setting| setting.path == path);
        match setting {
            Some(setting) if setting.change == TakesEffect::AtOnce => {
                changes.push((setting.path, value))
            }
            None if is_section(&path) => collect(value, &path, changes)?,
            Some(_) => {
                return Err(SettingFault::new(
                    path,
                    format!("cannot be changed here, edit the file; {WHAT_CAN}"),
                ));
            }
            None => {
                return Err(SettingFault::new(
                    path,
                    format!("there is no such setting; {WHAT_CAN}"),
                ));
            }
        }
    }
    Ok(())
}

const WHAT_CAN: &str = "only settings that apply at once can be changed here (`tokenforge config table --all` lists \
                        them): none that names a host or a key, or turns a safeguard off";

/// Sets what has no value by default back to none.
fn clear(settings: &mut Settings, path: &str) {
    match path {
        MAX_OUTPUT_BYTES => settings.tool_output.max_output_bytes = None,
        TARGET_RATIO => settings.tool_output.target_ratio = None,
        _ => {}
    }
}

/// The changeable settings that have no value by default.
const MAX_OUTPUT_BYTES: &str = "pipes.tool_output.max_output_bytes";
const TARGET_RATIO: &str = "pipes.tool_output.target_ratio";

fn is_section(path: &str) -> bool {
    let inside =
        |setting: &&str| setting.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    SETTINGS.iter().map(|setting| setting.path).any(|setting| inside(&setting))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_default_can_be_cleared() {
        let defaults = Settings::default().to_json();
        let has_none = |path: &&str| at(&defaults, path).is_none_or(Value::is_null);
        let changeable = SETTINGS.iter().filter(|setting| setting.change == TakesEffect::AtOnce);
        let found: Vec<&str> = changeable.map(|setting| setting.path).filter(has_none).collect();
        assert_eq!(found, [MAX_OUTPUT_BYTES, TARGET_RATIO]);
    }
}
