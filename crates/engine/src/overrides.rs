//! What one request asks for: the value of `_forge.tool_output_compression`.

use crate::mode::Mode;
use crate::session::SessionOptions;
use crate::settings::{LARGEST_MAX_OUTPUT_BYTES, Settings};
use crate::stages::dictionary::DictionaryMethod;
use serde_json::{Map, Value};
use tokenforge_tokens::ModelClass;

/// The fields a request may set; what it does not name is inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestOverrides {
    /// How much is done.
    pub mode: Option<Mode>,
    /// Which dictionary method the aggressive mode uses.
    pub method: Option<DictionaryMethod>,
    /// The session, which duplicates across requests and the memo need.
    pub session_id: Option<String>,
    /// May a result become a pointer to an earlier one, of its request or of its session?
    pub dedup: Option<bool>,
    /// Are secrets removed?
    pub redact_secrets: Option<bool>,
    /// How many bytes of an output are kept; never more than 1,048,576.
    pub max_output_bytes: Option<usize>,
    /// May the text made of a call's result before be used again?
    pub memo: Option<bool>,
    /// How well the model reads what is written in other words.
    pub model_class: Option<ModelClass>,
}

/// A value that a request may not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: expected {expected}, found {found}")]
pub struct OverrideError {
    /// Which field.
    pub field: String,
    /// What it may be.
    pub expected: String,
    /// What it is.
    pub found: String,
}

const FIELD: &str = "_forge.tool_output_compression";
const FIELDS: &str =
    "mode, method, session_id, dedup, redact_secrets, max_output_bytes, memo, model_class";

impl RequestOverrides {
    /// Reads the value of `_forge.tool_output_compression`: a mode, or an object.
    ///
    /// # Errors
    /// A field that does not exist, or a value it may not have; the message names both and what is allowed.
    ///
    /// ```
    /// use tokenforge_engine::{Mode, overrides::RequestOverrides};
    ///
    /// assert_eq!(RequestOverrides::read(&"safe".into())?.mode, Some(Mode::Safe));
    /// let error = RequestOverrides::read(&serde_json::json!({"mode": "max"})).unwrap_err();
    /// assert!(error.to_string().starts_with("_forge.tool_output_compression.mode: expected"));
    /// # Ok::<(), tokenforge_engine::overrides::OverrideError>(())
    /// ```
    pub fn read(value: &Value) -> Result<Self, OverrideError> {
        match value {
            Value::String(_) => {
                Ok(RequestOverrides { mode: Some(parse_field(FIELD, value)?), ..Self::default() })
            }
            Value::Object(fields) => Self::from_fields(fields),
            other => Err(error(FIELD.to_owned(), "a mode or an object", other)),
        }
    }

    fn from_fields(fields: &Map<String, Value>) -> Result<Self, OverrideError> {
        let mut overrides = RequestOverrides::default();
        for (name, value) in fields {
            let field = format!("{FIELD}.{name}");
            match name.as_str() {
                "mode" => overrides.mode = Some(parse_field(&field, value)?),
                "method" => overrides.method = Some(parse_field(&field, value)?),
                "session_id" => overrides.session_id = Some(text_field(field, value)?),
                "dedup" => overrides.dedup = Some(flag(field, value)?),
                "redact_secrets" => overrides.redact_secrets = Some(flag(field, value)?),
                "memo" => overrides.memo = Some(flag(field, value)?),
                "model_class" => overrides.model_class = Some(parse_field(&field, value)?),
                "max_output_bytes" => overrides.max_output_bytes = Some(bytes(field, value)?),
                _ => return Err(error(field, &format!("one of the fields {FIELDS}"), value)),
            }
        }
        Ok(overrides)
    }

