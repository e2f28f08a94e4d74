//! One text without its secrets, however they are obfuscated: by escapes, base64, or JSON in strings.

use super::exemptions::BodyShape;
use super::{Replaceable, Unscannable, encoded, redactions};
use crate::secrets::{Scanner, marker};
use crate::terminal;
use tokenforge_json::{Node, splice};

/// How deep JSON and base64 inside a string are understood. Each level of JSON doubles the backslashes.
const DEEPEST: usize = 8;

/// Base64 of that length, in one line, is a file and no list of keys. Letters drawn at random look like a key
/// sooner or later: in a megabyte of them a prefix of four letters occurs once in sixteen files.
const FILE: usize = 1024;

/// What is known about a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextPlace<'n> {
    /// What it is called; empty if it has no name.
    pub(crate) name: &'n str,
    /// How many others it is in.
    pub(crate) depth: usize,
    /// May it become any other text, as the result of a tool may? Then base64 of a secret becomes a marker. Elsewhere that
    /// may be a picture, or something that its maker signed.
    pub(crate) is_replaceable: bool,
}

/// A text without its secrets; nothing if it has none.
///
/// # Errors
/// It holds a secret that cannot be taken out.
pub fn redact_text(text: &str) -> Result<Option<String>, Unscannable> {
    redact_at(text, TextPlace::default())
}

pub(crate) fn redact_at(text: &str, place: TextPlace<'_>) -> Result<Option<String>, Unscannable> {
    let said = encoded::decode_base64(text);
    if said.as_deref().map_or(Ok(false), |said| is_secret(said, place.depth + 1))? {
        return if place.is_replaceable {
            Ok(Some(marker(ENCODED)))
        } else {
            Err(Unscannable::SecretInData)
        };
    }
    if said.is_some() && text.len() >= FILE && encoded::is_one_line(text) {
        return Ok(None);
    }
    let bare = terminal::strip(text);
    let plain = Scanner::builtin().redact_value(place.name, bare.as_deref().unwrap_or(text));
    let plain = plain.map(|redacted| redacted.text);
    let inside = redact_nested_json(plain.as_deref().unwrap_or(text), place)?;
    Ok(inside.or(plain))
}

/// What the marker of a secret says that was found in base64.
const ENCODED: &str = "encoded-secret";

/// Is there a secret in what was decoded?
fn is_secret(text: &str, depth: usize) -> Result<bool, Unscannable> {
    if depth >= DEEPEST {
        return Err(Unscannable::TooDeep);
    }
    let place = TextPlace { depth, is_replaceable: true, ..TextPlace::default() };
    Ok(redact_at(text, place)?.is_some())
}

/// A text that is JSON, without the secrets that show only once its strings are unescaped.
fn redact_nested_json(text: &str, place: TextPlace<'_>) -> Result<Option<String>, Unscannable> {
    let is_spelled = text.trim_start().starts_with(['{', '[', '"']) && text.contains('\\');
    // What is no JSON is a text like any other, and is looked at as such.
    if !is_spelled || Node::read(text).is_err() {
        return Ok(None);
    }
    let depth = place.depth + 1;
    if depth >= DEEPEST {
        return Err(Unscannable::TooDeep);
    }
    let texts = if place.is_replaceable { Replaceable::All } else { Replaceable::None };
    let found = redactions(text, BodyShape::Unknown, texts, depth)?;
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
