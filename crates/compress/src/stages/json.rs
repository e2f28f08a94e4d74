//! The stages for JSON.

use crate::fidelity::Fidelity;
use crate::json::{self, embedded, lines};
use crate::nature::Nature;
use crate::stage::{Stage, Subject, Written};
use std::borrow::Cow;

/// However little is saved: a later stage that makes the text shorter must not change the answer.
const ANY: usize = usize::MAX;

/// A whole JSON text.
pub(super) struct Json;

impl Stage for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn is_for(&self, subject: &Subject<'_>) -> bool {
        is_not_exact(subject)
    }

    fn least_saving(&self) -> usize {
        ANY
    }

    fn apply(&self, text: &str, subject: &Subject<'_>) -> Option<Written> {
        let choice =
            json::cheapest(text, &subject.settings.json_formats, subject.settings.counter)?;
        Some(Written { tokens: Some(choice.tokens), text: choice.text.into_owned() })
    }

    fn decode(&self, text: &str) -> Option<String> {
        json::decode(text)
    }

    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        json::minify(text)
    }
}

/// One JSON value a line.
pub(super) struct JsonLines;

impl Stage for JsonLines {
    fn name(&self) -> &'static str {
        "json_lines"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn is_for(&self, subject: &Subject<'_>) -> bool {
        is_not_exact(subject)
    }

    fn least_saving(&self) -> usize {
        ANY
    }

    fn apply(&self, text: &str, subject: &Subject<'_>) -> Option<Written> {
        lines::encode(text, &subject.settings.json_formats, subject.settings.counter)
            .map(Into::into)
    }

    fn decode(&self, text: &str) -> Option<String> {
        lines::decode(text)
    }

    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        lines::minify(text)
    }
}

/// JSON values inside other text.
pub(super) struct EmbeddedJson;

impl Stage for EmbeddedJson {
    fn name(&self) -> &'static str {
        "embedded_json"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn least_saving(&self) -> usize {
        ANY
    }

    fn apply(&self, text: &str, _: &Subject<'_>) -> Option<Written> {
        match embedded::minify(text) {
            Cow::Owned(minified) => Some(minified.into()),
            Cow::Borrowed(_) => None,
        }
    }

    fn decode(&self, text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        embedded::minify(text)
    }
}

fn is_not_exact(subject: &Subject<'_>) -> bool {
    matches!(subject.nature, Nature::Plain | Nature::Excerpt)
}
