//! Options in headers: what one request asks of us, where a client cannot add a `_forge` member.

use crate::answer::Problem;
use http::{HeaderMap, HeaderName};
use tokenforge_conversation::RequestOptions;

const MODE: HeaderName = HeaderName::from_static("x-forge-mode");
const MODEL_CLASS: HeaderName = HeaderName::from_static("x-forge-model-class");
const SESSION: HeaderName = HeaderName::from_static("x-forge-session");
const THRESHOLD: HeaderName = HeaderName::from_static("x-compression-threshold");

/// Where a client names the host that a request is for.
pub(crate) const TARGET: HeaderName = HeaderName::from_static("x-target-url");

/// Headers that are meant for the gateway and must not reach an upstream.
static HEADERS: [HeaderName; 5] = [MODE, MODEL_CLASS, SESSION, THRESHOLD, TARGET];

/// Takes out what is meant for us.
pub(crate) fn remove_from(headers: &mut HeaderMap) {
    if are_in(headers) {
        HEADERS.iter().for_each(|name| drop(headers.remove(name)));
    }
}

/// Is anything meant for us? Most requests have none of it, and to look once is quicker than to look for each.
fn are_in(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| HEADERS.contains(name))
}

/// What the headers of a request ask of us.
pub(crate) fn of_headers(headers: &HeaderMap) -> Result<RequestOptions, Problem> {
    let mut options = RequestOptions::default();
    if !are_in(headers) {
        return Ok(options);
    }
    if let Some(mode) = text(headers, MODE)? {
        let mode = if mode.eq_ignore_ascii_case("off") { "disabled" } else { mode };
        options.compression.mode =
            Some(mode.parse().map_err(|error| wrong(MODE.as_str(), format!("{MODE}: {error}")))?);
    }
    if let Some(class) = text(headers, MODEL_CLASS)? {
        let class = class.to_ascii_lowercase().parse();
        let class = class.map_err(|error: tokenforge_tokens::UnknownModelClass| {
            wrong(MODEL_CLASS.as_str(), format!("{MODEL_CLASS}: {error}"))
        })?;
        options.compression.model_class = Some(class);
    }
    if let Some(session) = text(headers, SESSION)?.filter(|session| !session.is_empty()) {
        options.compression.session_id = Some(session.to_owned());
    }
    if let Some(threshold) = text(headers, THRESHOLD)? {
        let bytes = threshold.trim().parse().map_err(|_| {
            let found = threshold.escape_debug();
            wrong(
                THRESHOLD.as_str(),
                format!("{THRESHOLD}: expected a number of bytes, found {found}"),
            )
        })?;
        options.min_bytes = Some(bytes);
    }
    Ok(options)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get(&name) else { return Ok(None) };
    let unreadable = |_| wrong(name.as_str(), format!("{name} is not plain text"));
    let text = value.to_str().map_err(unreadable)?;
    Ok(Some(text.trim()))
}

fn wrong(field: &str, message: String) -> Problem {
    Problem { field: Some(field.to_owned()), ..Problem::bad_request(message) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use tokenforge_engine::Mode;

    #[test]
    fn f4_the_member_goes_before_the_headers() {
        let mut headers = HeaderMap::new();
        headers.insert(MODE, HeaderValue::from_static("off"));
        headers.insert(SESSION, HeaderValue::from_static("s1"));
        headers.insert(THRESHOLD, HeaderValue::from_static("900"));
        let options = of_headers(&headers).unwrap();
        assert_eq!(options.compression.mode, Some(Mode::Disabled));
        assert_eq!(options.min_bytes, Some(900));
        let both = options.with_member(r#"{"tool_output_compression":"safe"}"#).unwrap();
        assert_eq!(both.compression.mode, Some(Mode::Safe));
        assert_eq!(both.compression.session_id.as_deref(), Some("s1"));
    }
}
