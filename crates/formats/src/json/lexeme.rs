//! The two lexemes that need care, strings and numbers: where does one end, and what is in it.
//!
//! Shared by every reader in this crate, so that they agree on what a string and a number are.

use super::chunk::{self, Chunk, Mask};
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
    /// An escape other than `\" \\ \n \r \t`.
    const RARE_ESCAPE: u8 = 1 << 6;

    /// Does the string contain a backslash?
    pub(crate) fn has_escape(self) -> bool {
        self.0 & Self::ESCAPE != 0
    }

    /// Does it contain an escape other than `\" \\ \n \r \t`?
    pub(crate) fn has_rare_escape(self) -> bool {
        self.0 & Self::RARE_ESCAPE != 0
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

    /// The content of an unescaped value; what would need an escape counts as one.
    pub(crate) fn of(value: &str) -> Self {
        let needs_escape = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
        value.as_bytes().chunks(chunk::SIZE).fold(Self::default(), |content, bytes| {
            let escape =
                if bytes.iter().any(|&byte| needs_escape(byte)) { Self::ESCAPE } else { 0 };
            let (chunk, all) = (Chunk::at(bytes, 0), chunk::first(bytes.len()));
            Self(content.0 | escape | Self::of_value(chunk, all) | Self::of_key(chunk, all))
        })
    }

    /// What matters in a value, among the bytes of `mask`.
    #[inline(always)]
    fn of_value(chunk: Chunk, mask: Mask) -> u8 {
        // Most values have none of these, and one look tells.
        if chunk.structure_or_delimiter() & mask == 0 {
            return 0;
        }
        Self::flag(chunk.structure() & mask, Self::STRUCTURE)
            | Self::flag(chunk.is(b',') & mask, Self::COMMA)
            | Self::flag(chunk.is(b'|') & mask, Self::PIPE)
    }

    /// What matters in a key, among the bytes of `mask`.
    #[inline(always)]
    fn of_key(chunk: Chunk, mask: Mask) -> u8 {
        let not_word = !chunk.word() & mask;
        if not_word == 0 {
            return 0;
        }
        Self::NOT_WORD | Self::flag(not_word & !chunk.is(b'.'), Self::NOT_DOTTED_WORD)
    }

    #[inline]
    fn flag(mask: Mask, bit: u8) -> u8 {
        if mask == 0 { 0 } else { bit }
    }
}

/// Reads the string value whose opening quote is at `open`: the offset behind its closing quote, and its content.
#[inline(always)]
pub(crate) fn string(text: &[u8], open: usize) -> Result<(usize, Content), Fault> {
    scan(text, open, Content::of_value)
}

/// Like [`string`], for a key.
#[inline(always)]
pub(crate) fn key(text: &[u8], open: usize) -> Result<(usize, Content), Fault> {
    scan(text, open, Content::of_key)
}

#[inline(always)]
fn scan(
    text: &[u8],
    open: usize,
    classify: impl Fn(Chunk, Mask) -> u8,
) -> Result<(usize, Content), Fault> {
    debug_assert_eq!(text[open], b'"');
    let mut bits = 0;
    let mut at = open + 1;
    loop {
        let chunk = Chunk::at(text, at);
        let stops = chunk.string_stops();
        if stops == 0 {
            bits |= classify(chunk, chunk::first(chunk::SIZE));
            at += chunk::SIZE;
            continue;
        }
        let plain = stops.trailing_zeros() as usize;
        bits |= classify(chunk, chunk::first(plain));
        at += plain;
        match text.get(at) {
            Some(b'"') => return Ok((at + 1, Content(bits))),
            Some(b'\\') => {
                let (end, escape) = escape(text, at)?;
                bits |= Content::ESCAPE | Content::NOT_WORD | Content::NOT_DOTTED_WORD | escape;
                at = end;
            }
            Some(_) => {
                return Err(Fault::expected("control characters to be escaped in a string", at));
            }
            None => return Err(Fault::expected("the closing `\"` of the string", at)),
        }
    }
}

/// Validates the escape at `at` and returns the offset behind it.
pub(crate) fn escape_end(text: &[u8], at: usize) -> Result<usize, Fault> {
    escape(text, at).map(|(end, _)| end)
}

