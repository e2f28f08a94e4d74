//! The two lexemes that need care, strings and numbers: where does one end, and what is in it.
//!
//! Shared by every reader in this crate, so that they agree on what a string and a number are.

use crate::error::Fault;

/// What kinds of bytes a string contains, one bit each, gathered while looking for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Content(u8);

impl Content {
    /// A backslash: the text between the quotes is not the value.
    const ESCAPE: u8 = 1;
    /// Anything but `A-Z a-z 0-9 _`.
    const NOT_WORD: u8 = 1 << 1;
    /// Anything but `A-Z a-z 0-9 _ .`.
    const NOT_DOTTED_WORD: u8 = 1 << 2;
    /// One of `: [ ] { }`.
    const STRUCTURE: u8 = 1 << 3;
    const COMMA: u8 = 1 << 4;
    const PIPE: u8 = 1 << 5;
    /// The closing quote or a control character. Part of the table, never of a string.
    const STOP: u8 = 1 << 7;

    /// Does the string contain a backslash?
    pub(crate) fn has_escape(self) -> bool {
        self.0 & Self::ESCAPE != 0
    }

    /// Only ASCII letters, digits and `_`?
    pub(crate) fn is_word(self) -> bool {
        self.0 & Self::NOT_WORD == 0
    }

    /// Only ASCII letters, digits, `_` and `.`?
    pub(crate) fn is_dotted_word(self) -> bool {
        self.0 & Self::NOT_DOTTED_WORD == 0
    }

    /// Does it contain one of `: [ ] { }`?
    pub(crate) fn has_structure(self) -> bool {
        self.0 & Self::STRUCTURE != 0
    }

    pub(crate) fn has_comma(self) -> bool {
        self.0 & Self::COMMA != 0
    }

    pub(crate) fn has_pipe(self) -> bool {
        self.0 & Self::PIPE != 0
    }

    /// The content of a text that is already known to be a plain value.
    pub(crate) fn of(value: &str) -> Self {
        Self(value.bytes().fold(0, |bits, byte| bits | CONTENT[usize::from(byte)]) & !Self::STOP)
    }
}

static CONTENT: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        let mut bits = 0;
        if !(c.is_ascii_alphanumeric() || c == b'_') {
            bits |= Content::NOT_WORD;
            if c != b'.' {
                bits |= Content::NOT_DOTTED_WORD;
            }
        }
        if matches!(c, b':' | b'[' | b']' | b'{' | b'}') {
            bits |= Content::STRUCTURE;
        }
        if c == b',' {
            bits |= Content::COMMA;
        }
        if c == b'|' {
            bits |= Content::PIPE;
        }
        if c == b'\\' {
            bits |= Content::ESCAPE;
        }
        if c == b'"' || c < 0x20 {
            bits |= Content::STOP;
        }
        table[byte] = bits;
        byte += 1;
    }
    table
};

/// Reads the string whose opening quote is at `open`: the offset behind its closing quote, and its content.
#[inline]
pub(crate) fn string(text: &[u8], open: usize) -> Result<(usize, Content), Fault> {
    debug_assert_eq!(text[open], b'"');
    let mut bits = 0;
    let mut at = open + 1;
    loop {
        let Some(&byte) = text.get(at) else {
            return Err(Fault::expected("the closing `\"` of the string", at));
        };
        let class = CONTENT[usize::from(byte)];
        if class & (Content::STOP | Content::ESCAPE) == 0 {
            bits |= class;
            at += 1;
        } else if byte == b'"' {
            return Ok((at + 1, Content(bits)));
        } else if byte == b'\\' {
            bits |= class;
            at = escape(text, at)?;
        } else {
            return Err(Fault::expected("control characters to be escaped in a string", at));
        }
    }
}

/// Validates the escape at `at` and returns the offset behind it.
fn escape(text: &[u8], at: usize) -> Result<usize, Fault> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            let digits = text.get(at + 2..at + 6).unwrap_or_default();
            if digits.len() == 4 && digits.iter().all(u8::is_ascii_hexdigit) {
                Ok(at + 6)
            } else {
                Err(Fault::expected("four hexadecimal digits after `\\u`", at + 2))
            }
        }
        _ => Err(Fault::expected("one of `\"\\/bfnrtu` after the backslash", at + 1)),
    }
}

/// Reads the number that starts at `start` and returns the offset behind it.
#[inline]
pub(crate) fn number(text: &[u8], start: usize) -> Result<usize, Fault> {
    let mut at = start;
    if text.get(at) == Some(&b'-') {
        at += 1;
    }
    match text.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at = digits(text, at + 1),
        _ => return Err(Fault::expected("a digit", at)),
    }
    if text.get(at) == Some(&b'.') {
        at = some_digits(text, at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = text.get(at) {
            at += 1;
        }
        at = some_digits(text, at)?;
    }
    Ok(at)
}

fn some_digits(text: &[u8], start: usize) -> Result<usize, Fault> {
    match digits(text, start) {
        end if end > start => Ok(end),
        _ => Err(Fault::expected("a digit", start)),
    }
}

#[inline]
fn digits(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Skips JSON white space.
#[inline]
pub(crate) fn white_space(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = text.get(at) {
        at += 1;
    }
    at
}
