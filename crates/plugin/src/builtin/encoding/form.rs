//! The text of an answer in the form that its reader asked for.

use super::agreement::Agreement;
use bytes::Bytes;
use tokenforge_formats::negotiate::StcVersion;
use tokenforge_formats::stc::{self, Spelling};
use tokenforge_formats::stc2::{self, Level};
use tokenforge_formats::{Form, Json, cheapest};
use tokenforge_tokens::Counter;

/// A longer body is not worked on by the threads that move bytes.
const SHORT: usize = 64 << 10;

/// An answer, written anew.
pub(crate) struct EncodedBody {
    pub(crate) form: Form,
    pub(crate) text: String,
}

/// Writes a body in the form that was agreed on. Nothing if it is no JSON, or would not become smaller.
pub(crate) async fn write(agreement: &Agreement, body: &Bytes) -> Option<EncodedBody> {
    if body.len() <= SHORT {
        return written(agreement, body);
    }
    let (agreement, body) = (agreement.clone(), body.clone());
    let writing = tokio::task::spawn_blocking(move || written(&agreement, &body));
    writing.await.ok().flatten()
}

fn written(agreement: &Agreement, body: &[u8]) -> Option<EncodedBody> {
    let json = Json::from_slice(body).ok()?;
    let is_possible =
        |(form, up_to): &&(Form, usize)| agreement.asks_for(*form) && body.len() <= *up_to;
    let possible = agreement.offered.iter().filter(is_possible);
    let forms: Vec<Form> = possible.map(|(form, _)| known_to(agreement, *form)).collect();
    if forms.is_empty() {
        return None;
    }
    if agreement.is_coding() {
        let written = coded(&json, agreement.stc_version);
        return (written.text.len() < body.len()).then_some(written);
    }
    let counter = Counter::default();
    let choice = cheapest(&json, &forms, counter);
    // Minified JSON is JSON, too: what was laid out for people costs a model more.
    let is_smaller = choice.form != Form::Json || counter.is_cheaper(&choice.text, json.text());
    is_smaller.then(|| EncodedBody { form: choice.form, text: choice.text.into_owned() })
}

/// A form in the newest version that the reader reads: of STC 2, as much as a model understands by its headers.
fn known_to(agreement: &Agreement, form: Form) -> Form {
    match (form, agreement.stc_version) {
        (Form::Stc, StcVersion::Two) => Form::Stc2(Level::Nested),
        _ => form,
    }
}

/// What a program asks for is fewer bytes: it undoes them, however much was factored out.
fn coded(json: &Json<'_>, version: StcVersion) -> EncodedBody {
    let text = stc::encode(json, Spelling::Adr);
    let newer = (version == StcVersion::Two).then(|| stc2::encode(json, Level::Shared));
    match newer.filter(|newer| newer.starts_with(stc2::HEADER) && newer.len() < text.len()) {
        Some(newer) => EncodedBody { form: Form::Stc2(Level::Shared), text: newer.into_owned() },
        None => EncodedBody { form: Form::Stc, text },
    }
}
