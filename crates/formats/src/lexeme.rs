//! What the notations have beside JSON's own lexemes: bare words, counts, identifiers.

use tokenforge_json::chunk::{self, Chunk};
use tokenforge_json::error::Fault;

pub(crate) use tokenforge_json::lexeme::{
    digits, escape_end, key, number, run, string, white_space,
};

/// The offset behind the plain text at `at`: where a comma, quote, backslash or control character follows.
#[inline]
pub(crate) fn plain(text: &[u8], at: usize) -> usize {
    run(text, at, |chunk| chunk::others(chunk.string_stops() | chunk.is(b',')))
}

/// The offset behind the bare word of STC 2 at `at`.
#[inline(always)]
pub(crate) fn bare(text: &[u8], at: usize) -> usize {
    run(text, at, |chunk| chunk::others(chunk.bare_stops()))
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
