//! When a TOON string or key needs quotes, and how it is escaped.

use super::Delimiter;
use crate::json::lexeme::Content;
use crate::output::Output;

/// Must this value be quoted? `content` is what the value contains.
pub(super) fn needs_quotes(value: &str, content: Content, delimiter: Delimiter) -> bool {
    let bytes = value.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return true };
    let has_delimiter = match delimiter {
        Delimiter::Comma => content.has_comma(),
        Delimiter::Pipe => content.has_pipe(),
        // A raw tab cannot stand in a JSON string; an escaped one is quoted for being a control character.
        Delimiter::Tab => false,
    };
    content.has_structure()
        || has_delimiter
        || content.has_escape()
        || matches!(first, b' ' | b'-' | b'#')
        || *last == b' '
        || match first {
            b't' | b'f' | b'n' => matches!(value, "true" | "false" | "null"),
            b'0'..=b'9' | b'+' => looks_like_a_number(bytes),
            _ => false,
        }
}

/// May this key stand without quotes? `^[A-Za-z_][A-Za-z0-9_.]*$`
pub(super) fn is_bare_key(key: &str, content: Content) -> bool {
    let first = key.as_bytes().first();
    content.is_dotted_word()
        && first.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
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
pub(super) fn write_quoted(value: &str, out: &mut Output) {
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
