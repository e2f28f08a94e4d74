//! The text between the quotes of a Python string, as `repr` writes it.

use std::fmt::Write;

/// What `repr` escapes beyond Latin-1: format characters and blanks that cannot be seen. Characters that no version of
/// Unicode knew yet when a Python was made are escaped by it too; a text with such is left alone.
const INVISIBLE: &[(u32, u32)] = &[
    (0x80, 0xA0),
    (0xAD, 0xAD),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x1680, 0x1680),
    (0x180E, 0x180E),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x2064),
    (0x2066, 0x206F),
    (0x3000, 0x3000),
    (0xE000, 0xF8FF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x13438),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0001, 0xE0001),
    (0xE0020, 0xE007F),
    (0xF0000, 0x10FFFF),
];

/// The value of a string, unless it holds an escape that `repr` does not write.
pub(crate) fn unescape(written: &str) -> Option<String> {
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (character, length) = match rest.bytes().next()? {
            b'n' => ('\n', 1),
            b'r' => ('\r', 1),
            b't' => ('\t', 1),
            mark @ (b'\'' | b'"' | b'\\') => (char::from(mark), 1),
            b'x' => (code_point(rest, 2)?, 3),
            b'u' => (code_point(rest, 4)?, 5),
            b'U' => (code_point(rest, 8)?, 9),
            _ => return None,
        };
        text.push(character);
        rest = &rest[length..];
    }
    text.push_str(rest);
    Some(text)
}

fn code_point(text: &str, digits: usize) -> Option<char> {
    char::from_u32(u32::from_str_radix(text.get(1..1 + digits)?, 16).ok()?)
}

pub(crate) fn escape(text: &str, quote: char) -> String {
    let is_special =
        |character: char| character == quote || character == '\\' || is_invisible(character);
    let mut written = String::with_capacity(text.len() + text.len() / 8);
    let mut plain = 0;
    for (at, character) in text.char_indices().filter(|(_, character)| is_special(*character)) {
        written.push_str(&text[plain..at]);
        plain = at + character.len_utf8();
        push_escaped(&mut written, character);
    }
    written.push_str(&text[plain..]);
    written
}

fn is_invisible(character: char) -> bool {
    match u32::from(character) {
        0..0x20 | 0x7F => true,
        0x20..0x7F => false,
        code => {
            INVISIBLE.iter().take_while(|(first, _)| *first <= code).any(|(_, last)| code <= *last)
        }
    }
}

fn push_escaped(written: &mut String, character: char) {
    // Writing to a string cannot fail.
    let _ = match (character, u32::from(character)) {
        ('\n', _) => write!(written, "\\n"),
        ('\r', _) => write!(written, "\\r"),
        ('\t', _) => write!(written, "\\t"),
        ('\'' | '"' | '\\', _) => write!(written, "\\{character}"),
        (_, code @ ..0x100) => write!(written, "\\x{code:02x}"),
        (_, code @ ..0x10000) => write!(written, "\\u{code:04x}"),
        (_, code) => write!(written, "\\U{code:08x}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repr_writes_comes_back() {
        // As printed by Python 3.11.
        for (quote, written) in [
            ('\'', r#"it\'s "x"\n\t\r\\ \x1b[0m \x00\x7f\xa0\xad é ü 😀 日本"#),
            ('"', "it's \\n x"),
            ('\'', r"\u200b\u2028\ufeff\u3000\ue000\U000e0001\U000f0000"),
        ] {
            let text = unescape(written).unwrap();
            assert_eq!(escape(&text, quote), written);
        }
        assert_eq!(unescape(r"\xe9\u20ac\U0001f600").unwrap(), "é€😀");
    }

    #[test]
    fn escapes_that_repr_does_not_write_are_refused() {
        for written in [r"\", r"\a", r"\x1", r"\u12", r"\ud800", r"\U00110000", r"\N{DASH}"] {
            assert_eq!(unescape(written), None, "{written}");
        }
    }
}
