//! The kinds of plugins that settings can ask for.

use crate::factory::Factory;
use crate::plugin::{Error, Plugin};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The kinds of plugins that settings can ask for, by name.
#[derive(Default)]
pub struct Registry {
    factories: BTreeMap<String, Box<dyn Factory>>,
}

/// Why settings do not make a plugin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No plugin of this name is registered.
    #[error("no plugin is called `{name}`; there is {}", listed(known))]
    UnknownPlugin {
        /// The name that was asked for.
        name: String,
        /// The names that could have been.
        known: Vec<String>,
    },
    /// The plugin has no such setting.
    #[error("plugin `{plugin}`: unknown key `{key}`; it takes {}", listed(allowed))]
    UnknownKey {
        /// The name of the plugin.
        plugin: String,
        /// The key that it does not know.
        key: String,
        /// The keys that it does.
        allowed: Vec<String>,
    },
    /// The plugin cannot work with these settings.
    #[error("plugin `{plugin}`: {problem}")]
    Invalid {
        /// The name of the plugin.
        plugin: String,
        /// What it said.
        problem: Error,
    },
    /// Two kinds of plugins want the same name.
    #[error("two plugins are called `{name}`: rename one of them")]
    NameTaken {
        /// The name.
        name: String,
    },
}

impl Registry {
    /// Adds a kind of plugin.
    ///
    /// # Errors
    /// [`ConfigError::NameTaken`].
    pub fn register(&mut self, factory: impl Factory + 'static) -> Result<(), ConfigError> {
        let name = factory.name().to_owned();
        if self.factories.contains_key(&name) {
            return Err(ConfigError::NameTaken { name });
        }
        self.factories.insert(name, Box::new(factory));
        Ok(())
    }

    /// Every kind of plugin, by name.
    pub fn factories(&self) -> impl Iterator<Item = &dyn Factory> {
        self.factories.values().map(|factory| &**factory)
    }

    /// Makes a plugin. No settings (`null`) are the same as empty ones.
    ///
    /// # Errors
    /// What is wrong with the name or the settings.
    pub fn build(&self, name: &str, config: &Value) -> Result<Arc<dyn Plugin>, ConfigError> {
        let factory = self.factories.get(name).ok_or_else(|| ConfigError::UnknownPlugin {
            name: name.to_owned(),
            known: self.factories.keys().cloned().collect(),
        })?;
        let empty = Value::Object(Map::new());
        let config = if config.is_null() { &empty } else { config };
        only_known_keys(name, &factory.schema(), config)?;
        factory.build(config).map_err(|problem| {
            let plugin = name.to_owned();
            ConfigError::Invalid { plugin, problem }
        })
    }
}

/// Checks that the schema lists every key. Done here for all plugins, because a key that no plugin reads is a setting
/// that silently does nothing.
fn only_known_keys(plugin: &str, schema: &Value, config: &Value) -> Result<(), ConfigError> {
    let (Some(allowed), Some(members)) = (only_keys(schema), config.as_object()) else {
        return Ok(());
    };
    match members.keys().find(|key| !allowed.contains(key)) {
        None => Ok(()),
        Some(key) => {
            Err(ConfigError::UnknownKey { plugin: plugin.to_owned(), key: key.clone(), allowed })
        }
    }
}

/// The only keys that an object may have, where the schema says so in one place.
fn only_keys(schema: &Value) -> Option<Vec<String>> {
    let elsewhere = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"];
    let takes_others = schema.get("additionalProperties").is_some_and(|others| *others != false);
    if schema.get("type")? != "object"
        || takes_others
        || elsewhere.iter().any(|key| schema.get(key).is_some())
    {
        return None;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    Some(properties.into_iter().flat_map(Map::keys).cloned().collect())
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { format!("`{}`", names.join("`, `")) }
}
