//! Downgrade protection: which safeguards a reload would take away.
//!
//! A file that was cut short, or is just being written, is a file without keys. So whoever wants fewer safeguards has to
//! restart, where that is surely meant.

use crate::settings::{PluginSettings, Settings};

/// The plugins that keep something in or somebody out.
const SAFETY_PLUGINS: [&str; 3] = ["ip-allow", "pii-filter", "secrets-detector"];

impl Settings {
    /// The settings that hold a safeguard which is on here, and would be off with `new`.
    ///
    /// ```
    /// use tokenforge_config::{Secret, Settings};
    ///
    /// let before = Settings { admin_token: Some(Secret::new("t")), ..Settings::default() };
    /// assert_eq!(before.safeguards_lost(&Settings::default()), ["admin_token"]);
    /// assert!(Settings::default().safeguards_lost(&before).is_empty());
    /// ```
    #[must_use]
    pub fn safeguards_lost(&self, new: &Settings) -> Vec<&'static str> {
        let has_plugin = |settings: &Settings, name: &str| {
            let is_on = |plugin: &PluginSettings| plugin.enabled && plugin.name == name;
            settings.plugins.iter().any(is_on)
        };
        let loses_plugin = |name: &&str| has_plugin(self, name) && !has_plugin(new, name);
        [
            ("keys", !self.keys.is_empty() && new.keys.is_empty()),
            ("admin_token", self.admin_token.is_some() && new.admin_token.is_none()),
            ("redact_secrets", self.redact_secrets && !new.redact_secrets),
            (
                "pipes.tool_output.redact_secrets",
                self.tool_output.redact_secrets && !new.tool_output.redact_secrets,
            ),
            ("plugins", SAFETY_PLUGINS.iter().any(loses_plugin)),
        ]
        .into_iter()
        .filter_map(|(name, is_lost)| is_lost.then_some(name))
        .collect()
    }
}