    /// The settings with what this request names in place of the defaults.
    #[must_use]
    pub fn over(&self, defaults: &Settings) -> Settings {
        Settings {
            mode: self.mode.unwrap_or(defaults.mode),
            method: self.method.unwrap_or(defaults.method),
            redact_secrets: self.redact_secrets.unwrap_or(defaults.redact_secrets),
            // A request may lower a limit that the operator set, and not raise it.
            max_output_bytes: match (self.max_output_bytes, defaults.max_output_bytes) {
                (Some(asked), Some(most)) => Some(asked.min(most)),
                (asked, most) => asked.or(most),
            },
            dedup: self.dedup.unwrap_or(defaults.dedup),
            model_class: self.model_class.unwrap_or(defaults.model_class),
            ..defaults.clone()
        }
    }

    /// What is asked of the session. Duplicates are a matter of the [`Settings`], of which the session is one part.
    #[must_use]
    pub fn session_options(&self) -> SessionOptions {
        SessionOptions { memo: self.memo.unwrap_or(SessionOptions::default().memo) }
    }
}

fn parse_field<T: std::str::FromStr<Err: std::fmt::Display>>(
    field: &str,
    value: &Value,
) -> Result<T, OverrideError> {
    let name = value.as_str().ok_or_else(|| error(field.to_owned(), "a string", value))?;
    name.parse().map_err(|wrong: T::Err| OverrideError {
        field: field.to_owned(),
        expected: "one of the allowed names".to_owned(),
        found: wrong.to_string(),
    })
}

fn text_field(field: String, value: &Value) -> Result<String, OverrideError> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| error(field, "a string that is not empty", value))
}

fn flag(field: String, value: &Value) -> Result<bool, OverrideError> {
    value.as_bool().ok_or_else(|| error(field, "true or false", value))
}

fn bytes(field: String, value: &Value) -> Result<usize, OverrideError> {
    let bytes = value.as_u64().filter(|bytes| *bytes > 0);
    let bytes = bytes.ok_or_else(|| error(field, "a positive integer", value))?;
    Ok(usize::try_from(bytes).unwrap_or(usize::MAX).min(LARGEST_MAX_OUTPUT_BYTES))
}

fn error(field: String, expected: &str, found: &Value) -> OverrideError {
    let found = match found {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        scalar => scalar.to_string(),
    };
    OverrideError { field, expected: expected.to_owned(), found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn f4_the_object_overrides_what_it_names_and_inherits_the_rest() {
        let overrides =
            RequestOverrides::read(&json!({"mode": "aggressive", "method": "repair"})).unwrap();
        let defaults = Settings { redact_secrets: false, ..Settings::default() };
        let settings = overrides.over(&defaults);
        assert_eq!((settings.mode, settings.method), (Mode::Aggressive, DictionaryMethod::Repair));
        assert!(!settings.redact_secrets);
        assert_eq!(settings.max_output_bytes, None);
    }

    #[test]
    fn f4_a_larger_cap_than_a_mebibyte_is_clamped() {
        let overrides = RequestOverrides::read(&json!({"max_output_bytes": 9_000_000})).unwrap();
        assert_eq!(overrides.max_output_bytes, Some(1_048_576));
    }

    #[test]
    fn f5_a_wrong_value_names_the_field_and_what_is_allowed() {
        let cases = [
            (json!("turbo"), "disabled, observe, safe, lossless, standard and aggressive"),
            (json!(3), "a mode or an object"),
            (json!({"mode": 3}), "mode: expected a string"),
            (json!({"method": "zip"}), "lzw"),
            (json!({"dedup": "yes"}), "dedup: expected true or false"),
            (json!({"max_output_bytes": -1}), "a positive integer"),
            (json!({"max_output_bytes": 0}), "a positive integer"),
            (json!({"session_id": ""}), "a string that is not empty"),
            (json!({"modus": "safe"}), "one of the fields mode, method"),
        ];
        for (value, expected) in cases {
            let message = RequestOverrides::read(&value).unwrap_err().to_string();
            assert!(message.contains(expected), "{value}: {message}");
        }
    }
}
