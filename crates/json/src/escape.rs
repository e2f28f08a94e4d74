//! Quote and unescape: between a text and its spelling inside a JSON string. The one place for both directions.

use crate::chunk::{self, Chunk};
use memchr::memchr;
use std::borrow::Cow;
use std::ops::Range;

/// The text that is spelled between the quotes of a JSON string.
///
/// Nothing if the spelling holds half a surrogate pair, which no text can, or is not that of a JSON string.
///
/// ```
/// use tokenforge_json::unescape;
///
/// assert_eq!(unescape(r"a\n\u00e9").as_deref(), Some("a\né"));
/// assert_eq!(unescape(r"\ud800"), None);
/// ```
#[inline]
#[must_use]
pub fn unescape(spelling: &str) -> Option<Cow<'_, str>> {
    let backslash = match spelling.len() {
        // Names of members: for so few bytes a plain loop is faster than a call of `memchr`.
        ..16 => spelling.bytes().position(|byte| byte == b'\\'),
        _ => memchr(b'\\', spelling.as_bytes()),
    };
    match backslash {
        None => Some(Cow::Borrowed(spelling)),
        Some(backslash) => unescape_from(spelling, backslash).map(Cow::Owned),
    }
}

/// The same, of a spelling whose first backslash is known.
fn unescape_from(spelling: &str, mut backslash: usize) -> Option<String> {
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
    Some(text)
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

/// A text as a JSON string, with its quotes.
///
/// ```
/// assert_eq!(tokenforge_json::quote("a\n\"b\""), r#""a\n\"b\"""#);
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + text.len() / 8 + 2);
    string.push('"');
    escape_into(text, &mut string);
    string.push('"');
    string
}

/// Appends the shortest spelling of a text, without quotes: escaped is only what must be.
pub fn escape_into(text: &str, spelling: &mut String) {
    let mut plain = 0;
    for (block, start) in text.as_bytes().chunks(chunk::SIZE).zip((0..).step_by(chunk::SIZE)) {
        let mut stops = Chunk::at(block, 0).string_stops() & chunk::first(block.len());
        while stops != 0 {
            let at = stops.trailing_zeros() as usize;
            spelling.push_str(&text[plain..start + at]);
            spelling.push_str(escape(block[at]));
            plain = start + at + 1;
            stops &= stops - 1;
        }
    }
    spelling.push_str(&text[plain..]);
}

/// How a byte is spelled that a string cannot hold as it is: a quote, a backslash or a control character.
pub(crate) fn escape(byte: u8) -> &'static str {
    /// The control characters, in order.
    const CONTROLS: [&str; 32] = [
        r"\u0000", r"\u0001", r"\u0002", r"\u0003", r"\u0004", r"\u0005", r"\u0006", r"\u0007",
        r"\b", r"\t", r"\n", r"\u000b", r"\f", r"\r", r"\u000e", r"\u000f", r"\u0010", r"\u0011",
        r"\u0012", r"\u0013", r"\u0014", r"\u0015", r"\u0016", r"\u0017", r"\u0018", r"\u0019",
        r"\u001a", r"\u001b", r"\u001c", r"\u001d", r"\u001e", r"\u001f",
    ];
    match byte {
        b'"' => "\\\"",
        b'\\' => r"\\",
        _ => CONTROLS[usize::from(byte % 32)],
    }
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
    fn k9_what_no_text_can_hold_is_refused() {
        for spelling in [
            r"\ud800",
            r"\udc00",
            r"\ud800x",
            r"\ud800\n",
            r"\ud800\ud800",
            r"\udc00\ud800",
            r"\u12",
            r"\u+123",
            r"\ud800\u+c00",
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
