//! Downgrade protection: which safeguards a reload would take away.
//!
//! A file that was cut short, or is just being written, is a file without keys. So an operator who wants fewer
//! safeguards has to restart, where that is surely meant.

use crate::settings::{OnError, PluginSettings, Settings, Upstreams};
use http::Uri;

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
        [
            ("keys", !self.keys.is_empty() && new.keys.is_empty()),
            ("admin_token", self.admin_token.is_some() && new.admin_token.is_none()),
            ("redact_secrets", self.redact_secrets && !new.redact_secrets),
            (
                "pipes.tool_output.redact_secrets",
                self.tool_output.redact_secrets && !new.tool_output.redact_secrets,
            ),
            ("plugins", self.plugins.iter().any(|plugin| is_lost(plugin, &new.plugins))),
            ("upstreams", self.upstreams.is_replaced_by_defaults(&new.upstreams)),
        ]
        .into_iter()
        .filter_map(|(name, is_lost)| is_lost.then_some(name))
        .collect()
    }
}

/// Whether a plugin is no longer called, or can no longer stop a request when it fails. Any may be there to keep
/// clients out.
fn is_lost(plugin: &PluginSettings, new: &[PluginSettings]) -> bool {
    let is_kept = |other: &PluginSettings| {
        let is_as_strict = plugin.on_error == OnError::Open || other.on_error == OnError::Closed;
        other.enabled && other.name == plugin.name && is_as_strict
    };
    plugin.enabled && !new.iter().any(is_kept)
}

impl Upstreams {
    /// Would requests that go to an address of the operator's own go to a public provider?
    fn is_replaced_by_defaults(&self, new: &Upstreams) -> bool {
        let default = Upstreams::default();
        let falls_back =
            |of: fn(&Upstreams) -> &Uri| of(self) != of(&default) && of(new) == of(&default);
        (self.backend.is_some() && new.backend.is_none())
            || falls_back(|upstreams| &upstreams.anthropic)
            || falls_back(|upstreams| &upstreams.openai)
            || falls_back(|upstreams| &upstreams.gemini)
            || falls_back(|upstreams| &upstreams.bedrock)
    }
}
