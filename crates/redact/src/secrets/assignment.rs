//! Reads what is assigned to a name, in any of the notations settings are written in.
//!
//! `NAME=value`, `name: "value"`, `"name": "value"`, `\"name\":\"value\"`, `name => 'value'`, `--name value`,
//! `<name>value</name>`, `Authorization: Bearer value`, and the pairs `{"name": "NAME", "value": "value"}`.

use std::ops::Range;

/// The longest name, white space and value that are followed.
const NAME_BEFORE: usize = 64;
const NAME_AFTER: usize = 32;
const GAP: usize = 32;
const VALUE: usize = 1024;

/// A name and the value it is given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Assignment<'a> {
    pub(crate) name: &'a str,
    /// Where the name begins in the text.
    pub(crate) start: usize,
    pub(crate) value: &'a str,
    /// Where the value is in the text.
    pub(crate) range: Range<usize>,
    pub(crate) quoted_length: bool,
    /// It is preceded by `Bearer` or another scheme of authorization.
    pub(crate) has_scheme: bool,
}

impl Assignment<'_> {
    /// Quoted, or `NAME=value` as in a file of settings or on a command line: not an expression.
    pub(crate) fn is_literal(&self) -> bool {
        let is_constant =
            |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        self.quoted_length || self.name.bytes().all(is_constant)
    }
}

/// The assignment to the name that has this word in it.
pub(crate) fn around(text: &str, word: Range<usize>) -> Option<Assignment<'_>> {
    let bytes = text.as_bytes();
    let before = bytes.get(..word.start)?.iter().rev().take(NAME_BEFORE);
    let start = word.start - before.take_while(|byte| is_name(**byte) || **byte == b'.').count();
    let end = word.end + count(bytes, word.end, NAME_AFTER, is_name);

    let open = separator(bytes, start, end)?;
    let (open, quote) = quote(bytes, open);
    let scheme = scheme(bytes, open);
    let open = open + scheme;
    let close = match quote {
        Some(quote) => open + quoted_length(bytes.get(open..)?, quote)?,
        None => open + unquoted_length(bytes.get(open..)?)?,
    };
    let value = text.get(open..close).filter(|value| !value.is_empty())?;
    let name = text.get(start..end)?;
    Some(Assignment {
        name,
        start,
        value,
        range: open..close,
        quoted_length: quote.is_some(),
        has_scheme: scheme > 0,
    })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// How many bytes from here on are like that, `most` at most.
fn count(bytes: &[u8], at: usize, most: usize, is: impl Fn(u8) -> bool) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take(most).take_while(|byte| is(**byte)).count()
}

/// Where the value begins behind a name that ends at `end`.
fn separator(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let is_closing = |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']');
    let closed = end + count(bytes, end, 4, is_closing);
    let at = closed + count(bytes, closed, GAP, is_blank);
    let is_option = bytes.get(start..end).is_some_and(|name| name.starts_with(b"--"));
    let is_element = start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'<');
    let open = match bytes.get(at..)? {
        [b'=', b'=', ..] | [b':', b':', ..] => return None,
        [b':', b'=', ..] | [b'=', b'>', ..] => at + 2,
        [b'=' | b':', ..] => at + 1,
        [b'>', ..] if is_element => at + 1,
        _ if is_option && at > closed => at,
        rest => at + value_of_pair(rest)?,
    };
    Some(open + count(bytes, open, GAP, is_blank))
}

