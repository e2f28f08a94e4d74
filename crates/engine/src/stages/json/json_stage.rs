//! The stages for JSON.

use super::{embedded, lines, nested, python_repr, truncated};
use crate::SIGNATURE;
use crate::fidelity::Fidelity;
use crate::nature::Nature;
use crate::settings::Settings;
use crate::stage::{Stage, StageContext, StageOutput, TextLayer};
use std::borrow::Cow;
use tokenforge_formats::{Form, cheapest, cheapest_of, has_rows};
use tokenforge_tokens::{Counter, DocumentKind};

/// A stage that writes JSON in another way. What it writes decodes to the text without its insignificant white space.
pub(crate) struct JsonStage {
    name: &'static str,
    layer: TextLayer,
    encode: fn(&str, &Settings) -> Option<StageOutput>,
    decode: fn(&str) -> Option<String>,
    minify: fn(&str) -> Cow<'_, str>,
    has_written: fn(&str) -> bool,
}

/// A whole JSON text.
pub(crate) static WHOLE: JsonStage = JsonStage {
    name: "json",
    layer: TextLayer::Form,
    encode: |text, settings| {
        let json = super::container(text)?;
        let documents = if has_rows(&json) { DocumentKind::Rows } else { DocumentKind::Other };
        let forms = settings.json_forms_for(documents);
        let choice = if settings.reads_minified(documents) {
            cheapest(&json, &forms, settings.counter)
        } else {
            cheapest_of(&json, &forms, settings.counter)?
        };
        let layer = if choice.form == Form::Json { TextLayer::Words } else { TextLayer::Form };
        Some(StageOutput { tokens: Some(choice.tokens), layer, ..choice.text.into_owned().into() })
    },
    decode: super::decode,
    minify: super::minify,
    // A text that says what it is belongs to the stage that says so, even where its body is a form.
    has_written: |text| !text.starts_with(SIGNATURE) && super::is_form(text),
};

/// One JSON value a line.
pub(crate) static LINES: JsonStage = JsonStage {
    name: "json_lines",
    layer: TextLayer::Form,
    encode: |text, settings| {
        let text = lines::encode(text, &settings.json_forms(), settings.counter)?;
        let layer = if lines::is_array(&text) { TextLayer::Form } else { TextLayer::Words };
        Some(StageOutput { layer, ..text.into() })
    },
    decode: lines::decode,
    minify: lines::minify,
    has_written: lines::is_array,
};

/// A whole JSON text with strings that hold JSON.
pub(crate) static NESTED: JsonStage = JsonStage {
    name: "nested_json",
    layer: TextLayer::Form,
    encode: |text, settings| in_form(text, settings, nested::encode),
    decode: nested::decode,
    minify: super::minify,
    has_written: nested::is_written,
};

/// What Python's `repr` prints.
pub(crate) static PYTHON: JsonStage = JsonStage {
    name: "python_repr",
    layer: TextLayer::Form,
    encode: |text, settings| in_form(text, settings, python_repr::encode),
    decode: python_repr::decode,
    minify: |text| Cow::Borrowed(text),
    has_written: python_repr::is_written,
};

/// JSON that was cut off.
pub(crate) static TRUNCATED: JsonStage = JsonStage {
    name: "truncated_json",
    layer: TextLayer::Form,
    encode: |text, settings| in_form(text, settings, truncated::encode),
    decode: truncated::decode,
    minify: truncated::minify,
    has_written: truncated::is_written,
};

/// JSON values inside other text.
pub(crate) static EMBEDDED: JsonStage = JsonStage {
    name: "embedded_json",
    layer: TextLayer::Words,
    encode: |text, _| match embedded::minify(text) {
        Cow::Owned(minified) => Some(minified.into()),
        Cow::Borrowed(_) => None,
    },
    decode: |text| Some(text.to_owned()),
    minify: embedded::minify,
    has_written: |_| false, // its text stands for itself
};

/// What a codec writes that begins with a line of ours.
fn in_form(
    text: &str,
    settings: &Settings,
    encode: fn(&str, &[Form], Counter) -> Option<String>,
) -> Option<StageOutput> {
    let text = encode(text, &settings.json_forms(), settings.counter)?;
    Some(StageOutput::from(text).in_layer(TextLayer::Form))
}

impl JsonStage {
    /// Is this JSON that was cut, of which the stage would not give back every blank? In a string only those of whole JSON are
    /// no content.
    fn loses_blanks_of_torn(&self, text: &str) -> bool {
        let reads_torn = [TRUNCATED.name, EMBEDDED.name].contains(&self.name);
        let begins = || text.trim_ascii_start().starts_with(['{', '[']);
        reads_torn && begins() && super::container(text).is_none() && (self.minify)(text) != text
    }
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

    /// Of a whole text the measurements of each form say what may become of it. The others write a line of ours, or minify,
    /// and are for models that were not shown, or are not feared, to read that worse.
    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        let reads = || subject.settings.model_class.reads().includes(self.name);
        subject.nature == Nature::Plain && (self.name == WHOLE.name || reads())
    }

    /// However little is saved: a later stage that makes the text shorter must not change the answer.
    fn least_saving(&self) -> usize {
        usize::MAX
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        if subject.is_quoted && self.loses_blanks_of_torn(text) {
            return None;
        }
        (self.encode)(text, subject.settings)
    }

    fn decode(&self, text: &str) -> Option<String> {
        (self.decode)(text)
    }

    fn has_written(&self, text: &str) -> bool {
        (self.has_written)(text)
    }

    fn canonical<'t>(&self, text: &'t str) -> Cow<'t, str> {
        (self.minify)(text)
    }
}
