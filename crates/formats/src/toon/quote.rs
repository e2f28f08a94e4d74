//! When a TOON string or key needs quotes, and how it is escaped.

use super::Delimiter;
use tokenforge_json::content::StringContent;
use tokenforge_json::output::TextOutput;

/// Must this value be quoted? `content` is what the value contains.
#[inline(always)]
pub(super) fn needs_quotes(value: &[u8], content: StringContent, delimiter: Delimiter) -> bool {
    let has_delimiter = match delimiter {
        Delimiter::Comma => content.has_comma(),
        Delimiter::Pipe => content.has_pipe(),
        // A raw tab cannot stand in a JSON string; an escaped one is quoted for being a control character.
        Delimiter::Tab => false,
    };
    if has_delimiter || content.has_structure() || content.has_escape() {
        return true;
    }
    match (value.first(), value.last()) {
        (Some(first), Some(last)) => {
            *last == b' ' || IS_DOUBTFUL_START[usize::from(*first)] && is_mistakable(value, *first)
        }
        _ => true,
    }
}

/// The first bytes of what is not a string: numbers, literals, comments, list items; and the space.
static IS_DOUBTFUL_START: [bool; 256] = {
    let mut table = [false; 256];
    let doubtful = b" -#+tfn0123456789";
    let mut index = 0;
    while index < doubtful.len() {
        table[doubtful[index] as usize] = true;
        index += 1;
    }
    table
};

/// Would the value, bare, be something else than a string?
fn is_mistakable(value: &[u8], first: u8) -> bool {
    match first {
        b't' | b'f' | b'n' => matches!(value, b"true" | b"false" | b"null"),
        b'0'..=b'9' | b'+' => looks_like_a_number(value),
        _ => true,
    }
}

/// May this key stand without quotes? `^[A-Za-z_][A-Za-z0-9_.]*$`
#[inline]
pub(super) fn is_bare_key(key: &[u8], content: StringContent) -> bool {
    // Of the characters in a dotted word, the point and the digits are the lowest.
    content.is_dotted_word() && key.first().is_some_and(|first| *first > b'9')
}

/// `^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`, leading zeros included.
fn looks_like_a_number(bytes: &[u8]) -> bool {
    let digits = |from: usize| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(at);
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return false;
        }
        at += 1 + fraction;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return false;
        }
        at += exponent;
    }
    whole > 0 && at == bytes.len()
}

/// Writes a value in quotes, with the escapes that TOON knows.
pub(super) fn write_quoted(value: &str, out: &mut TextOutput) {
    out.push(b'"');
    let mut plain = 0;
    for (at, byte) in value.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&value[plain..at]);
        plain = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => out.push_str(&format!("\\u{byte:04x}")),
        }
    }
    out.push_str(&value[plain..]);
    out.push(b'"');
}
