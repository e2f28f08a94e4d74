//! Credential scrubbing: keys of ours are removed from what goes upstream, wherever they stand.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use http::Uri;
use http::header::{HeaderMap, HeaderName, HeaderValue};

/// What stands between a credential and what is around it.
const AROUND: [char; 7] = [' ', '\t', ',', ';', '=', ':', '"'];

/// How many pieces a key has at most.
const MOST_PIECES: usize = 4;

/// Removes the values of headers that hold a key. Other values of the same header stay.
pub(super) fn scrub_headers(headers: &mut HeaderMap, is_key: impl Fn(&str) -> bool) {
    let holds = |value: &HeaderValue| {
        std::str::from_utf8(value.as_bytes()).is_ok_and(|text| holds_key(text, &is_key))
    };
    let tainted = headers.iter().filter(|(_, value)| holds(value));
    let tainted: Vec<HeaderName> = tainted.map(|(name, _)| name.clone()).collect();
    for name in tainted {
        let kept = headers.get_all(&name).iter().filter(|value| !holds(value));
        let kept: Vec<HeaderValue> = kept.cloned().collect();
        headers.remove(&name);
        for value in kept {
            headers.append(name.clone(), value);
        }
    }
}

/// Removes the parts of a query that hold a key. The others stay as they are written.
pub(super) fn scrub_query(uri: &mut Uri, is_key: impl Fn(&str) -> bool) {
    let Some(query) = uri.query() else { return };
    let is_clean = |pair: &&str| {
        let mut decoded = form_urlencoded::parse(pair.as_bytes());
        !decoded.any(|(name, value)| holds_key(&name, &is_key) || holds_key(&value, &is_key))
    };
    let kept: Vec<&str> = query.split('&').filter(is_clean).collect();
    let kept = kept.join("&");
    if kept.len() == query.len() {
        return;
    }
    let mark = if kept.is_empty() { "" } else { "?" };
    let scrubbed = format!("{}{mark}{kept}", uri.path());
    let mut parts = std::mem::take(uri).into_parts();
    parts.path_and_query = scrubbed.try_into().ok();
    *uri = Uri::from_parts(parts).unwrap_or_default();
}

/// Is there a key in a text: all of it, between what separates credentials from others, or as one of a Basic pair?
fn holds_key(text: &str, is_key: &impl Fn(&str) -> bool) -> bool {
    let text = text.trim();
    let (scheme, credential) = text.split_once(' ').unwrap_or(("", text));
    is_key(text)
        || holds_separated(text, is_key)
        || (scheme.eq_ignore_ascii_case("basic") && basic_holds_key(credential.trim(), is_key))
}

/// Is a piece of a text a key, whatever it is cut at? A key may hold such characters itself: `openssl rand -base64 32` ends
/// with one. So every piece is tried with those that follow it, as far as they are few.
fn holds_separated(text: &str, is_key: &impl Fn(&str) -> bool) -> bool {
    let cuts: Vec<usize> =
        text.match_indices(AROUND).map(|(at, _)| at).chain([text.len()]).collect();
    let starts = std::iter::once(0).chain(cuts.iter().map(|at| at + 1));
    starts.zip(0..cuts.len()).any(|(start, first)| {
        cuts[first..].iter().take(MOST_PIECES).any(|end| is_key(&text[start..*end]))
    })
}

fn basic_holds_key(credential: &str, is_key: &impl Fn(&str) -> bool) -> bool {
    let standard = credential.trim_end_matches('=').replace('-', "+").replace('_', "/");
    let decoded = BASE64_STANDARD_NO_PAD.decode(standard);
    let decoded = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.is_some_and(|pair| holds_separated(&pair, is_key))
}
