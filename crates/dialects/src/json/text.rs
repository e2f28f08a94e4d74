//! Between a text and its spelling inside a JSON string.

pub use tokenforge_formats::unescape;

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
    use std::borrow::Cow;

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
