//! The keys that clients must show: `name: key` in the file, `name=key,name=key` in a variable.

use super::section::Field;
use super::value_type::{Parsed, SecretKey, ValueType};
use crate::error::SettingFault;
use crate::secret::Secret;
use crate::settings::GatewayKey;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Keys by the name of their tenant.
pub(crate) struct Keys(BTreeMap<String, Secret>);

impl Field for Keys {
    type Value = Vec<GatewayKey>;

    fn put(self, place: &mut Vec<GatewayKey>) -> Result<(), SettingFault> {
        *place = self.0.into_iter().map(|(name, key)| GatewayKey { name, key }).collect();
        Ok(())
    }

    fn of(value: &Vec<GatewayKey>) -> Option<Self> {
        Some(Keys(value.iter().map(|key| (key.name.clone(), key.key.clone())).collect()))
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "names with keys: `name: key` in a file, name=key,name=key in a variable")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Keys, E> {
        let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        let keys = pairs.map(|pair| {
            let (name, key) = pair.split_once('=').ok_or_else(|| {
                E::custom("expected name=key,name=key, found an entry without `=`")
            })?;
            let key = SecretKey::parse(key)
                .ok_or_else(|| E::custom(format!("{name}: expected {}", SecretKey::expected())))?;
            Ok((name.to_owned(), key))
        });
        keys.collect::<Result<_, E>>().map(Keys)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Keys, A::Error> {
        let mut keys = BTreeMap::new();
        while let Some((name, Parsed(key))) = pairs.next_entry::<String, Parsed<SecretKey>>()? {
            keys.insert(name, key);
        }
        Ok(Keys(keys))
    }
}

impl Serialize for Keys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.0)
    }
}

impl JsonSchema for Keys {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Keys".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let key = Parsed::<SecretKey>::json_schema(generator);
        json_schema!({ "anyOf": [
            { "type": "object", "additionalProperties": key },
            { "type": "string" },
        ] })
    }
}
