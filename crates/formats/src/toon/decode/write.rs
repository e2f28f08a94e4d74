//! Tokens of a line as JSON.

use super::token::{LineToken, LineView, TokenStop};
use crate::lexeme;
use tokenforge_json::chunk;
use tokenforge_json::error::Fault;
use tokenforge_json::output::TextOutput;

/// Writes the value that starts at `start` and fills the rest of the line.
#[inline]
pub(super) fn line_value(
    out: &mut TextOutput,
    view: LineView<'_>,
    start: usize,
) -> Result<(), Fault> {
    if view.byte(start) == Some(b'"') {
        let end = quoted_token(out, view, start)?;
        if end < view.end() {
            return Err(Fault::expected("nothing after the closing quote", end));
        }
        return Ok(());
    }
    let token = view.token(start, TokenStop::LINE_END);
    if is_literal(view, token) {
        out.copy(view.text, start, token.end);
    } else {
        bare_token(out, view, token);
    }
    Ok(())
}

/// Writes an unquoted token as a string.
#[inline(always)]
pub(super) fn bare_token(out: &mut TextOutput, view: LineView<'_>, token: LineToken) {
    out.push(b'"');
    token_content(out, view, token);
    out.push(b'"');
}

/// Writes an unquoted token as what stands between the quotes of a string.
#[inline(always)]
pub(super) fn token_content(out: &mut TextOutput, view: LineView<'_>, token: LineToken) {
    if token.escapes {
        out.push_escaped(&view.text[token.start..token.end]);
    } else {
        out.copy(view.text, token.start, token.end);
    }
}

/// Writes the quoted token that starts at `open` as a string; returns the offset behind it.
#[inline]
pub(super) fn quoted_token(
    out: &mut TextOutput,
    view: LineView<'_>,
    open: usize,
) -> Result<usize, Fault> {
    let mut copied = open;
    let mut at = open + 1;
    loop {
        at = lexeme::run(view.text, at, |chunk| chunk::others(chunk.string_stops()));
        let Some(byte) = view.byte(at) else {
            return Err(Fault::expected("the closing `\"` of the string", view.end()));
        };
        match (byte, view.byte(at + 1)) {
            (b'"', _) => {
                out.copy(view.text, copied, at + 1);
                return Ok(at + 1);
            }
            (b'\\', Some(b'"' | b'\\' | b'n' | b'r' | b't')) => {
                at += 2;
                continue;
            }
            (b'\\', Some(b'u')) => {
                out.copy(view.text, copied, at);
                let mut utf8 = [0; 4];
                out.push_escaped(code_point(view, at + 2)?.encode_utf8(&mut utf8).as_bytes());
                at += 6;
            }
            (b'\\', _) => {
                return Err(Fault::expected("one of `\"\\nrtu` after the backslash", at + 1));
            }
            (0..0x20, _) => {
                out.copy(view.text, copied, at);
                out.push_escaped(&[byte]);
                at += 1;
            }
            _ => {
                at += 1;
                continue;
            }
        }
        copied = at;
    }
}

/// Is the token a number, `true`, `false` or `null`, and so the same in JSON?
#[inline(always)]
pub(super) fn is_literal(view: LineView<'_>, token: LineToken) -> bool {
    let bytes = &view.text[token.start..token.end];
    match bytes.first() {
        Some(b'-' | b'0'..=b'9') => {
            lexeme::number(bytes, 0).is_ok_and(|(end, _)| end == bytes.len())
        }
        Some(b't' | b'f' | b'n') => matches!(bytes, b"true" | b"false" | b"null"),
        _ => false,
    }
}

/// The character that the four digits of a `\u` escape stand for.
fn code_point(view: LineView<'_>, digits: usize) -> Result<char, Fault> {
    let mut code = 0;
    for at in digits..digits + 4 {
        let Some(digit) = view.byte(at).and_then(|byte| char::from(byte).to_digit(16)) else {
            return Err(Fault::expected("four hexadecimal digits after `\\u`", at));
        };
        code = code * 16 + digit;
    }
    char::from_u32(code)
        .ok_or_else(|| Fault::expected("a character itself instead of surrogates", digits - 2))
}
