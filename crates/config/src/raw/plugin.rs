//! An entry of `plugins`.

use super::section::Field;
use super::value_type::{Boolean, Integer, NonEmptyText, OneOf, Parsed, TimeSpan};
use crate::error::SettingFault;
use crate::secret::MASK;
use crate::settings::{OnError, PluginConfig, PluginSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

/// A plugin, and where it stands among the others.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a section")]
pub(crate) struct PluginEntry {
    name: Parsed<NonEmptyText>,
    enabled: Option<Parsed<Boolean>>,
    priority: Option<Parsed<Integer>>,
    on_error: Option<Parsed<OneOf<OnError>>>,
    timeout: Option<Parsed<TimeSpan>>,
    config: Option<PluginOwnConfig>,
}

impl PluginEntry {
    fn into_settings(self) -> PluginSettings {
        let default = PluginSettings::named(self.name.0);
        PluginSettings {
            enabled: self.enabled.map_or(default.enabled, |enabled| enabled.0),
            priority: self.priority.map_or(default.priority, |priority| priority.0),
            on_error: self.on_error.map_or(default.on_error, |on_error| on_error.0),
            timeout: self.timeout.map_or(default.timeout, |timeout| timeout.0),
            config: self.config.map_or(default.config, |own| PluginConfig::new(own.0)),
            name: default.name,
        }
    }

    fn of(value: &PluginSettings) -> Self {
        let config = value.config.expose();
        PluginEntry {
            name: Parsed(value.name.clone()),
            enabled: Some(Parsed(value.enabled)),
            priority: Some(Parsed(value.priority)),
            on_error: Some(Parsed(value.on_error)),
            timeout: Some(Parsed(value.timeout)),
            config: (!config.is_null()).then(|| PluginOwnConfig(config.clone())),
        }
    }
}

/// All of them, in their order: what is written takes the place of those before.
impl Field for Vec<PluginEntry> {
    type Value = Vec<PluginSettings>;

    fn put(self, place: &mut Vec<PluginSettings>) -> Result<(), SettingFault> {
        *place = self.into_iter().map(PluginEntry::into_settings).collect();
        Ok(())
    }

    fn of(value: &Vec<PluginSettings>) -> Option<Self> {
        Some(value.iter().map(PluginEntry::of).collect())
    }
}

/// The plugin's own settings, of which only the plugin knows what is allowed.
struct PluginOwnConfig(Value);

impl<'de> Deserialize<'de> for PluginOwnConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(PluginOwnConfig)
    }
}

impl Serialize for PluginOwnConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MappedJson { value: &self.0, text: |_| MASK }.serialize(serializer)
    }
}

impl JsonSchema for PluginOwnConfig {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PluginOwnConfig".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

/// A value, with something done to its texts. It is not written by its own means: with some features of serde_json,
/// numbers are maps to other formats.
pub(crate) struct MappedJson<'a> {
    pub(crate) value: &'a Value,
    pub(crate) text: fn(&str) -> &str,
}

impl Serialize for MappedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.text;
        match self.value {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(integer), _, _) => serializer.serialize_i64(integer),
                (None, Some(integer), _) => serializer.serialize_u64(integer),
                (None, None, Some(fraction)) => serializer.serialize_f64(fraction),
                (None, None, None) => serializer.serialize_str(MASK),
            },
            Value::String(value) => serializer.serialize_str(text(value)),
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items
                    .iter()
                    .try_for_each(|value| list.serialize_element(&MappedJson { value, text }))?;
                list.end()
            }
            Value::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, &MappedJson { value, text })?;
                }
                map.end()
            }
        }
    }
}
