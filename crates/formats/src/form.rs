//! The forms that a JSON text can take.

use crate::refusal::Refusal;
use crate::stc2::{self, Level};
use crate::{stc, table, toon};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use tokenforge_json::error::{Error, ErrorKind};
use tokenforge_json::tape::Json;

/// A form that a JSON text can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// Minified JSON.
    Json,
    /// TOON 4.4, with numbers as they were written.
    Toon,
    /// STC 1, dense.
    Stc,
    /// STC 1 without tables, for models that read rows as well as JSON in no shorter form. It is in no list unless put there:
    /// who reads tables gets fewer tokens in them.
    StcFlat,
    /// STC 2. Its reader has to know it, or to be one that understands its headers: it is in no list unless put there.
    Stc2(Level),
    /// STC 2 as a model is given it: with a legend in its first line, and quotes around the strings of lists.
    Stc2ForModel(Level),
    /// The typed table.
    Table,
}

impl Form {
    /// Every form that can be given to anyone.
    pub const ALL: &'static [Self] = &[Self::Json, Self::Toon, Self::Stc, Self::Table];

    /// The name, as a user writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Toon => "toon",
            Self::Stc => "stc",
            Self::StcFlat => "stc-flat",
            Self::Stc2(_) | Self::Stc2ForModel(_) => "stc2",
            Self::Table => "table",
        }
    }

    /// Writes a JSON text in this form, if the form can hold its value. All but TOON hold the text as well:
    /// TOON writes escapes its own way, and the members of rows in the order of the first row.
    ///
    /// ```
    /// use tokenforge_formats::{Form, Json};
    ///
    /// let json = Json::parse(r#"{"a": 1.50}"#)?;
    /// assert_eq!(Form::Toon.encode(&json).as_deref(), Ok("a: 1.50"));
    /// # Ok::<(), tokenforge_formats::Error>(())
    /// ```
    pub fn encode<'a>(self, json: &Json<'a>) -> Result<Cow<'a, str>, Refusal> {
        match self {
            Self::Json => Ok(json.minify()),
            Self::Stc => Ok(stc::encode(json, stc::Spelling::Dense).into()),
            Self::StcFlat => Ok(stc::encode(json, stc::Spelling::Flat).into()),
            Self::Stc2(level) => Ok(stc2::encode(json, level)),
            Self::Stc2ForModel(level) => Ok(stc2::encode_for_model(json, level)),
            Self::Table => table::encode(json).map(Cow::Owned),
            Self::Toon => {
                let numbers = toon::Numbers::Verbatim;
                let options = toon::EncodeOptions { numbers, ..Default::default() };
                toon::encode(json, &options).map(Cow::Owned)
            }
        }
    }

    /// Reads a text in this form and writes minified JSON of at most `max_output` bytes.
    pub fn decode(self, text: &str, max_output: usize) -> Result<String, Error> {
        match self {
            Self::Json => {
                let json = Json::parse(text)?;
                if json.minified_len() > max_output {
                    let kind = ErrorKind::OutputTooLarge { limit: max_output };
                    return Err(Error::at(kind, text, text.len()));
                }
                Ok(json.minify().into_owned())
            }
            Self::Stc | Self::StcFlat => stc::decode(text, max_output),
            Self::Stc2(_) | Self::Stc2ForModel(_) => stc2::decode(text, max_output),
            Self::Table => table::decode(text, max_output),
            Self::Toon => {
                let options = toon::DecodeOptions { max_output, ..Default::default() };
                toon::decode(text, &options)
            }
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(name: &str) -> Result<Self, UnknownForm> {
        Self::ALL
            .iter()
            .copied()
            .find(|form| form.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownForm(name.to_owned()))
    }
}

/// A name that is no form's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown form `{0}`, expected one of: json, toon, stc, table")]
pub struct UnknownForm(String);
