//! JSON written in the form that costs fewest tokens: the whole output, JSON lines, and JSON inside other text.

pub mod embedded;
mod json_stage;
mod layout;
pub mod lines;
pub mod nested;
pub mod python_repr;
pub mod truncated;

pub(crate) use json_stage::{EMBEDDED, LINES, NESTED, PYTHON, TRUNCATED, WHOLE};

use std::borrow::Cow;
use tokenforge_formats::{Form, Json, decode_any, stc2};
#[cfg(feature = "internals")]
use {tokenforge_formats::FormChoice, tokenforge_tokens::Counter};

/// A whole JSON text in the cheapest of the allowed forms, never worse than minified.
///
/// ```
/// use tokenforge_engine::internals::json;
/// use tokenforge_formats::Form;
///
/// let text = r#"[{"id": 1, "name": "ada"}, {"id": 2, "name": "bob"}]"#;
/// let compact = json::encode(text, Form::ALL, Default::default()).unwrap();
/// assert_eq!(json::decode(&compact).unwrap(), json::minify(text));
/// ```
#[cfg(feature = "internals")]
#[must_use]
pub fn encode(text: &str, allowed: &[Form], counter: Counter) -> Option<String> {
    let choice = cheapest(text, allowed, counter)?;
    (choice.text != text).then(|| choice.text.into_owned())
}

/// The cheapest form of a whole JSON text; `None` if it is not an object or array.
#[cfg(feature = "internals")]
#[must_use]
pub fn cheapest<'t>(text: &'t str, allowed: &[Form], counter: Counter) -> Option<FormChoice<'t>> {
    Some(tokenforge_formats::cheapest(&container(text)?, allowed, counter))
}

/// The minified JSON that an encoded text stands for.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
    decode_any(text, tokenforge_formats::MAX_OUTPUT).ok()
}

/// Is this JSON, or JSON lines, written as STC 2? Its lines are no lines of a text: blanks in them count, and they mean
/// nothing without their header.
pub(crate) fn is_stc2(text: &str) -> bool {
    text.strip_prefix(lines::ANNOUNCEMENT).map_or_else(|| stc2::is_stc2(text), stc2::is_stc2)
}

/// Is this JSON in a form other than JSON? Known by writing it once more: much text can be read as TOON, little of it is
/// written as we write it.
pub(crate) fn is_form(text: &str) -> bool {
    let is_form = |form: Form| {
        let decoded = form.decode(text, tokenforge_formats::MAX_OUTPUT).ok();
        decoded.is_some_and(|decoded| {
            container(&decoded).is_some_and(|json| form.encode(&json).as_deref() == Ok(text))
        })
    };
    // The first line alone is a word like any other.
    let has_body = || text.split_once('\n').is_some_and(|(_, body)| !body.trim_ascii().is_empty());
    (is_stc2(text) && has_body())
        || container(text).is_none()
            && [Form::Stc, Form::StcFlat, Form::Table, Form::Toon].into_iter().any(is_form)
}

/// The JSON text without blanks; a text that is no JSON as it is.
#[must_use]
pub fn minify(text: &str) -> Cow<'_, str> {
    Json::parse(text).map_or(Cow::Borrowed(text), |json| json.minify())
}

/// An object or array, alone in the text but for blanks around it.
pub(crate) fn container(text: &str) -> Option<Json<'_>> {
    let is_container = matches!(text.trim_ascii_start().as_bytes().first(), Some(b'{' | b'['));
    is_container.then(|| Json::parse(text).ok()).flatten()
}
