//! The stages for JSON.

use crate::fidelity::Fidelity;
use crate::json::{self, embedded, lines, nested, python_repr, truncated};
use crate::settings::Settings;
use crate::stage::{Stage, StageContext, StageOutput, TextLayer};
use std::borrow::Cow;
use tokenforge_formats::Form;
use tokenforge_tokens::Counter;

/// A stage that writes JSON in another way. What it writes decodes to the text without its insignificant white space.
pub(super) struct JsonStage {
    name: &'static str,
    layer: TextLayer,
    encode: fn(&str, &Settings) -> Option<StageOutput>,
    decode: fn(&str) -> Option<String>,
    minify: fn(&str) -> Cow<'_, str>,
}

/// A whole JSON text.
pub(super) static WHOLE: JsonStage = JsonStage {
    name: "json",
    layer: TextLayer::Form,
    encode: |text, settings| {
        let choice = json::cheapest(text, &settings.json_forms(), settings.counter)?;
        let layer = if choice.form == Form::Json { TextLayer::Words } else { TextLayer::Form };
        Some(StageOutput { tokens: Some(choice.tokens), layer, ..choice.text.into_owned().into() })
    },
    decode: json::decode,
    minify: json::minify,
};

/// One JSON value a line.
pub(super) static LINES: JsonStage = JsonStage {
    name: "json_lines",
    layer: TextLayer::Form,
    encode: |text, settings| {
        let text = lines::encode(text, &settings.json_forms(), settings.counter)?;
        let layer = if lines::is_array(&text) { TextLayer::Form } else { TextLayer::Words };
        Some(StageOutput { layer, ..text.into() })
    },
    decode: lines::decode,
    minify: lines::minify,
};

/// A whole JSON text with strings that hold JSON.
pub(super) static NESTED: JsonStage = JsonStage {
    name: "nested_json",
    layer: TextLayer::Form,
    encode: |text, settings| with_head("nested_json", text, settings, nested::encode),
    decode: nested::decode,
    minify: json::minify,
};

/// What Python's `repr` prints.
pub(super) static PYTHON: JsonStage = JsonStage {
    name: "python_repr",
    layer: TextLayer::Form,
    encode: |text, settings| with_head("python_repr", text, settings, python_repr::encode),
    decode: python_repr::decode,
    minify: |text| Cow::Borrowed(text),
};

/// JSON that was cut off.
pub(super) static TRUNCATED: JsonStage = JsonStage {
    name: "truncated_json",
    layer: TextLayer::Form,
    encode: |text, settings| with_head("truncated_json", text, settings, truncated::encode),
    decode: truncated::decode,
    minify: truncated::minify,
};

/// JSON values inside other text.
pub(super) static EMBEDDED: JsonStage = JsonStage {
    name: "embedded_json",
    layer: TextLayer::Words,
    encode: |text, _| match embedded::minify(text) {
        Cow::Owned(minified) => Some(minified.into()),
        Cow::Borrowed(_) => None,
    },
    decode: |text| Some(text.to_owned()),
    minify: embedded::minify,
};

/// What a codec writes that begins with a line of ours, for models that read it.
fn with_head(
    name: &str,
    text: &str,
    settings: &Settings,
    encode: fn(&str, &[Form], Counter) -> Option<String>,
) -> Option<StageOutput> {
    if !settings.model_class.reads().includes(name) {
        return None;
    }
    let text = encode(text, &settings.json_forms(), settings.counter)?;
    Some(StageOutput::from(text).in_layer(TextLayer::Form))
}

impl Stage for JsonStage {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn layer(&self) -> TextLayer {
        self.layer
    }

    /// However little is saved: a later stage that makes the text shorter must not change the answer.
    fn least_saving(&self) -> usize {
        usize::MAX
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        (self.encode)(text, subject.settings)
    }

    fn decode(&self, text: &str) -> Option<String> {
        (self.decode)(text)
    }

    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        (self.minify)(text)
    }
}
