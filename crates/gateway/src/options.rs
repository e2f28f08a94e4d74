//! What one request asks of us: in its `_forge` member, or in headers where a client cannot add one.

use crate::answer::Problem;
use http::{HeaderMap, HeaderName};
use serde_json::Value;
use tokenforge_config::{Choice, SchemaCompression};
use tokenforge_engine::overrides::RequestOverrides;

/// How much a caller may say about itself for the telemetry.
const LARGEST_DEBUG: usize = 1024;

const FIELDS: &str = "tool_output_compression, schema_compression and debug";
const MODE: HeaderName = HeaderName::from_static("x-forge-mode");
const MODEL_CLASS: HeaderName = HeaderName::from_static("x-forge-model-class");
const SESSION: HeaderName = HeaderName::from_static("x-forge-session");
const THRESHOLD: HeaderName = HeaderName::from_static("x-compression-threshold");

/// Where a client names the host that a request is for.
pub(crate) const TARGET: HeaderName = HeaderName::from_static("x-target-url");

/// Headers that are meant for us, and for nobody behind us.
static HEADERS: [HeaderName; 5] = [MODE, MODEL_CLASS, SESSION, THRESHOLD, TARGET];

/// Takes out what is meant for us.
pub(crate) fn remove_from(headers: &mut HeaderMap) {
    if are_in(headers) {
        HEADERS.iter().for_each(|name| drop(headers.remove(name)));
    }
}

/// Is anything meant for us? Most requests have none of it, and to look once is quicker than to look for each.
fn are_in(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| HEADERS.contains(name))
}

/// What a request asks of us.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RequestOptions {
    /// What is to be done to tool outputs.
    pub(crate) compression: RequestOverrides,
    /// What is to be done to tool schemas.
    pub(crate) schemas: Option<SchemaCompression>,
    /// Stands in for `min_bytes`.
    pub(crate) min_bytes: Option<usize>,
    /// What the caller says about itself.
    pub(crate) debug: Option<Value>,
}

impl RequestOptions {
    /// Reads the headers.
    pub(crate) fn of_headers(headers: &HeaderMap) -> Result<Self, Problem> {
        let mut options = RequestOptions::default();
        if !are_in(headers) {
            return Ok(options);
        }
        if let Some(mode) = text(headers, MODE)? {
            let mode = if mode.eq_ignore_ascii_case("off") { "disabled" } else { mode };
            options.compression.mode = Some(
                mode.parse().map_err(|error| wrong(MODE.as_str(), format!("{MODE}: {error}")))?,
            );
        }
        if let Some(class) = text(headers, MODEL_CLASS)? {
            let class = class.to_ascii_lowercase().parse();
            let class = class.map_err(|error: tokenforge_tokens::UnknownModelClass| {
                wrong(MODEL_CLASS.as_str(), format!("{MODEL_CLASS}: {error}"))
            })?;
            options.compression.model_class = Some(class);
        }
        if let Some(session) = text(headers, SESSION)?.filter(|session| !session.is_empty()) {
            options.compression.session_id = Some(session.to_owned());
        }
        if let Some(threshold) = text(headers, THRESHOLD)? {
            let bytes = threshold.trim().parse().map_err(|_| {
                let found = threshold.escape_debug();
                wrong(
                    THRESHOLD.as_str(),
                    format!("{THRESHOLD}: expected a number of bytes, found {found}"),
                )
            })?;
            options.min_bytes = Some(bytes);
        }
        Ok(options)
    }

    /// Adds what the `_forge` member says, which is closer to the request than its headers.
    pub(crate) fn with_member(self, json: &str) -> Result<Self, Problem> {
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

fn schemas(field: &str, value: &Value) -> Result<SchemaCompression, Problem> {
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

fn debug(field: &str, value: Value) -> Result<Value, Problem> {
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

fn text(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get(&name) else { return Ok(None) };
    let unreadable = |_| wrong(name.as_str(), format!("{name} is not plain text"));
    let text = value.to_str().map_err(unreadable)?;
    Ok(Some(text.trim()))
}

fn wrong(field: &str, message: String) -> Problem {
    Problem { field: Some(field.to_owned()), ..Problem::bad_request(message) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use tokenforge_engine::Mode;

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
            assert!(problem.message.contains(expected), "{member}: {}", problem.message);
            assert!(problem.field.unwrap().starts_with("_forge"), "{member}");
        }
    }

    #[test]
    fn f4_the_member_goes_before_the_headers() {
        let mut headers = HeaderMap::new();
        headers.insert(MODE, HeaderValue::from_static("off"));
        headers.insert(SESSION, HeaderValue::from_static("s1"));
        headers.insert(THRESHOLD, HeaderValue::from_static("900"));
        let options = RequestOptions::of_headers(&headers).unwrap();
        assert_eq!(options.compression.mode, Some(Mode::Disabled));
        assert_eq!(options.min_bytes, Some(900));
        let both = options.with_member(r#"{"tool_output_compression":"safe"}"#).unwrap();
        assert_eq!(both.compression.mode, Some(Mode::Safe));
        assert_eq!(both.compression.session_id.as_deref(), Some("s1"));
    }
}
