//! The stages for JSON.

use crate::fidelity::Fidelity;
use crate::json::{self, embedded, lines};
use crate::nature::Nature;
use crate::settings::Settings;
use crate::stage::{Stage, Subject, Written};
use std::borrow::Cow;

/// A stage that writes JSON in another way. What it writes decodes to the text without its insignificant white space.
pub(super) struct Json {
    name: &'static str,
    /// Is a file that a shell printed rewritten too?
    is_for_excerpts: bool,
    encode: fn(&str, &Settings) -> Option<Written>,
    decode: fn(&str) -> Option<String>,
    minify: fn(&str) -> Cow<'_, str>,
}

/// A whole JSON text.
pub(super) static WHOLE: Json = Json {
    name: "json",
    is_for_excerpts: true,
    encode: |text, settings| {
        let choice = json::cheapest(text, &settings.json_forms(), settings.counter)?;
        Some(Written { tokens: Some(choice.tokens), ..choice.text.into_owned().into() })
    },
    decode: json::decode,
    minify: json::minify,
};

/// One JSON value a line.
pub(super) static LINES: Json = Json {
    name: "json_lines",
    is_for_excerpts: true,
    encode: |text, settings| {
        lines::encode(text, &settings.json_forms(), settings.counter).map(Into::into)
    },
    decode: lines::decode,
    minify: lines::minify,
};

/// JSON values inside other text.
pub(super) static EMBEDDED: Json = Json {
    name: "embedded_json",
    is_for_excerpts: false,
    encode: |text, _| match embedded::minify(text) {
        Cow::Owned(minified) => Some(minified.into()),
        Cow::Borrowed(_) => None,
    },
    decode: |text| Some(text.to_owned()),
    minify: embedded::minify,
};

impl Stage for Json {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn is_for(&self, subject: &Subject<'_>) -> bool {
        match subject.nature {
            Nature::Plain => true,
            Nature::Excerpt => self.is_for_excerpts,
            Nature::File | Nature::Diff => false,
        }
    }

    /// However little is saved: a later stage that makes the text shorter must not change the answer.
    fn least_saving(&self) -> usize {
        usize::MAX
    }

    fn apply(&self, text: &str, subject: &Subject<'_>) -> Option<Written> {
        (self.encode)(text, subject.settings)
    }

    fn decode(&self, text: &str) -> Option<String> {
        (self.decode)(text)
    }

    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        (self.minify)(text)
    }
}
