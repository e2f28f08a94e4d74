//! Plugins, as settings name them.

use super::Choice;
use crate::secret::MASK;
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// A plugin. What is not said, the plugin or the gateway decides.
#[derive(Debug, Clone, PartialEq)]
pub struct PluginSettings {
    /// Its name.
    pub name: String,
    /// Is it called at all?
    pub enabled: bool,
    /// Lower is called earlier.
    pub priority: i32,
    /// What becomes of a request when a call fails.
    pub on_error: OnError,
    /// How long a call may take.
    pub timeout: Duration,
    /// Its own settings.
    pub config: PluginConfig,
}

impl PluginSettings {
    /// A plugin of this name, as it is when nothing else is said.
    pub fn named(name: impl Into<String>) -> Self {
        PluginSettings {
            name: name.into(),
            enabled: true,
            priority: 0,
            on_error: OnError::default(),
            timeout: Duration::from_secs(1),
            config: PluginConfig::default(),
        }
    }
}

/// What becomes of a request when a plugin's call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnError {
    /// It goes on as if the plugin were not there.
    #[default]
    Open,
    /// It ends with a 502.
    Closed,
}

impl Choice for OnError {
    const ALL: &'static [Self] = &[Self::Open, Self::Closed];

    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// A plugin's own settings. What is a secret among them only the plugin knows, so no text of them is ever shown.
#[derive(Clone, PartialEq, Default)]
pub struct PluginConfig(Value);

impl PluginConfig {
    /// Hides the texts in a value.
    pub fn new(value: Value) -> Self {
        PluginConfig(value)
    }

    /// The value itself: for the plugin, never for a message.
    #[must_use]
    pub fn expose(&self) -> &Value {
        &self.0
    }
}

impl fmt::Debug for PluginConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}
