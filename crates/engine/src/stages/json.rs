//! The stages for JSON.

use crate::fidelity::Fidelity;
use crate::json::{self, embedded, lines};
use crate::settings::Settings;
use crate::stage::{Layer, Stage, Subject, Written};
use std::borrow::Cow;
use tokenforge_formats::Form;

/// A stage that writes JSON in another way. What it writes decodes to the text without its insignificant white space.
pub(super) struct Json {
    name: &'static str,
    layer: Layer,
    encode: fn(&str, &Settings) -> Option<Written>,
    decode: fn(&str) -> Option<String>,
    minify: fn(&str) -> Cow<'_, str>,
}

/// A whole JSON text.
pub(super) static WHOLE: Json = Json {
    name: "json",
    layer: Layer::Form,
    encode: |text, settings| {
        let choice = json::cheapest(text, &settings.json_forms(), settings.counter)?;
        let layer = if choice.form == Form::Json { Layer::Words } else { Layer::Form };
        Some(Written { tokens: Some(choice.tokens), layer, ..choice.text.into_owned().into() })
    },
    decode: json::decode,
    minify: json::minify,
};

/// One JSON value a line.
pub(super) static LINES: Json = Json {
    name: "json_lines",
    layer: Layer::Form,
    encode: |text, settings| {
        let text = lines::encode(text, &settings.json_forms(), settings.counter)?;
        let layer = if lines::is_array(&text) { Layer::Form } else { Layer::Words };
        Some(Written { layer, ..text.into() })
    },
    decode: lines::decode,
    minify: lines::minify,
};

/// JSON values inside other text.
pub(super) static EMBEDDED: Json = Json {
    name: "embedded_json",
    layer: Layer::Words,
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

    fn layer(&self) -> Layer {
        self.layer
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
