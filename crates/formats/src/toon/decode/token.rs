//! Within a line: what it is, and where its tokens end.

use super::lines::ContentLine;
use crate::lexeme;
use tokenforge_json::chunk;
use tokenforge_json::error::Fault;

pub(super) const COLON: u8 = 1;
pub(super) const BRACKET: u8 = 1 << 1;
pub(super) const BRACE: u8 = 1 << 2;
pub(super) const QUOTE: u8 = 1 << 3;
/// What JSON strings must escape, apart from the quote.
pub(super) const ESCAPED: u8 = 1 << 4;
pub(super) const COMMA: u8 = 1 << 5;
pub(super) const PIPE: u8 = 1 << 6;
pub(super) const TAB: u8 = 1 << 7;
pub(super) const ANY_DELIMITER: u8 = COMMA | PIPE | TAB;

pub(super) static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = ESCAPED;
        control += 1;
    }
    table[b'\\' as usize] = ESCAPED;
    table[b'\t' as usize] = ESCAPED | TAB;
    table[b'"' as usize] = QUOTE;
    table[b':' as usize] = COLON;
    table[b'[' as usize] = BRACKET;
    table[b'{' as usize] = BRACE;
    table[b'}' as usize] = BRACE;
    table[b',' as usize] = COMMA;
    table[b'|' as usize] = PIPE;
    table
};

/// The text as seen from one line: the offsets are those of the text, but the line is its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineView<'t> {
    pub(super) text: &'t [u8],
    /// The text up to the end of the line.
    upto: &'t [u8],
}

/// What a line, or what follows the hyphen of a list item, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// `key: value`.
    Pair { key: LineToken },
    /// `key[N]:` or `[N]:`, with `key` ending at the `[`.
    Header { key: LineToken },
    /// Anything else.
    Scalar,
}

/// Where a token ends: before a byte of one of these classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokenStop {
    classes: u8,
    /// The bytes of these classes; a tab is a control character and as such always looked for.
    bytes: [u8; 2],
}

impl TokenStop {
    pub(super) const LINE_END: Self = Self::at(0, b'"', b'"');
    pub(super) const COLON: Self = Self::at(COLON, b':', b':');
    const KEY_END: Self = Self::at(COLON | BRACKET, b':', b'[');

    const fn at(classes: u8, first: u8, second: u8) -> Self {
        Self { classes, bytes: [first, second] }
    }

    /// Skips what cannot end a token, open a quote or need an escape.
    #[inline]
    fn skip_others(self, text: &[u8], at: usize) -> usize {
        let [first, second] = self.bytes;
        lexeme::run(text, at, |chunk| {
            chunk::others(chunk.string_stops() | chunk.is(first) | chunk.is(second))
        })
    }

    /// The end of a cell.
    #[inline]
    pub(super) fn cell(delimiter: u8) -> Self {
        let byte = if delimiter == PIPE { b'|' } else { b',' };
        Self::at(delimiter, byte, byte)
    }

    /// The end of a cell in which a colon means something.
    #[inline]
    pub(super) fn cell_or_colon(delimiter: u8) -> Self {
        let byte = if delimiter == PIPE { b'|' } else { b',' };
        Self::at(delimiter | COLON, byte, b':')
    }
}

/// A piece of a line, perhaps with spaces at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineToken {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Does an unquoted token contain something that JSON strings escape?
    pub(super) escapes: bool,
}

impl LineToken {
    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl<'t> LineView<'t> {
    #[inline]
    pub(super) fn new(text: &'t [u8], line: ContentLine) -> Self {
        Self { text, upto: &text[..line.end] }
    }

    /// The end of the line.
    #[inline]
    pub(super) fn end(self) -> usize {
        self.upto.len()
    }

    /// The byte at `at`, if the line goes on so far.
    #[inline]
    pub(super) fn byte(self, at: usize) -> Option<u8> {
        self.upto.get(at).copied()
    }

    /// The class of the byte at `at`, 0 at the end of the line.
    #[inline]
    pub(super) fn class(self, at: usize) -> u8 {
        self.byte(at).map_or(0, |byte| CLASS[usize::from(byte)])
    }

    /// Tells what the rest of the line is.
    #[inline(always)]
    pub(super) fn kind(self, start: usize) -> Result<LineKind, Fault> {
        if self.byte(start) == Some(b'"') {
            return self.kind_of_quoted(start);
        }
        let key = self.token(start, TokenStop::KEY_END);
        match self.class(key.end) {
            COLON => Ok(LineKind::Pair { key }),
            BRACKET if self.token(key.end, TokenStop::COLON).end < self.end() => {
                Ok(LineKind::Header { key })
            }
            _ => Ok(LineKind::Scalar),
        }
    }

    fn kind_of_quoted(self, start: usize) -> Result<LineKind, Fault> {
        let close = self.skip_quoted(start);
        let end = self.skip_spaces(close);
        let key = LineToken { start, end, escapes: false };
        match self.class(end) {
            BRACKET if end == close => Ok(LineKind::Header { key }),
            COLON => Ok(LineKind::Pair { key }),
            _ if end == self.end() => Ok(LineKind::Scalar),
            _ => Err(Fault::expected("`:` after the quoted key", end)),
        }
    }

    /// The token that ends, outside quotes, where `stop` says or else with the line.
    #[inline]
    pub(super) fn token(self, start: usize, stop: TokenStop) -> LineToken {
        let mut seen = 0;
        let mut end = start;
        loop {
            end = stop.skip_others(self.text, end);
            let Some(byte) = self.byte(end) else {
                end = self.end();
                break;
            };
            let class = CLASS[usize::from(byte)];
            if class & stop.classes != 0 {
                break;
            }
            end = if class == QUOTE { self.skip_quoted(end) } else { end + 1 };
            seen |= class;
        }
        LineToken { start, end, escapes: seen & (QUOTE | ESCAPED) != 0 }
    }

    /// The token that ends before a brace or a delimiter of any kind.
    pub(super) fn field_name(self, start: usize) -> LineToken {
        let mut seen = 0;
        let mut end = start;
        while end < self.end() && self.class(end) & (BRACE | ANY_DELIMITER) == 0 {
            seen |= self.class(end);
            end = if self.class(end) == QUOTE { self.skip_quoted(end) } else { end + 1 };
        }
        LineToken { start, end, escapes: seen & (QUOTE | ESCAPED) != 0 }
    }

    /// The token without the spaces at its end.
    #[inline]
    pub(super) fn trimmed(self, token: LineToken) -> LineToken {
        let has_space = token.end > token.start && self.text[token.end - 1] == b' ';
        if has_space { self.without_spaces(token) } else { token }
    }

    #[cold]
    fn without_spaces(self, token: LineToken) -> LineToken {
        let bytes = &self.text[token.start..token.end];
        let spaces = bytes.iter().rev().take_while(|&&byte| byte == b' ').count();
        LineToken { end: token.end - spaces, ..token }
    }

    /// The offset behind the quote that closes the one at `open`, or the end of the line.
    fn skip_quoted(self, open: usize) -> usize {
        let mut at = open + 1;
        loop {
            match self.byte(at) {
                Some(b'"') => return at + 1,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
                None => return self.end(),
            }
        }
    }

    #[inline]
    pub(super) fn skip_spaces(self, mut at: usize) -> usize {
        while self.byte(at) == Some(b' ') {
            at += 1;
        }
        at
    }
}
