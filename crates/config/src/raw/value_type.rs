//! The words that a setting can be: how each is read from text, and written.
//!
//! A variable, a flag and `${...}` give text; YAML gives `true` and `2048` their own types. Here all of them are text
//! again, so that a value means the same wherever it is written.

mod amount;
mod text;

pub(crate) use amount::{
    ByteSize, Dollars, Integer, Part, PositiveCount, Spending, TargetRatio, TimeSpan,
};
pub(crate) use text::{
    Boolean, FilePath, HeaderText, HostPort, HttpUrl, LedgerTarget, NonEmptyText, SecretKey,
    SocketAddress, StoreLocation,
};

use crate::settings::Choice;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A kind of word.
pub(crate) trait ValueType {
    /// What it means.
    type Value: Clone;
    /// May a wrong one be repeated in a message?
    const SECRET: bool = false;

    /// What is allowed, in words.
    fn expected() -> String;
    /// The meaning, if the text is allowed.
    fn parse(text: &str) -> Option<Self::Value>;
    /// How it is written.
    fn write(value: &Self::Value) -> Scalar;
    /// What a file may hold.
    fn schema() -> Schema;
}

/// A word as it is written. Not a `serde_json::Value`: with some of its features, numbers are maps to other formats.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Scalar {
    Boolean(bool),
    Integer(usize),
    Signed(i32),
    Fraction(f64),
    Text(String),
}

impl Scalar {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// A word that was read.
pub(crate) struct Parsed<T: ValueType>(pub(crate) T::Value);

impl<'de, T: ValueType> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor(PhantomData))
    }
}

struct ScalarVisitor<T>(PhantomData<T>);

impl<T: ValueType> Visitor<'_> for ScalarVisitor<T> {
    type Value = Parsed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&T::expected())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        read::<T, E>(text)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        read::<T, E>(&value.to_string())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        read::<T, E>(&value.to_string())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        read::<T, E>(&value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        read::<T, E>(&value.to_string())
    }
}

fn read<T: ValueType, E: de::Error>(text: &str) -> Result<Parsed<T>, E> {
    T::parse(text).map(Parsed).ok_or_else(|| {
        let expected = T::expected();
        if T::SECRET {
            E::custom(format!("expected {expected}"))
        } else {
            E::custom(format!("expected {expected}, found `{text}`"))
        }
    })
}

impl<T: ValueType> Serialize for Parsed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::write(&self.0).serialize(serializer)
    }
}

impl<T: ValueType> JsonSchema for Parsed<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Parsed".into()
    }

    /// Every value may also come from the environment.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [T::schema(), { "type": "string", "pattern": r"\$\{" }] })
    }
}

/// One of a few names.
pub(crate) struct OneOf<T>(PhantomData<T>);

impl<T: Choice> ValueType for OneOf<T> {
    type Value = T;

    fn expected() -> String {
        T::allowed()
    }

    fn parse(text: &str) -> Option<T> {
        T::parse(text).ok()
    }

    fn write(value: &T) -> Scalar {
        Scalar::text(value.name())
    }

    fn schema() -> Schema {
        let names: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
        json_schema!({ "enum": names })
    }
}
