//! One text without its secrets, however they are dressed.

use crate::exemptions::BodyShape;
use crate::{Unscannable, encoded, redactions};
use tokenforge_compress::terminal;
use tokenforge_dialects::splice;
use tokenforge_secrets::{Scanner, marker};

/// How deep JSON inside a string inside JSON is understood.
const DEEPEST: usize = 3;

/// Base64 of that length is a file, not a text. Letters drawn at random look like somebody's key sooner or later: in a
/// megabyte of them a prefix of four letters occurs once in sixteen files.
const FILE: usize = 1024;

/// A text without its secrets; nothing if it has none.
///
/// # Errors
/// It holds a secret that cannot be taken out.
pub fn redact_text(text: &str) -> Result<Option<String>, Unscannable> {
    redacted(text, 0)
}

/// The same, for a text that is in so many others.
pub(crate) fn redacted(text: &str, depth: usize) -> Result<Option<String>, Unscannable> {
    let said = encoded::decoded(text);
    if said.as_deref().is_some_and(|said| secret_in(said).is_some()) {
        return Err(Unscannable::SecretInData);
    }
    if said.is_some() && text.len() >= FILE {
        return Ok(None);
    }
    let bare = terminal::strip(text);
    let plain = Scanner::builtin().redact(bare.as_deref().unwrap_or(text));
    let plain = plain.map(|redacted| redacted.text);
    let inside = redacted_inside(plain.as_deref().unwrap_or(text), depth)?;
    Ok(inside.or(plain))
}

/// A text whose plain words somebody else looks into, without the secrets that these do not show. It may become any other
/// text, so that what is base64 of a secret becomes a marker.
pub(crate) fn redacted_hidden(text: &str) -> Result<Option<String>, Unscannable> {
    match encoded::decoded(text).as_deref().and_then(secret_in) {
        Some(rule) => Ok(Some(marker(rule))),
        None => redacted_inside(text, 0),
    }
}

/// What kind of secret is in a text, if there is one.
fn secret_in(text: &str) -> Option<&'static str> {
    Scanner::builtin().find(text).first().map(|finding| finding.rule)
}

/// A text that is JSON, without the secrets that show only once its strings are unescaped.
fn redacted_inside(text: &str, depth: usize) -> Result<Option<String>, Unscannable> {
    let is_spelled = text.trim_start().starts_with(['{', '[', '"']) && text.contains("\\u");
    if !is_spelled || depth + 1 >= DEEPEST {
        return Ok(None);
    }
    // What is no JSON is a text like any other, and is looked at as such.
    let Ok(found) = redactions(text, BodyShape::Unknown, &[], depth + 1) else { return Ok(None) };
    if let Some(failure) = found.failure.filter(|failure| *failure != Unscannable::NotText) {
        return Err(failure);
    }
    if found.splices.is_empty() {
        return Ok(None);
    }
    let redacted = splice(text.as_bytes(), &found.splices);
    let redacted = redacted.and_then(|bytes| String::from_utf8(bytes).ok());
    redacted.map(Some).ok_or(Unscannable::NotText)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

    fn escaped() -> String {
        TOKEN.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect()
    }

    #[test]
    fn d20_a_secret_is_found_as_it_reads_split_by_escapes_and_inside_json() {
        let (head, tail) = TOKEN.split_at(20);
        for text in [
            format!("key {TOKEN}"),
            format!("key {head}\u{1b}[1m{tail}"),
            format!("{{\"a\":[\"{}\"]}}", escaped()),
            format!("[\"{{\\\"a\\\":\\\"{}\\\"}}\"]", escaped().replace('\\', "\\\\")),
        ] {
            let redacted = redact_text(&text).unwrap().unwrap();
            assert!(redacted.contains("[REDACTED:github-token]"), "{redacted}");
            assert_eq!(redact_text(&redacted), Ok(None), "{redacted}");
        }
        assert_eq!(redact_text("{\"a\":\"caf\\u00e9\"}"), Ok(None));
    }
}
