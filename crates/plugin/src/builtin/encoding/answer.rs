//! The answer of the upstream: which can be written in another form, and what its head says then.

use super::agreement::Agreement;
use super::form::{self, EncodedBody};
use super::tag;
use crate::{Context, Error, Unavailable};
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, HeaderValue,
};
use http::{Method, StatusCode};
use tokenforge_formats::Form;
use tokenforge_formats::negotiate::{
    CONTENT_FORMAT, Format, STC_CODING, STC_TYPE, STC_VERSION, StcVersion,
};

const STC_RATIO: HeaderName = HeaderName::from_static("x-stc-ratio");

/// Without a charset, what is text is Latin-1 to some.
const TOON: &str = "text/toon; charset=utf-8";

/// What is no longer true of a body that was written anew.
const OF_THE_BODY: [HeaderName; 5] = [
    ACCEPT_RANGES,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
];

/// Can this answer be written in another form?
pub(crate) fn can_change(context: &Context<'_>) -> bool {
    let (Ok(status), Ok(headers)) = (context.status(), context.response_headers()) else {
        return false;
    };
    let is_whole = *context.method() != Method::HEAD
        && !status.is_informational()
        && !matches!(
            status,
            StatusCode::NO_CONTENT
                | StatusCode::RESET_CONTENT
                | StatusCode::PARTIAL_CONTENT
                | StatusCode::NOT_MODIFIED
        )
        && !headers.contains_key(CONTENT_RANGE);
    is_whole
        && is_json(headers)
        && !forbids_change(headers)
        && !forbids_change(context.request_headers())
}

/// May another request get such an answer in another form?
pub(crate) fn may_differ(context: &Context<'_>) -> bool {
    let (Ok(status), Ok(headers)) = (context.status(), context.response_headers()) else {
        return false;
    };
    status == StatusCode::NOT_MODIFIED || is_json(headers)
}

/// Is there anything to say about an answer, or to be made of it?
pub(crate) fn concerns_us(context: &Context<'_>) -> bool {
    let agreement = context.extensions().get::<Agreement>();
    agreement.is_some_and(|known| !known.is_done) && may_differ(context)
}

/// Writes the answer in the form that was agreed on, if this one is asked for and the answer becomes smaller. Only for
/// one that [concerns us](concerns_us).
pub(crate) async fn encode(context: &mut Context<'_>, form: Form) -> Result<(), Error> {
    let is_same = context.status()? == StatusCode::NOT_MODIFIED;
    let agreement = context.extensions().get::<Agreement>().filter(|known| !known.is_done);
    let Some(mut agreement) = agreement.cloned() else { return Ok(()) };
    let is_asked = agreement.asks_for(form);
    if is_same {
        if is_asked {
            restore_tag(context.response_headers_mut()?, &agreement, form);
        }
        return Ok(());
    }
    if *context.method() == Method::HEAD {
        // The body that a GET would have is unknown.
        return Ok(());
    }
    // So it is until it is written anew.
    context.response_headers_mut()?.insert(CONTENT_FORMAT, HeaderValue::from_static("json"));
    if !is_asked || !can_change(context) {
        return Ok(());
    }
    let Ok(body) = context.response_body().cloned() else { return Ok(()) };
    agreement.is_done = true;
    context.extensions_mut().insert(agreement.clone());
    if let Some(written) = form::write(&agreement, &body).await {
        replace(context, &agreement, written, body.len())?;
    }
    Ok(())
}

/// Puts the text in the place of the body, and says so.
fn replace(
    context: &mut Context<'_>,
    agreement: &Agreement,
    written: EncodedBody,
    before: usize,
) -> Result<(), Unavailable> {
    let EncodedBody { form, text } = written;
    let headers = context.response_headers_mut()?;
    let stc_version = match form {
        Form::Stc => Some(StcVersion::One),
        Form::Stc2(_) => Some(StcVersion::Two),
        _ => None,
    };
    let format = stc_version.map_or(form.name(), |_| Format::Stc.name());
    headers.insert(CONTENT_FORMAT, HeaderValue::from_static(format));
    if form == Form::Toon {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(TOON));
    }
    if let Some(version) = stc_version {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(STC_TYPE));
        let ratio = format!("{:.2}", text.len() as f64 / before as f64);
        if let Ok(ratio) = HeaderValue::try_from(ratio) {
            headers.insert(STC_RATIO, ratio);
        }
        headers.insert(STC_VERSION, HeaderValue::from_static(version.name()));
    }
    if agreement.is_coding() {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(STC_CODING));
    }
    if let Some(etag) = headers.remove(ETAG)
        && let Some(etag) = tagged(&etag, form)
    {
        headers.insert(ETAG, etag);
    }
    for name in OF_THE_BODY {
        headers.remove(name);
    }
    context.set_response_body(text)
}

/// The client has this answer as we wrote it: it is told so by the tag that it knows.
fn restore_tag(headers: &mut HeaderMap, agreement: &Agreement, form: Form) {
    let Some(known) = &agreement.if_none_match else { return };
    let Some(etag) = headers.get(ETAG) else { return };
    let ours = tag::forms(form).into_iter().filter_map(|form| tagged(etag, form)).find(|ours| {
        let opaque = ours.to_str().unwrap_or_default().trim_start_matches("W/");
        known.contains(opaque)
    });
    if let Some(ours) = ours {
        headers.insert(ETAG, ours);
    }
}

fn tagged(etag: &HeaderValue, form: Form) -> Option<HeaderValue> {
    HeaderValue::try_from(tag::with(etag.to_str().ok()?, form.name())?).ok()
}

/// Is the body JSON, and in no form of ours?
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let essence = media_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let is_of_json =
        essence.last_chunk::<5>().is_some_and(|end| end.eq_ignore_ascii_case(b"+json"));
    essence.eq_ignore_ascii_case(b"application/json")
        || (is_of_json && !essence.eq_ignore_ascii_case(STC_TYPE.as_bytes()))
}

/// Whether the headers forbid intermediaries to change the body.
fn forbids_change(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(CACHE_CONTROL).iter().filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(','))
        .any(|part| part.trim().eq_ignore_ascii_case("no-transform"))
}
