//! What a finder finds in a body, replaced by something else without breaking what is around it.

use crate::index::StringIndex;
use std::borrow::Cow;
use std::ops::Range;
use tokenforge_json::{Edit, escape_into, is_json_sequence, unescape};

/// How deep JSON inside a string inside JSON is understood.
const DEEPEST: usize = 3;

/// Knows what to replace.
pub trait TextFinder: Send + Sync {
    /// What to replace in a text, in order and without overlaps, and by what: neither quotes, nor backslashes, nor
    /// control characters. `name` is that of the member whose value the text is, or empty.
    fn find<'s>(&'s self, name: &str, text: &str) -> Vec<(Range<usize>, Cow<'s, str>)>;
}

/// A body with everything replaced, if there was anything.
///
/// In JSON, or several documents after each other, only values that are strings change. Everything else is text.
#[must_use]
pub fn replace_found(finder: &dyn TextFinder, body: &[u8]) -> Option<Vec<u8>> {
    match str::from_utf8(body) {
        Ok(text) if is_json(text) => in_json(finder, text, 0).map(String::into_bytes),
        Ok(text) => in_text(finder, "", text).map(String::into_bytes),
        Err(_) => in_chunks(finder, body),
    }
}

/// Text between bytes that are none.
fn in_chunks(finder: &dyn TextFinder, body: &[u8]) -> Option<Vec<u8>> {
    let mut replaced = Vec::with_capacity(body.len());
    let mut is_changed = false;
    for chunk in body.utf8_chunks() {
        let text = in_text(finder, "", chunk.valid());
        is_changed |= text.is_some();
        replaced.extend_from_slice(text.as_deref().unwrap_or(chunk.valid()).as_bytes());
        replaced.extend_from_slice(chunk.invalid());
    }
    is_changed.then_some(replaced)
}

fn in_text(finder: &dyn TextFinder, name: &str, text: &str) -> Option<String> {
    let found = finder.find(name, text);
    if found.is_empty() {
        return None;
    }
    let mut replaced = String::with_capacity(text.len());
    let mut end = 0;
    for (range, with) in found {
        replaced.push_str(&text[end..range.start]);
        replaced.push_str(&with);
        end = range.end;
    }
    replaced.push_str(&text[end..]);
    Some(replaced)
}

fn in_json(finder: &dyn TextFinder, json: &str, depth: usize) -> Option<String> {
    let index = StringIndex::of(json);
    let mut edit = Edit::new(json);
    for string in index.strings.iter().filter(|string| !string.is_name) {
        let name = index.key(json, string);
        if let Some(spelling) = in_string(finder, &name, &json[string.span.clone()], depth) {
            edit.splice(string.span.clone(), spelling);
        }
    }
    (!edit.is_empty()).then(|| edit.done().into_owned())
}

/// The new spelling of a string.
fn in_string(finder: &dyn TextFinder, name: &str, spelling: &str, depth: usize) -> Option<String> {
    let Some(text) = unescape(spelling) else {
        // No text can be made of it. Whatever replaces something is spelled as it is written.
        return in_text(finder, name, spelling);
    };
    let replaced = if depth + 1 < DEEPEST && is_json(&text) {
        in_json(finder, &text, depth + 1)?
    } else {
        in_text(finder, name, &text)?
    };
    let mut spelling = String::with_capacity(replaced.len() + replaced.len() / 8);
    escape_into(&replaced, &mut spelling);
    Some(spelling)
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"']) && is_json_sequence(text)
}
