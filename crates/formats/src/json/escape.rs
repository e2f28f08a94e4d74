//! Between the text inside a JSON string and its value.

/// Half of a surrogate pair without the other: JSON can spell it, UTF-8 cannot hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoneSurrogate;

/// The value of a JSON string, given the validated text between its quotes.
pub(crate) fn unescape(text: &str) -> Result<String, LoneSurrogate> {
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(backslash) = rest.find('\\') {
        value.push_str(&rest[..backslash]);
        rest = &rest[backslash + 1..];
        let (unescaped, length) = match rest.bytes().next() {
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'u') => code_point(rest)?,
            Some(other) => (char::from(other), 1),
            None => break,
        };
        value.push(unescaped);
        rest = &rest[length..];
    }
    value.push_str(rest);
    Ok(value)
}

/// Reads `uXXXX`, or `uXXXX\uXXXX` for a pair: the character and the length of its spelling.
fn code_point(text: &str) -> Result<(char, usize), LoneSurrogate> {
    let unit = |at: usize| {
        text.get(at..at + 4)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or(LoneSurrogate)
    };
    let first = unit(1)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, 5));
    }
    let is_pair = first < 0xDC00 && text.get(5..7) == Some("\\u");
    let second = if is_pair { unit(7)? } else { return Err(LoneSurrogate) };
    let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400).ok_or(LoneSurrogate)?;
    let combined = 0x10000 + ((first - 0xD800) << 10) + low;
    char::from_u32(combined).map(|character| (character, 11)).ok_or(LoneSurrogate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape_of_json_is_read() {
        let value = unescape(r#"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"#);
        assert_eq!(value.as_deref(), Ok("a\"\\/\u{8}\u{c}\n\r\té😀é"));
    }

    #[test]
    fn a_lone_surrogate_has_no_value() {
        for text in
            [r"\ud800", r"\udc00", r"\ud800x", r"\ud800\n", r"\ud800\ud800", r"\udc00\ud800"]
        {
            assert_eq!(unescape(text), Err(LoneSurrogate), "{text}");
        }
    }
}