/// Validates the escape at `at`: the offset behind it, and its bits.
fn escape(text: &[u8], at: usize) -> Result<(usize, u8), Fault> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'n' | b'r' | b't') => Ok((at + 2, 0)),
        Some(b'/' | b'b' | b'f') => Ok((at + 2, Content::RARE_ESCAPE)),
        Some(b'u') => {
            let digits = text.get(at + 2..at + 6).unwrap_or_default();
            if digits.len() == 4 && digits.iter().all(u8::is_ascii_hexdigit) {
                Ok((at + 6, Content::RARE_ESCAPE))
            } else {
                Err(Fault::expected("four hexadecimal digits after `\\u`", at + 2))
            }
        }
        _ => Err(Fault::expected("one of `\"\\/bfnrtu` after the backslash", at + 1)),
    }
}

/// Reads the number that starts at `start`: the offset behind it, and whether it is all digits.
#[inline(always)]
pub(crate) fn number(text: &[u8], start: usize) -> Result<(usize, bool), Fault> {
    let mut at = start;
    if text.get(at) == Some(&b'-') {
        at += 1;
    }
    match text.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at = digits(text, at + 1),
        _ => return Err(Fault::expected("a digit", at)),
    }
    let integer_end = at;
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
    Ok((at, at == integer_end))
}

fn some_digits(text: &[u8], start: usize) -> Result<usize, Fault> {
    match digits(text, start) {
        end if end > start => Ok(end),
        _ => Err(Fault::expected("a digit", start)),
    }
}

/// The offset behind the digits at `at`.
#[inline(always)]
pub(crate) fn digits(text: &[u8], at: usize) -> usize {
    run(text, at, Chunk::digits)
}

/// The offset behind the run of bytes at `at` that are in a class.
#[inline(always)]
pub(crate) fn run(text: &[u8], mut at: usize, class: impl Fn(Chunk) -> Mask) -> usize {
    while at < text.len() {
        let count = class(Chunk::at(text, at)).trailing_ones() as usize;
        at += count;
        if count < chunk::SIZE {
            break;
        }
    }
    // Behind the end there are zeros, which may be in the class too.
    at.min(text.len())
}

/// The offset behind the plain text at `at`: where a comma, quote, backslash or control character follows.
#[inline]
pub(crate) fn plain(text: &[u8], at: usize) -> usize {
    run(text, at, |chunk| chunk::others(chunk.string_stops() | chunk.is(b',')))
}

/// The offset behind the letters, digits and underscores at `at`.
#[inline]
pub(crate) fn word(text: &[u8], at: usize) -> usize {
    run(text, at, Chunk::word)
}

/// Reads `[N]` at `at`: the count, and the offset behind the bracket.
///
/// A count too large for this machine reads as the largest one: no text has that many values.
pub(crate) fn count(text: &[u8], at: usize) -> Result<(usize, usize), Fault> {
    if text.get(at) != Some(&b'[') {
        return Err(Fault::expected("`[`", at));
    }
    let start = at + 1;
    let end = digits(text, start);
    match text.get(start) {
        Some(b'1'..=b'9') => {}
        Some(b'0') => {
            return Err(Fault::expected("a count from 1 up, without leading zeros", start));
        }
        _ => return Err(Fault::expected("a count", start)),
    }
    if text.get(end) != Some(&b']') {
        return Err(Fault::expected("`]` after the count", end));
    }
    let count = text[start..end].iter().fold(0usize, |count, digit| {
        count.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
    });
    Ok((count, end + 1))
}

/// Reads an identifier, `[A-Za-z_][A-Za-z0-9_]*`, and returns the offset behind it.
#[inline]
pub(crate) fn identifier(text: &[u8], start: usize) -> Result<usize, Fault> {
    if text.get(start).is_none_or(|byte| !byte.is_ascii_alphabetic() && *byte != b'_') {
        return Err(Fault::expected("a key", start));
    }
    Ok(word(text, start))
}

/// Skips JSON white space.
#[inline(always)]
pub(crate) fn white_space(text: &[u8], at: usize) -> usize {
    // In minified JSON there is none, and one comparison tells.
    match text.get(at) {
        Some(byte) if *byte <= b' ' => skip_white_space(text, at),
        _ => at,
    }
}

fn skip_white_space(text: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = text.get(at) {
        at += 1;
    }
    at
}
