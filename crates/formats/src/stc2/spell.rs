//! Which strings and keys need no quotes.
//!
//! A piece of text is given as the whole text and a range: behind a short piece the text goes on, and sixteen bytes are
//! looked at as fast as one.

use crate::lexeme;
use std::ops::Range;
use tokenforge_json::tape::Json;

/// Can the string at `at` stand without quotes as a value?
#[inline]
pub(super) fn is_bare(json: &Json<'_>, at: usize) -> bool {
    let (text, range) = (json.text().as_bytes(), json.inside(at));
    is_bare_text(text, range.clone())
        && !matches!(&text[range.clone()], b"true" | b"false")
        && !is_number(text, range)
}

/// Can a text stand without quotes in a column that holds text only?
#[inline]
pub(super) fn is_bare_text(text: &[u8], range: Range<usize>) -> bool {
    !range.is_empty()
        && lexeme::bare(text, range.start) >= range.end
        && !matches!(text[range.start], b'&' | b'*')
        && !matches!(&text[range], b"-" | b"^" | b"|" | b"null")
}

/// Can a text stand without quotes right behind a reference?
pub(super) fn is_bare_tail(text: &[u8], range: Range<usize>) -> bool {
    !range.is_empty()
        && lexeme::bare(text, range.start) >= range.end
        && !text[range.start].is_ascii_digit()
}

/// Can the key at `at` stand without quotes?
#[inline]
pub(super) fn is_bare_key(json: &Json<'_>, at: usize) -> bool {
    let (text, range) = (json.text().as_bytes(), json.inside(at));
    if json.node(at).content.is_word() {
        return !range.is_empty();
    }
    key_end(text, range.start) == range.end && !matches!(text[range.start], b'&' | b'*')
}

/// The offset behind the bare key at `at`.
#[inline]
pub(super) fn key_end(text: &[u8], at: usize) -> usize {
    // Most keys are words, and one look tells.
    let word = lexeme::word(text, at);
    if let Some(b':' | b' ') = text.get(word) {
        return word;
    }
    let end = lexeme::bare(text, at);
    let is_mark = |byte: &u8| matches!(byte, b':' | b'=' | b'?' | b'+');
    text[at..end].iter().position(is_mark).map_or(end, |length| at + length)
}

/// Is a text a number as JSON writes it? What is behind it must not be part of a number.
#[inline]
pub(super) fn is_number(text: &[u8], range: Range<usize>) -> bool {
    matches!(text.get(range.start), Some(b'-' | b'0'..=b'9'))
        && lexeme::number(text, range.start).is_ok_and(|(end, _)| end == range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json<'_> {
        Json::parse(text).unwrap()
    }

    #[test]
    fn what_could_be_taken_for_something_else_is_quoted() {
        for text in
            ["a", "2024-01-02", "1.2.3", "007", "a|b", "https://x/?a=1&b=2", "é", "+1", "--", "1e"]
        {
            assert!(is_bare(&json(&format!("\"{text}\"")), 0), "{text}");
        }
        for text in [
            "", "-", "^", "|", "1", "-0.5e3", "null", "true", "a b", "a\\\"", "\\n", "f(x)", "{a",
            "&a", "*a",
        ] {
            assert!(!is_bare(&json(&format!("\"{text}\"")), 0), "{text}");
        }
    }

    #[test]
    fn keys_also_yield_to_what_follows_a_key() {
        for key in
            ["a", "a-b", "3", "@type", "a.b/c", "null", "-", "a_rather_long_key_of_an_object"]
        {
            assert!(is_bare_key(&json(&format!("{{\"{key}\":1}}")), 1), "{key}");
        }
        for key in [
            "",
            "a:b",
            "a=b",
            "a?",
            "a+b",
            "a b",
            "&a",
            "*",
            "a\\\\",
            "a_rather_long_key:of_an_object",
        ] {
            assert!(!is_bare_key(&json(&format!("{{\"{key}\":1}}")), 1), "{key}");
        }
    }

    #[test]
    fn a_tail_cannot_start_with_a_digit() {
        let is_tail = |text: &str| is_bare_tail(text.as_bytes(), 0..text.len());
        assert!(is_tail("/forks") && is_tail("-14T19:25"));
        assert!(!is_tail("2") && !is_tail("") && !is_tail("{/x}"));
    }
}
