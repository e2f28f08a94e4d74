//! Something in a text replaced by something else, without breaking what is around it.

use bytes::Bytes;
use memchr::{memchr, memchr2};
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::ops::Range;
use tokenforge_json::{escape_into, unescape};

/// How deep JSON inside a string inside JSON is understood.
const DEEPEST: usize = 3;

/// Knows what to replace.
pub(crate) trait Finder: Send + Sync {
    /// What to replace in a text, in order and without overlaps, and by what: neither quotes, nor backslashes, nor
    /// control characters. `name` is that of the member whose value the text is, or empty.
    fn find<'s>(&'s self, name: &str, text: &str) -> Vec<(Range<usize>, Cow<'s, str>)>;
}

/// A body with everything replaced, if there was anything.
///
/// In JSON, or several documents after each other, only values that are strings change. Everything else is text.
pub(crate) fn redact(finder: &dyn Finder, body: &Bytes) -> Option<Bytes> {
    match str::from_utf8(body) {
        Ok(text) if is_json(text) => redact_json(finder, text, 0).map(Bytes::from),
        Ok(text) => redact_text(finder, "", text).map(Bytes::from),
        Err(_) => redact_chunks(finder, body),
    }
}

/// Text between bytes that are none.
fn redact_chunks(finder: &dyn Finder, body: &[u8]) -> Option<Bytes> {
    let mut redacted = Vec::with_capacity(body.len());
    let mut is_changed = false;
    for chunk in body.utf8_chunks() {
        let text = redact_text(finder, "", chunk.valid());
        is_changed |= text.is_some();
        redacted.extend_from_slice(text.as_deref().unwrap_or(chunk.valid()).as_bytes());
        redacted.extend_from_slice(chunk.invalid());
    }
    is_changed.then(|| redacted.into())
}

fn redact_text(finder: &dyn Finder, name: &str, text: &str) -> Option<String> {
    let found = finder.find(name, text);
    if found.is_empty() {
        return None;
    }
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for (range, with) in found {
        redacted.push_str(&text[end..range.start]);
        redacted.push_str(&with);
        end = range.end;
    }
    redacted.push_str(&text[end..]);
    Some(redacted)
}

fn redact_json(finder: &dyn Finder, json: &str, depth: usize) -> Option<String> {
    let mut redacted = String::new();
    let (mut name, mut at, mut copied) = (Cow::Borrowed(""), 0, 0);
    while let Some(string) = next_string(json, at) {
        at = string.end + 1;
        let spelling = &json[string.clone()];
        if is_name(json, at) {
            name = unescape(spelling).unwrap_or(Cow::Borrowed(spelling));
        } else if let Some(value) = redact_string(finder, &name, spelling, depth) {
            redacted.push_str(&json[copied..string.start]);
            redacted.push_str(&value);
            copied = string.end;
        }
    }
    (copied > 0).then(|| {
        redacted.push_str(&json[copied..]);
        redacted
    })
}

/// What is between the next two quotes.
fn next_string(json: &str, at: usize) -> Option<Range<usize>> {
    let bytes = json.as_bytes();
    let start = at + memchr(b'"', bytes.get(at..)?)? + 1;
    let mut end = start;
    loop {
        match memchr2(b'"', b'\\', bytes.get(end..).unwrap_or_default()) {
            None => return None,
            Some(stop) if bytes[end + stop] == b'"' => return Some(start..end + stop),
            Some(stop) => end += stop + 2,
        }
    }
}

/// Does a colon follow?
fn is_name(json: &str, at: usize) -> bool {
    let rest = json.as_bytes().get(at..).unwrap_or_default();
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// The new spelling of a string.
fn redact_string(finder: &dyn Finder, name: &str, spelling: &str, depth: usize) -> Option<String> {
    let Some(text) = unescape(spelling) else {
        // No text can be made of it. Whatever replaces something is spelled as it is written.
        return redact_text(finder, name, spelling);
    };
    let redacted = match depth + 1 < DEEPEST && is_json(&text) {
        true => redact_json(finder, &text, depth + 1),
        false => redact_text(finder, name, &text),
    }?;
    let mut spelling = String::with_capacity(redacted.len() + redacted.len() / 8);
    escape_into(&redacted, &mut spelling);
    Some(spelling)
}

fn is_json(text: &str) -> bool {
    let documents = || serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    text.trim_start().starts_with(['{', '[', '"']) && documents().all(|document| document.is_ok())
}
