//! The text between the quotes of a JSON string, in the spellings that real serialisers use.

use std::fmt::Write;

/// The words for what a style escapes.
const ASCII: &str = "ASCII";
const SLASH: &str = "\\/";
const HTML: &str = "HTML";

/// What a serialiser escapes beyond what it has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JsonStyle {
    /// All but ASCII, as Python does by default.
    ascii: bool,
    /// `/`, as PHP does.
    slash: bool,
    /// `<`, `>`, `&` and the two Unicode line ends, as Go does.
    html: bool,
}

impl JsonStyle {
    /// The style that a string seems to be written in, given its value.
    pub(crate) fn of(written: &str, text: &str) -> Self {
        let has =
            |escape: &str| memchr::memmem::find(written.as_bytes(), escape.as_bytes()).is_some();
        let has_escapes = written.len() != text.len();
        Self {
            ascii: has_escapes && written.is_ascii() && !text.is_ascii(),
            slash: has_escapes && has(r"\/"),
            html: has_escapes && [r"\u003c", r"\u003e", r"\u0026"].iter().any(|escape| has(escape)),
        }
    }

    /// What either of two serialisers escapes.
    pub(super) fn union(self, other: Self) -> Self {
        Self {
            ascii: self.ascii || other.ascii,
            slash: self.slash || other.slash,
            html: self.html || other.html,
        }
    }

    /// What is escaped, in words.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> {
        let escaped = [(self.ascii, ASCII), (self.slash, SLASH), (self.html, HTML)];
        escaped.into_iter().filter_map(|(is_escaped, word)| is_escaped.then_some(word))
    }

    /// The style that escapes what a word says as well.
    pub(crate) fn and(self, word: &str) -> Option<Self> {
        match word {
            ASCII => Some(Self { ascii: true, ..self }),
            SLASH => Some(Self { slash: true, ..self }),
            HTML => Some(Self { html: true, ..self }),
            _ => None,
        }
    }

    fn escapes(self, character: char) -> bool {
        match character {
            '"' | '\\' | '\0'..='\x1f' => true,
            '/' => self.slash,
            '<' | '>' | '&' => self.html,
            '\x7f' => self.ascii,
            '\u{2028}' | '\u{2029}' => self.html || self.ascii,
            other => self.ascii && !other.is_ascii(),
        }
    }
}

pub(crate) fn escape(text: &str, style: JsonStyle) -> String {
    let mut written = String::with_capacity(text.len() + text.len() / 8);
    let mut plain = 0;
    for (at, character) in text.char_indices().filter(|(_, character)| style.escapes(*character)) {
        written.push_str(&text[plain..at]);
        plain = at + character.len_utf8();
        push_escaped(&mut written, character);
    }
    written.push_str(&text[plain..]);
    written
}

fn push_escaped(written: &mut String, character: char) {
    match character {
        '"' | '\\' | '/' => written.extend(['\\', character]),
        '\n' => written.push_str("\\n"),
        '\r' => written.push_str("\\r"),
        '\t' => written.push_str("\\t"),
        '\u{8}' => written.push_str("\\b"),
        '\u{c}' => written.push_str("\\f"),
        other => {
            for unit in other.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(written, "\\u{unit:04x}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenforge_json::unescape;

    #[test]
    fn the_spelling_of_each_serialiser_comes_back() {
        for written in [
            "plain é \u{2028}",
            r#"a\"\\\n\r\t\b\f\u001b/"#,
            r"\u00e9 \ud83d\ude00 \u007f a/b",
            r"a\/b é",
            r"\u003cb\u003e \u0026 \u2028 é",
        ] {
            let text = unescape(written).unwrap();
            assert_eq!(escape(&text, JsonStyle::of(written, &text)), written);
        }
    }

    #[test]
    fn what_is_no_json_has_no_value() {
        for written in [r"\", r"\x", r"\u12", r"\ud800", r"\ud800\n", r"\udc00\ud800", r"\u+123"] {
            assert_eq!(unescape(written), None, "{written}");
        }
    }
}
