//! Which form of a JSON text costs the fewest tokens, and which form a text is in.

use crate::form::Form;
use crate::{stc, stc2};
use std::borrow::Cow;
use tokenforge_json::error::{Error, ErrorKind};
use tokenforge_json::tape::Json;
use tokenforge_tokens::Counter;

/// The form that was chosen for a JSON text, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormChoice<'a> {
    /// The chosen form.
    pub form: Form,
    /// The text in that form.
    pub text: Cow<'a, str>,
    /// Its tokens.
    pub tokens: usize,
}

impl FormChoice<'_> {
    /// Why this form, in words.
    pub fn reason(&self) -> String {
        match self.form {
            Form::Json => "no allowed form has fewer tokens than minified JSON".to_owned(),
            form => format!("{form} has the fewest tokens: {}", self.tokens),
        }
    }
}

/// The cheapest of the allowed forms by tokens. STC 2, where it is allowed, takes the place of STC 1. Never worse than minified JSON, which is the answer when
/// nothing has fewer; never longer than the text as given; and never lossy: [`decode_any`] gives back the
/// minified JSON byte for byte.
///
/// ```
/// use tokenforge_formats::{Form, Json, cheapest};
/// use tokenforge_tokens::Counter;
///
/// let json = Json::parse(r#"[{"id": 1, "ok": true}, {"id": 2, "ok": true}, {"id": 3, "ok": false}]"#)?;
/// let choice = cheapest(&json, Form::ALL, Counter::default());
/// assert!(choice.tokens < Counter::default().count(&json.minify()));
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[must_use]
pub fn cheapest<'a>(json: &Json<'a>, allowed: &[Form], counter: Counter) -> FormChoice<'a> {
    let minified = json.minify();
    let best = cheapest_but_json(json, &minified, allowed, counter);
    let limit = best.as_ref().map_or(usize::MAX, |best| best.tokens);
    match (counter.count_within(&minified, limit), best) {
        (None, Some(best)) => best,
        (tokens, _) => {
            let tokens = tokens.unwrap_or_else(|| counter.count(&minified));
            FormChoice { form: Form::Json, text: minified, tokens }
        }
    }
}

/// The cheapest of the allowed forms but JSON, for who reads minified JSON worse than the text as given: what [`cheapest`]
/// would choose if minified JSON had more tokens. `None` where no form holds the text, or all are longer.
///
/// ```
/// use tokenforge_formats::{Form, Json, cheapest_of};
/// use tokenforge_tokens::Counter;
///
/// let json = Json::parse(r#"[{"id": 1}, {"id": 2}]"#)?;
/// let choice = cheapest_of(&json, &[Form::StcFlat], Counter::default());
/// assert_eq!(choice.map(|choice| choice.text).as_deref(), Some("[{id:1},{id:2}]"));
/// assert_eq!(cheapest_of(&json, &[], Counter::default()), None);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
#[must_use]
pub fn cheapest_of<'a>(
    json: &Json<'a>,
    allowed: &[Form],
    counter: Counter,
) -> Option<FormChoice<'a>> {
    cheapest_but_json(json, &json.minify(), allowed, counter)
}

fn cheapest_but_json<'a>(
    json: &Json<'a>,
    minified: &str,
    allowed: &[Form],
    counter: Counter,
) -> Option<FormChoice<'a>> {
    let mut best: Option<FormChoice<'a>> = None;
    for form in candidates(allowed) {
        let Ok(text) = form.encode(json) else { continue };
        // An empty text, TOON's `{}`, would be taken for no content.
        if text.is_empty() || text.len() > json.text().len() || is_minified(form, &text, minified) {
            continue;
        }
        let limit = best.as_ref().map_or(usize::MAX, |best| best.tokens.saturating_sub(1));
        if let Some(tokens) = counter.count_within(&text, limit)
            && is_exact(form, &text, minified)
        {
            best = Some(FormChoice { form, text, tokens });
        }
    }
    best
}

/// The allowed forms but JSON, the likely winners first: what comes later is counted only up to the best so far.
fn candidates(allowed: &[Form]) -> impl Iterator<Item = Form> {
    let newer = || allowed.iter().copied().filter(|form| is_newer(*form));
    let has_newer = newer().next().is_some();
    let others = [Form::Table, Form::Stc, Form::StcFlat, Form::Toon].into_iter();
    let is_superseded = move |form: Form| form == Form::Stc && has_newer;
    let others = others.filter(move |form| allowed.contains(form) && !is_superseded(*form));
    newer().chain(others)
}

fn is_newer(form: Form) -> bool {
    matches!(form, Form::Stc2(_) | Form::Stc2ForModel(_))
}

/// Is a text minified JSON, although it was to be STC 2, or STC 1 and had nothing to spell in another way?
fn is_minified(form: Form, text: &str, minified: &str) -> bool {
    is_newer(form) && !stc2::is_stc2(text) || form == Form::StcFlat && text == minified
}

/// Does the text decode to the minified JSON, without the form being named? STC and tables do by construction;
/// TOON writes escapes and the key order of rows anew, so it is asked.
fn is_exact(form: Form, text: &str, minified: &str) -> bool {
    form != Form::Toon || decode_any(text, minified.len()).as_deref() == Ok(minified)
}

/// Reads a text in whichever form it is: STC 2 by its header, JSON or STC, then a table, then TOON.
///
/// When no form fits, the error is that of the form which could be read furthest.
///
/// ```
/// use tokenforge_formats::{MAX_OUTPUT, decode_any};
///
/// assert_eq!(decode_any("a[2]: 1,2", MAX_OUTPUT)?, r#"{"a":[1,2]}"#);
/// assert_eq!(decode_any("{a[2]: 1,2}", MAX_OUTPUT)?, r#"{"a":[1,2]}"#);
/// # Ok::<(), tokenforge_formats::Error>(())
/// ```
pub fn decode_any(text: &str, max_output: usize) -> Result<String, Error> {
    // With nothing behind it, the header is a string in TOON.
    let value = text.split_once('\n').filter(|_| stc2::is_stc2(text));
    if value.is_some_and(|(_, value)| !value.trim_ascii().is_empty()) {
        return stc2::decode(text, max_output);
    }
    // TOON takes nearly any line for a key and a value, and any other for a string; but its encoders quote what
    // starts with a brace or, unless it is an array, with a bracket. Left bare, it is JSON with a mistake in it,
    // and the mistake is what its author must hear about.
    let start = text.trim_start_matches('\u{feff}').trim_ascii_start().as_bytes().first();
    let forms = match start {
        Some(b'{') => &[Form::Stc][..],
        _ => &[Form::Stc, Form::Table, Form::Toon],
    };
    let mut furthest: Option<Error> = None;
    for form in forms {
        let error = match form.decode(text, max_output) {
            Ok(json) if start == Some(&b'[') && json.starts_with('"') => continue,
            Ok(json) => return Ok(json),
            Err(error) => error,
        };
        let is_final =
            matches!(error.kind(), ErrorKind::TooDeep { .. } | ErrorKind::OutputTooLarge { .. });
        if is_final {
            return Err(error);
        }
        if furthest.as_ref().is_none_or(|other| other.offset() < error.offset()) {
            furthest = Some(error);
        }
    }
    match furthest {
        Some(error) => Err(error),
        None => stc::decode(text, max_output),
    }
}
