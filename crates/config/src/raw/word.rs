//! The words that a setting can be: how each is read from text, and written.
//!
//! A variable, a flag and `${...}` give text; YAML gives `true` and `2048` their own types. Here all of them are text
//! again, so that a value means the same wherever it is written.

mod amount;
mod text;

pub(crate) use amount::{Bytes, Count, Dollars, Integer, Ratio, Span};
pub(crate) use text::{Address, File, Flag, HeaderText, Host, Key, Ledger, Location, Text, Web};

use crate::settings::Choice;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A kind of word.
pub(crate) trait Word {
    /// What it means.
    type Meant: Clone;
    /// May a wrong one be repeated in a message?
    const SECRET: bool = false;

    /// What is allowed, in words.
    fn expected() -> String;
    /// The meaning, if the text is allowed.
    fn read(text: &str) -> Option<Self::Meant>;
    /// How it is written.
    fn write(meant: &Self::Meant) -> Spelled;
    /// What a file may hold.
    fn schema() -> Schema;
}

/// A word as it is written. Not a `serde_json::Value`: with some of its features, numbers are maps to other formats.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Spelled {
    Flag(bool),
    Integer(usize),
    Signed(i32),
    Fraction(f64),
    Text(String),
}

impl Spelled {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// A word that was read.
pub(crate) struct Written<W: Word>(pub(crate) W::Meant);

impl<'de, W: Word> Deserialize<'de> for Written<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordVisitor(PhantomData))
    }
}

struct WordVisitor<W>(PhantomData<W>);

impl<W: Word> Visitor<'_> for WordVisitor<W> {
    type Value = Written<W>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&W::expected())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        read::<W, E>(text)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        read::<W, E>(&value.to_string())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        read::<W, E>(&value.to_string())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        read::<W, E>(&value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        read::<W, E>(&value.to_string())
    }
}

fn read<W: Word, E: de::Error>(text: &str) -> Result<Written<W>, E> {
    W::read(text).map(Written).ok_or_else(|| {
        let expected = W::expected();
        if W::SECRET {
            E::custom(format!("expected {expected}"))
        } else {
            E::custom(format!("expected {expected}, found `{text}`"))
        }
    })
}

impl<W: Word> Serialize for Written<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        W::write(&self.0).serialize(serializer)
    }
}

impl<W: Word> JsonSchema for Written<W> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Word".into()
    }

    /// Every value may also come from the environment.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [W::schema(), { "type": "string", "pattern": r"\$\{" }] })
    }
}

/// One of a few names.
pub(crate) struct One<T>(PhantomData<T>);

impl<T: Choice> Word for One<T> {
    type Meant = T;

    fn expected() -> String {
        T::allowed()
    }

    fn read(text: &str) -> Option<T> {
        T::parse(text).ok()
    }

    fn write(meant: &T) -> Spelled {
        Spelled::text(meant.name())
    }

    fn schema() -> Schema {
        let names: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
        json_schema!({ "enum": names })
    }
}
