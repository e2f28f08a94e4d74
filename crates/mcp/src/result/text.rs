//! One text of a result, in other words.

use super::Original;
use crate::policy::ResultRule;
use std::borrow::Cow;
use tokenforge_engine::{Engine, History, Output};
use tokenforge_formats::negotiate::Format;
use tokenforge_formats::{Form, Json, cheapest, stc2};

/// A text in other words.
#[derive(Debug)]
pub(super) struct RewrittenText {
    pub(super) text: String,
    /// The form it took; `None`: it is no form of ours.
    pub(super) format: Option<&'static str>,
    /// What must be stored, since something was left out.
    pub(super) original: Option<Original>,
}

impl RewrittenText {
    pub(super) fn plain(text: String) -> Self {
        RewrittenText { text, format: None, original: None }
    }
}

/// The text in other words; `None`: as it came. Secrets go whatever the form.
pub(super) fn rewrite_text(
    text: &str,
    tool: &str,
    arguments: &str,
    is_error: bool,
    rule: Option<ResultRule>,
    engine: &Engine<'_>,
) -> Option<RewrittenText> {
    let output = Output { text, tool, arguments, call: None, is_error };
    let fits = |rule: &ResultRule| (rule.min_bytes..=rule.max_bytes).contains(&text.len());
    let form = match rule.filter(fits).map(|rule| rule.format) {
        Some(Format::Auto) => return auto(&output, engine),
        Some(Format::Toon) => Some(Form::Toon),
        Some(Format::Stc) => Some(engine.settings().stc_form()),
        Some(Format::Json) | None => None,
    };
    let redacted = engine.redacted_text(&output);
    if let Some(written) = form.and_then(|form| in_form(&redacted, form, engine)) {
        return Some(written);
    }
    match redacted {
        Cow::Owned(text) => Some(RewrittenText::plain(text)),
        Cow::Borrowed(_) => None,
    }
}

/// JSON in one form, if that has fewer tokens than the text and than the text without its white space.
fn in_form(text: &str, form: Form, engine: &Engine<'_>) -> Option<RewrittenText> {
    let counter = engine.settings().counter;
    let json = document(text)?;
    let choice = cheapest(&json, &[form], counter);
    let is_it = choice.form == form && counter.is_cheaper(&choice.text, text);
    is_it.then(|| RewrittenText {
        text: choice.text.into_owned(),
        format: Some(name(form)),
        original: None,
    })
}

/// As clients ask for it: whatever its version, STC is STC.
fn name(form: Form) -> &'static str {
    match form {
        Form::StcFlat | Form::Stc2(_) | Form::Stc2ForModel(_) => Format::Stc.name(),
        form => form.name(),
    }
}

fn auto(output: &Output<'_>, engine: &Engine<'_>) -> Option<RewrittenText> {
    let compressed = engine.compress(output, &History::default());
    let text = compressed.replacement?;
    let form = || {
        if stc2::is_stc2(&text) {
            return Some(&Form::Stc);
        }
        let json = document(output.text)?;
        let mut forms = Form::ALL.iter().chain(&[Form::StcFlat]);
        forms.find(|form| form.encode(&json).is_ok_and(|encoded| encoded == text))
    };
    let format = form().map_or(Format::Auto.name(), |form| name(*form));
    let original = compressed.original.map(|original| Original {
        reference: original.reference,
        text: original.text(output.text).to_owned(),
    });
    Some(RewrittenText { text, format: Some(format), original })
}

/// The text, if it is wholly JSON and more than one value.
fn document(text: &str) -> Option<Json<'_>> {
    let starts = text.trim_start().starts_with(['{', '[']);
    starts.then(|| Json::parse(text).ok()).flatten()
}