/// Behind the name in `"name": "NAME", "value":`: how far it is to the value.
fn value_of_pair(rest: &[u8]) -> Option<usize> {
    let start = count(rest, 0, GAP, |byte| {
        matches!(byte, b',' | b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\\')
    });
    let word = rest.get(start..start + 5)?;
    if start == 0 || !word.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let end = start + 5 + count(rest, start + 5, 2, |byte| matches!(byte, b'"' | b'\\'));
    (rest.get(end) == Some(&b':')).then_some(end + 1)
}

/// The quote that opens here, and where the value behind it begins. `b"` and `r"` open too.
fn quote(bytes: &[u8], at: usize) -> (usize, Option<u8>) {
    let prefix = count(bytes, at, 1, |byte| matches!(byte, b'b' | b'r' | b'u'));
    let escapes = count(bytes, at + prefix, 3, |byte| byte == b'\\');
    let open = at + prefix + escapes;
    match bytes.get(open) {
        Some(&quote @ (b'"' | b'\'' | b'`')) => (open + 1, Some(quote)),
        _ => (at, None),
    }
}

/// The length of `Bearer ` and its like before the value.
fn scheme(bytes: &[u8], at: usize) -> usize {
    let name = count(bytes, at, 6, |byte| byte.is_ascii_alphabetic());
    let is_scheme = |scheme: &&[u8]| {
        bytes.get(at..at + name).is_some_and(|name| name.eq_ignore_ascii_case(scheme))
    };
    let schemes: [&[u8]; 4] = [b"bearer", b"basic", b"token", b"bot"];
    match (schemes.iter().any(is_scheme), bytes.get(at + name)) {
        (true, Some(b' ')) => name + 1,
        _ => 0,
    }
}

/// The length of a value up to its quote. White space and escapes say that it is something else.
fn quoted_length(rest: &[u8], quote: u8) -> Option<usize> {
    let end = rest
        .iter()
        .take(VALUE)
        .position(|&byte| byte == quote || byte == b'\\' || byte.is_ascii_whitespace())?;
    let closes = rest.get(end..)?.iter().find(|&&byte| byte != b'\\') == Some(&quote);
    closes.then_some(end)
}

/// The length of a value that ends where a word of a settings file, a URL or a command line does.
fn unquoted_length(rest: &[u8]) -> Option<usize> {
    let length = count(rest, 0, VALUE, |byte| byte != b'=' && !ends_word(byte));
    let end = length + count(rest, length, 2, |byte| byte == b'='); // padding of base64
    let is_value = match rest.get(end..)? {
        [] | [b'<', b'/', ..] => true,
        [b'(' | b'[' | b'{' | b'<' | b':', ..] => false, // a call, a type, a path
        [byte, ..] => ends_word(*byte),
    };
    is_value.then_some(end)
}

fn ends_word(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b'|' | b'\\' | b':')
        || matches!(byte, b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']')
        || byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
        let at = text.find(word).unwrap();
        let assignment = around(text, at..at + word.len())?;
        assert_eq!(&text[assignment.range.clone()], assignment.value);
        Some((assignment.name, assignment.value))
    }

    #[test]
    fn every_notation_is_read() {
        for (text, name) in [
            ("DB_TOKEN_1=v4lue", "DB_TOKEN_1"),
            ("export DB_TOKEN=v4lue # note", "DB_TOKEN"),
            ("a.b.TOKEN: v4lue\n", "a.b.TOKEN"),
            (r#"{"TOKEN": "v4lue"}"#, "TOKEN"),
            (r#"{\"TOKEN\":\"v4lue\"}"#, "TOKEN"),
            ("config['TOKEN'] = b'v4lue'", "TOKEN"),
            ("TOKEN := `v4lue`", "TOKEN"),
            ("'TOKEN' => 'v4lue',", "TOKEN"),
            ("tool --TOKEN v4lue -x", "--TOKEN"),
            ("tool --TOKEN=v4lue", "--TOKEN"),
            ("<TOKEN>v4lue</TOKEN>", "TOKEN"),
            ("?TOKEN=v4lue&x=1", "TOKEN"),
            ("X-TOKEN: Bearer v4lue", "X-TOKEN"),
            (r#""X-TOKEN": "Basic v4lue""#, "X-TOKEN"),
            (r#"{"name": "TOKEN", "value": "v4lue"}"#, "TOKEN"),
            ("- name: TOKEN\n  value: v4lue\n", "TOKEN"),
            ("TOKEN=v4lue", "TOKEN"),
        ] {
            assert_eq!(read(text, "TOKEN"), Some((name, "v4lue")), "{text}");
        }
    }

    #[test]
    fn expressions_and_prose_are_not_values() {
        for text in [
            "token == \"v4lue\"",
            "token::v4lue",
            "token = f(x)",
            "token = v4lue[0]",
            "token: Vec<u8>",
            "token = \"a sentence\"",
            "token = \"unclosed",
            "token token v4lue",
            "token=",
            "token=a=b",
            "token",
        ] {
            assert_eq!(read(text, "token"), None, "{text}");
        }
    }

    #[test]
    fn padding_belongs_to_the_value() {
        assert_eq!(read("token=djRsdWU==", "token"), Some(("token", "djRsdWU==")));
    }
}
