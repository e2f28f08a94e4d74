//! The options of a request: what it asks of us in its `_forge` member.

use crate::problem::RewriteProblem;
use serde_json::Value;
use tokenforge_config::{Choice, SchemaCompression};
use tokenforge_engine::overrides::RequestOverrides;

/// How much a caller may say about itself for the telemetry.
const LARGEST_DEBUG: usize = 1024;

const FIELDS: &str = "tool_output_compression, schema_compression and debug";
/// What a request asks of us.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestOptions {
    /// What is to be done to tool outputs.
    pub compression: RequestOverrides,
    /// What is to be done to tool schemas.
    pub schemas: Option<SchemaCompression>,
    /// Stands in for `min_bytes`.
    pub min_bytes: Option<usize>,
    /// What the caller says about itself.
    pub debug: Option<Value>,
}

impl RequestOptions {
    /// Adds what the `_forge` member says, which is closer to the request than its headers.
    ///
    /// # Errors
    /// It asks for something that does not exist.
    pub fn with_member(self, json: &str) -> Result<Self, RewriteProblem> {
        let unreadable = |error| wrong("_forge", format!("_forge cannot be read: {error}"));
        let value: Value = serde_json::from_str(json).map_err(unreadable)?;
        let Value::Object(fields) = value else {
            return Err(wrong("_forge", "_forge: expected an object".to_owned()));
        };
        let mut options = self;
        for (name, value) in fields {
            let field = format!("_forge.{name}");
            match name.as_str() {
                "tool_output_compression" => {
                    let read = RequestOverrides::read(&value);
                    let read = read.map_err(|error| wrong(&error.field, error.to_string()))?;
                    options.compression = over(read, options.compression);
                }
                "schema_compression" => options.schemas = Some(schemas(&field, &value)?),
                "debug" => options.debug = Some(debug(&field, value)?),
                _ => {
                    let message = format!("{field} does not exist; there are {FIELDS}");
                    return Err(wrong(&field, message));
                }
            }
        }
        Ok(options)
    }
}

/// The first, with the second where it says nothing.
fn over(first: RequestOverrides, second: RequestOverrides) -> RequestOverrides {
    RequestOverrides {
        mode: first.mode.or(second.mode),
        method: first.method.or(second.method),
        session_id: first.session_id.or(second.session_id),
        dedup: first.dedup.or(second.dedup),
        redact_secrets: first.redact_secrets.or(second.redact_secrets),
        max_output_bytes: first.max_output_bytes.or(second.max_output_bytes),
        memo: first.memo.or(second.memo),
        model_class: first.model_class.or(second.model_class),
    }
}

fn schemas(field: &str, value: &Value) -> Result<SchemaCompression, RewriteProblem> {
    let name = value.as_str().unwrap_or_default();
    SchemaCompression::parse(name).map_err(|_| {
        wrong(
            field,
            format!(
                "{field}: expected \"disabled\", \"minify\" or \"compact\", found {}",
                kind(value)
            ),
        )
    })
}

fn debug(field: &str, value: Value) -> Result<Value, RewriteProblem> {
    let length = value.to_string().len();
    match value {
        Value::Object(_) if length <= LARGEST_DEBUG => Ok(value),
        Value::Object(_) => Err(wrong(
            field,
            format!("{field} has {length} bytes; there is room for {LARGEST_DEBUG}"),
        )),
        other => Err(wrong(field, format!("{field}: expected an object, found {}", kind(&other)))),
    }
}

/// What a value is, without what it says.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "another string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn wrong(field: &str, message: String) -> RewriteProblem {
    RewriteProblem::BadOption { field: Some(field.to_owned()), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f5_what_is_wrong_is_named_with_what_is_allowed() {
        for (member, expected) in [
            (r#"{"tool_output_compression":"max"}"#, "lossless, standard and aggressive"),
            (r#"{"tool_output_compression":{"method":"zip"}}"#, "lzw"),
            (r#"{"schema_compression":"tiny"}"#, "\"disabled\", \"minify\" or \"compact\""),
            (r#"{"debug":[]}"#, "expected an object"),
            (r#"{"mode":"safe"}"#, "tool_output_compression, schema_compression and debug"),
            (r#""safe""#, "expected an object"),
        ] {
            let problem = RequestOptions::default().with_member(member).unwrap_err();
            let RewriteProblem::BadOption { field, message } = problem else { panic!("{member}") };
            assert!(message.contains(expected), "{member}: {message}");
            assert!(field.unwrap().starts_with("_forge"), "{member}");
        }
    }
}
