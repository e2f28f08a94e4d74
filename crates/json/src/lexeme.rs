//! The two lexemes that need care, strings and numbers: where does one end, and what is in it.
//!
//! Shared by the tape, by the walker and by every decoder that reads JSON's own strings and numbers inside another notation,
//! so that they agree on what a string and a number are.

use crate::chunk::{self, Chunk, ChunkMask};
use crate::content::StringContent;
use crate::error::Fault;

/// Reads the string value whose opening quote is at `open`: the offset behind its closing quote, and its content.
#[inline(always)]
pub fn string(text: &[u8], open: usize) -> Result<(usize, StringContent), Fault> {
    scan(text, open, StringContent::of_value)
}

/// Like [`string`], for a key.
#[inline(always)]
pub fn key(text: &[u8], open: usize) -> Result<(usize, StringContent), Fault> {
    scan(text, open, StringContent::of_key)
}

#[inline(always)]
fn scan(
    text: &[u8],
    open: usize,
    classify: impl Fn(Chunk, ChunkMask) -> StringContent,
) -> Result<(usize, StringContent), Fault> {
    debug_assert_eq!(text[open], b'"');
    let mut content = StringContent::default();
    let mut at = open + 1;
    loop {
        let chunk = Chunk::at(text, at);
        let stops = chunk.string_stops();
        if stops == 0 {
            content |= classify(chunk, chunk::first(chunk::SIZE));
            at += chunk::SIZE;
            continue;
        }
        let plain = stops.trailing_zeros() as usize;
        content |= classify(chunk, chunk::first(plain));
        at += plain;
        match text.get(at) {
            Some(b'"') => return Ok((at + 1, content)),
            Some(b'\\') => {
                let (end, escape) = escape(text, at)?;
                content |= escape;
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
pub fn escape_end(text: &[u8], at: usize) -> Result<usize, Fault> {
    escape(text, at).map(|(end, _)| end)
}

/// Validates the escape at `at`: the offset behind it, and its kind.
fn escape(text: &[u8], at: usize) -> Result<(usize, StringContent), Fault> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'n' | b'r' | b't') => Ok((at + 2, StringContent::COMMON_ESCAPE)),
        Some(b'/' | b'b' | b'f') => Ok((at + 2, StringContent::RARE_ESCAPE)),
        Some(b'u') => {
            let digits = text.get(at + 2..at + 6).unwrap_or_default();
            if digits.len() == 4 && digits.iter().all(u8::is_ascii_hexdigit) {
                Ok((at + 6, StringContent::RARE_ESCAPE))
            } else {
                Err(Fault::expected("four hexadecimal digits after `\\u`", at + 2))
            }
        }
        _ => Err(Fault::expected("one of `\"\\/bfnrtu` after the backslash", at + 1)),
    }
}

/// Reads the number that starts at `start`: the offset behind it, and whether it is all digits.
#[inline(always)]
pub fn number(text: &[u8], start: usize) -> Result<(usize, bool), Fault> {
    number_by(text, start, digits)
}

/// Like [`number`], with another way to find the offset behind digits.
#[inline(always)]
pub(crate) fn number_by(
    text: &[u8],
    start: usize,
    digits: impl Fn(&[u8], usize) -> usize,
) -> Result<(usize, bool), Fault> {
    let some_digits = |start: usize| match digits(text, start) {
        end if end > start => Ok(end),
        _ => Err(Fault::expected("a digit", start)),
    };
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
        at = some_digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = text.get(at) {
            at += 1;
        }
        at = some_digits(at)?;
    }
    Ok((at, at == integer_end))
}

/// The offset behind the digits at `at`.
#[inline(always)]
pub fn digits(text: &[u8], at: usize) -> usize {
    run(text, at, Chunk::digits)
}

/// The offset behind the run of bytes at `at` that are in a class.
#[inline(always)]
pub fn run(text: &[u8], mut at: usize, class: impl Fn(Chunk) -> ChunkMask) -> usize {
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

/// Skips JSON white space.
#[inline(always)]
pub fn white_space(text: &[u8], at: usize) -> usize {
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
