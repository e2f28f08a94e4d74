//! Lists of words: a YAML list, or a text with commas, which is how variables hold them.

use super::word::{Word, Written};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Words, in order.
pub(crate) struct List<W: Word>(pub(crate) Vec<W::Meant>);

impl<'de, W: Word> Deserialize<'de> for List<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

struct ListVisitor<W>(PhantomData<W>);

impl<'de, W: Word> Visitor<'de> for ListVisitor<W> {
    type Value = List<W>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list, each of it {}", W::expected())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<List<W>, E> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let words = words.map(|word| {
            Written::<W>::deserialize(de::value::StrDeserializer::<E>::new(word)).map(|word| word.0)
        });
        words.collect::<Result<_, E>>().map(List)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<List<W>, A::Error> {
        let mut list = Vec::new();
        while let Some(Written(word)) = words.next_element::<Written<W>>()? {
            list.push(word);
        }
        Ok(List(list))
    }
}

impl<W: Word> Serialize for List<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(W::write))
    }
}

impl<W: Word> JsonSchema for List<W> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "List".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = Written::<W>::json_schema(generator);
        json_schema!({ "anyOf": [{ "type": "array", "items": items }, { "type": "string" }] })
    }
}
