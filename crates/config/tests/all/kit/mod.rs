//! What makes a test of settings a few lines.

use tokenforge_config::{ConfigErrors, ConfigFile, Overrides, Settings};

/// Settings from a file alone.
pub(crate) fn file(text: &str) -> Result<Settings, ConfigErrors> {
    load(text, &[], &Overrides::default())
}

/// Settings from variables alone.
pub(crate) fn variables(variables: &[(&str, &str)]) -> Result<Settings, ConfigErrors> {
    load("", variables, &Overrides::default())
}

/// Settings from everything.
pub(crate) fn load(
    text: &str,
    variables: &[(&str, &str)],
    overrides: &Overrides,
) -> Result<Settings, ConfigErrors> {
    let environment = |name: &str| {
        let variable = variables.iter().find(|(known, _)| *known == name);
        variable.map(|(_, value)| (*value).to_owned())
    };
    Settings::load(Some(ConfigFile { name: "tokenforge.yaml", text }), &environment, overrides)
}
