//! Lists of words: a YAML list, or a text with commas, which is how variables hold them.

use super::value_type::{Parsed, ValueType};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Words, in order.
pub(crate) struct ValueList<T: ValueType>(pub(crate) Vec<T::Value>);

impl<'de, T: ValueType> Deserialize<'de> for ValueList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: ValueType> Visitor<'de> for ListVisitor<T> {
    type Value = ValueList<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list, each of it {}", T::expected())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ValueList<T>, E> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let words = words.map(|word| {
            Parsed::<T>::deserialize(de::value::StrDeserializer::<E>::new(word)).map(|word| word.0)
        });
        words.collect::<Result<_, E>>().map(ValueList)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<ValueList<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(Parsed(word)) = words.next_element::<Parsed<T>>()? {
            list.push(word);
        }
        Ok(ValueList(list))
    }
}

impl<T: ValueType> Serialize for ValueList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(T::write))
    }
}

impl<T: ValueType> JsonSchema for ValueList<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "List".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = Parsed::<T>::json_schema(generator);
        json_schema!({ "anyOf": [{ "type": "array", "items": items }, { "type": "string" }] })
    }
}
