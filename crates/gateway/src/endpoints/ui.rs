//! The dashboard: the files of `web/`, as they are in the program.
//!
//! A name is looked up in a list, so that no path leads anywhere else.

use crate::answer::{self, Problem};
use crate::paths::DASHBOARD;
use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use tokenforge_proxy::body::Body;
use xxhash_rust::xxh3::xxh3_64;

const START: &str = "index.html";

/// Nothing but what is served here: no inline script or style, no other host, no frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

macro_rules! files {
    ($($name:literal,)*) => {
        &[$(($name, include_bytes!(concat!("../../web/", $name)))),*]
    };
}

/// Name and bytes of each file.
const FILES: &[(&str, &[u8])] = files! {
    "index.html",
    "style.css",
    "icon.svg",
    "theme.js",
    "app.js",
    "pages/overview.js",
    "pages/sessions.js",
    "pages/session.js",
    "pages/results.js",
    "pages/untouched.js",
    "pages/fetched.js",
    "pages/playground.js",
    "pages/tools.js",
    "pages/settings.js",
    "parts/api.js",
    "parts/bill.js",
    "parts/by-name.js",
    "parts/chart.js",
    "parts/diff.js",
    "parts/element.js",
    "parts/events.js",
    "parts/figures.js",
    "parts/filters.js",
    "parts/follow.js",
    "parts/latest.js",
    "parts/mcp.js",
    "parts/past.js",
    "parts/place.js",
    "parts/range.js",
    "parts/reasons.js",
    "parts/result.js",
    "parts/route.js",
    "parts/schema.js",
    "parts/session.js",
    "parts/shares.js",
    "parts/table.js",
    "parts/texts.js",
    "parts/token.js",
    "parts/unused-tools.js",
};

pub(super) fn answer(head: &Parts) -> Response<Body> {
    if !matches!(head.method, Method::GET | Method::HEAD) {
        let mut answer =
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "use GET for the dashboard").answer(None);
        answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return answer;
    }
    let Some(name) = head.uri.path().strip_prefix(DASHBOARD) else {
        // Without the slash, names in the page would lead elsewhere.
        let mut answer = answer::empty(StatusCode::PERMANENT_REDIRECT);
        answer.headers_mut().insert(LOCATION, HeaderValue::from_static(DASHBOARD));
        return answer;
    };
    let name = if name.is_empty() { START } else { name };
    match FILES.iter().find(|(file, _)| *file == name) {
        Some((name, bytes)) => file(name, bytes, &head.headers),
        None => Problem::new(StatusCode::NOT_FOUND, "the dashboard has no such file").answer(None),
    }
}

fn file(name: &str, bytes: &'static [u8], asked: &HeaderMap) -> Response<Body> {
    let tag = format!("\"{:016x}\"", xxh3_64(bytes));
    let has_it = |known: &HeaderValue| {
        let known = known.to_str().unwrap_or_default();
        known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag)
    };
    let mut answer = if asked.get_all(IF_NONE_MATCH).iter().any(has_it) {
        answer::empty(StatusCode::NOT_MODIFIED)
    } else {
        Response::new(Bytes::from_static(bytes).into())
    };
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind(name)));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    for (name, value) in [
        // Asked for again each time, and not sent again: a new version is seen at once.
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_file_of_the_dashboard_is_in_the_program() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let mut found = BTreeSet::new();
        for folder in ["", "pages/", "parts/"] {
            for entry in std::fs::read_dir(web.join(folder)).unwrap().map(Result::unwrap) {
                if entry.path().is_file() {
                    found.insert(format!("{folder}{}", entry.file_name().to_string_lossy()));
                }
            }
        }
        let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(found, listed);
        for (name, _) in FILES {
            assert_ne!(kind(name), "application/octet-stream", "{name}");
        }
    }
}
