//! Which strings and keys need no quotes.

use crate::json::lexeme;

/// Can the text of a string stand without quotes as a value?
#[inline]
pub(super) fn is_bare(text: &[u8]) -> bool {
    is_bare_text(text) && !is_literal(text) && !is_number(text)
}

/// Can it stand without quotes in a column that holds text only?
#[inline]
pub(super) fn is_bare_text(text: &[u8]) -> bool {
    let Some(first) = text.first() else { return false };
    let is_mark = matches!(text, b"-" | b"^" | b"|") || text == b"null";
    !matches!(first, b'&' | b'*') && lexeme::bare(text, 0) == text.len() && !is_mark
}

/// Can it stand without quotes right behind a reference?
pub(super) fn is_bare_tail(text: &[u8]) -> bool {
    let starts_well = text.first().is_some_and(|first| !first.is_ascii_digit());
    starts_well && lexeme::bare(text, 0) == text.len()
}

/// Can a key stand without quotes?
#[inline]
pub(super) fn is_bare_key(text: &[u8]) -> bool {
    let starts_well = text.first().is_some_and(|first| !matches!(first, b'&' | b'*'));
    starts_well && key_end(text, 0) == text.len()
}

/// The offset behind the bare key at `at`.
#[inline]
pub(super) fn key_end(text: &[u8], at: usize) -> usize {
    let end = lexeme::bare(text, at);
    let is_mark = |byte: &u8| matches!(byte, b':' | b'=' | b'?' | b'+');
    text[at..end].iter().position(is_mark).map_or(end, |length| at + length)
}

/// Is this a number as JSON writes it?
#[inline]
pub(super) fn is_number(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'-' | b'0'..=b'9'))
        && lexeme::number(text, 0).is_ok_and(|(end, _)| end == text.len())
}

fn is_literal(text: &[u8]) -> bool {
    matches!(text, b"true" | b"false" | b"null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_taken_for_something_else_is_quoted() {
        for text in
            ["a", "2024-01-02", "1.2.3", "007", "a|b", "https://x/?a=1&b=2", "é", "+1", "--", "1e"]
        {
            assert!(is_bare(text.as_bytes()), "{text}");
        }
        for text in [
            "", "-", "^", "|", "1", "-0.5e3", "null", "true", "a b", "a\"", "\\n", "f(x)", "{a",
            "&a", "*a",
        ] {
            assert!(!is_bare(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn keys_also_yield_to_what_follows_a_key() {
        for text in ["a", "a-b", "3", "@type", "a.b/c", "null", "-"] {
            assert!(is_bare_key(text.as_bytes()), "{text}");
        }
        for text in ["", "a:b", "a=b", "a?", "a+b", "a b", "&a", "*"] {
            assert!(!is_bare_key(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_tail_cannot_start_with_a_digit() {
        assert!(is_bare_tail(b"/forks") && is_bare_tail(b"-14T19:25"));
        assert!(!is_bare_tail(b"2") && !is_bare_tail(b"") && !is_bare_tail(b"{/x}"));
    }
}
