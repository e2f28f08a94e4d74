//! Credential scrubbing: keys of ours are removed from what goes upstream, wherever they stand.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use http::Uri;
use http::header::{HeaderMap, HeaderName, HeaderValue};

/// What stands between a credential and what is around it.
const AROUND: [char; 7] = [' ', '\t', ',', ';', '=', ':', '"'];

/// Removes the values of headers that hold a key. Other values of the same header stay.
pub(super) fn scrub_headers(headers: &mut HeaderMap, is_key: impl Fn(&str) -> bool) {
    let holds = |value: &HeaderValue| holds_key(value, &is_key);
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
        !decoded.any(|(name, value)| is_key(&name) || is_key(&value))
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

fn holds_key(value: &HeaderValue, is_key: &impl Fn(&str) -> bool) -> bool {
    let Ok(text) = std::str::from_utf8(value.as_bytes()) else { return false };
    let text = text.trim();
    let (scheme, credential) = text.split_once(' ').unwrap_or(("", text));
    let credential = credential.trim();
    is_key(text)
        || is_key(credential)
        || text.split(AROUND).any(is_key)
        || (scheme.eq_ignore_ascii_case("basic") && basic_holds_key(credential, is_key))
}

fn basic_holds_key(credential: &str, is_key: &impl Fn(&str) -> bool) -> bool {
    let decoded = BASE64_STANDARD_NO_PAD.decode(credential.trim_end_matches('='));
    let decoded = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let decoded = decoded.as_deref().unwrap_or_default();
    let (user, password) = decoded.split_once(':').unwrap_or((decoded, ""));
    is_key(user) || is_key(password)
}
