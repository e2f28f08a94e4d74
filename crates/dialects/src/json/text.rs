//! Between a text and its spelling inside a JSON string.

use memchr::memchr;
use std::borrow::Cow;
use std::ops::Range;

/// The text that is spelled between the quotes of a JSON string.
///
/// Nothing if the spelling holds half a surrogate pair, which no text can, or is not that of a JSON string.
#[must_use]
pub fn unescape(spelling: &str) -> Option<Cow<'_, str>> {
    let Some(mut backslash) = memchr(b'\\', spelling.as_bytes()) else {
        return Some(Cow::Borrowed(spelling));
    };
    let mut text = String::with_capacity(spelling.len());
    let mut rest = spelling;
    loop {
        text.push_str(&rest[..backslash]);
        rest = &rest[backslash + 1..];
        let (character, length) = match rest.bytes().next()? {
            b'n' => ('\n', 1),
            b'r' => ('\r', 1),
            b't' => ('\t', 1),
            b'b' => ('\u{8}', 1),
            b'f' => ('\u{c}', 1),
            b'u' => code_point(rest)?,
            byte @ (b'"' | b'\\' | b'/') => (char::from(byte), 1),
            _ => return None,
        };
        text.push(character);
        rest = &rest[length..];
        match memchr(b'\\', rest.as_bytes()) {
            Some(next) => backslash = next,
            None => break,
        }
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

/// Reads `uXXXX`, or `uXXXX\uXXXX` for a pair: the character and the length of its spelling.
fn code_point(text: &str) -> Option<(char, usize)> {
    let first = unit(text, 1..5)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 5));
    }
    let is_pair = first < 0xDC00 && text.get(5..7)? == "\\u";
    let low = unit(text, 7..11)?.checked_sub(0xDC00).filter(|low| is_pair && *low < 0x400)?;
    char::from_u32(0x10000 + ((first - 0xD800) << 10) + low).map(|character| (character, 11))
}

fn unit(text: &str, digits: Range<usize>) -> Option<u32> {
    let digits = text.get(digits).filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, 16).ok()
}

/// Appends the shortest spelling of a text: escaped is only what must be.
pub fn escape_into(text: &str, spelling: &mut String) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        spelling.push_str(&text[plain..at]);
        plain = at + 1;
        spelling.push('\\');
        match byte {
            b'\n' => spelling.push('n'),
            b'\r' => spelling.push('r'),
            b'\t' => spelling.push('t'),
            0x8 => spelling.push('b'),
            0xC => spelling.push('f'),
            b'"' | b'\\' => spelling.push(char::from(byte)),
            _ => {
                let digit = char::from_digit(u32::from(byte & 0xF), 16).unwrap_or('0');
                spelling.push_str(if byte < 0x10 { "u000" } else { "u001" });
                spelling.push(digit);
            }
        }
    }
    spelling.push_str(&text[plain..]);
}

/// A text as a JSON string, with its quotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 8 + 2);
    quoted.push('"');
    escape_into(text, &mut quoted);
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_escape_of_json_is_read() {
        let text = unescape(r#"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"#);
        assert_eq!(text.as_deref(), Some("a\"\\/\u{8}\u{c}\n\r\té😀é"));
        assert!(matches!(unescape("plain é"), Some(Cow::Borrowed("plain é"))));
    }

    #[test]
    fn what_no_text_can_hold_is_refused() {
        for spelling in [
            r"\ud800",
            r"\udc00",
            r"\ud800x",
            r"\ud800\n",
            r"\ud800\ud800",
            r"\u+123",
            r"\x",
            r"a\",
        ] {
            assert_eq!(unescape(spelling), None, "{spelling}");
        }
    }

    proptest! {
        #[test]
        fn a_text_is_spelled_as_serde_json_spells_it_and_read_back(text in "\\PC*|[\\x00-\\x7f]*") {
            let mut spelling = String::new();
            escape_into(&text, &mut spelling);
            prop_assert_eq!(format!("\"{spelling}\""), serde_json::to_string(&text).unwrap());
            prop_assert_eq!(unescape(&spelling), Some(Cow::Borrowed(&*text)));
        }
    }
}
