//! The request before it goes upstream: what is wanted is noted, and what only we understand is taken out.

use super::agreement::Agreement;
use super::tag;
use crate::{Context, Unavailable};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH,
};
use tokenforge_formats::Form;
use tokenforge_formats::negotiate::{
    PREFER_FORMAT, STC_CODING, STC_TYPE, STC_VERSION, TOON_TYPE, remove_accepted,
};

/// Does a request ask for anything of ours, or name an answer that was written in a form of ours?
pub(crate) fn concerns_us(context: &Context<'_>) -> bool {
    let headers = context.request_headers();
    [PREFER_FORMAT, IF_MATCH].iter().any(|name| headers.contains_key(name))
        || context.extensions().get::<Agreement>().is_some()
        || Agreement::of(context).is_some()
}

/// Offers the form to the reader, for JSON of up to so many bytes, and makes the request one for JSON. Only for one that
/// [concerns us](concerns_us): what is changed is copied.
pub(crate) fn prepare(
    context: &mut Context<'_>,
    form: Form,
    up_to: usize,
) -> Result<(), Unavailable> {
    let known = context.extensions().get::<Agreement>().cloned();
    let agreement = known.or_else(|| Agreement::of(context));
    let headers = context.request_headers_mut()?;
    headers.remove(PREFER_FORMAT);
    // Who writes what was read in this form means what the upstream has.
    give_back(headers, &IF_MATCH, form);
    let Some(mut agreement) = agreement else { return Ok(()) };
    match form {
        Form::Toon => ask_for_json(headers, TOON_TYPE),
        _ => {
            headers.remove(STC_VERSION);
            ask_for_json(headers, STC_TYPE);
            if remove_accepted(headers, ACCEPT_ENCODING, STC_CODING)
                && !headers.contains_key(ACCEPT_ENCODING)
            {
                headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            }
        }
    }
    if agreement.asks_for(form) {
        give_back(headers, &IF_NONE_MATCH, form);
    }
    agreement.offered.push((form, up_to));
    context.extensions_mut().insert(agreement);
    Ok(())
}

/// Upstreams send JSON: for a client that accepts our type, the gateway asks for JSON and converts it.
fn ask_for_json(headers: &mut HeaderMap, media_type: &str) {
    if !remove_accepted(headers, ACCEPT, media_type) {
        return;
    }
    let takes_json = headers.get_all(ACCEPT).iter().any(|line| {
        let line = line.to_str().unwrap_or_default().to_ascii_lowercase();
        ["json", "application/*", "*/*"].iter().any(|range| line.contains(range))
    });
    if !takes_json {
        headers.append(ACCEPT, HeaderValue::from_static("application/json"));
    }
}

/// Makes the tags of this form, and of minified JSON, the upstream's again.
fn give_back(headers: &mut HeaderMap, name: &HeaderName, form: Form) {
    for form in tag::forms(form) {
        let tags = headers.get(name).and_then(|tags| tags.to_str().ok());
        let tags = tags.and_then(|tags| tag::without(tags, form.name()));
        if let Some(tags) = tags.and_then(|tags| HeaderValue::try_from(tags).ok()) {
            headers.insert(name, tags);
        }
    }
}
