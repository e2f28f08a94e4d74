//! Array headers: `[N]`, the keyed `[N:]`, a delimiter, a field list, and the colon.

use super::ToonDecoder;
use super::token::{COMMA, LineView, PIPE, TAB};
use tokenforge_json::error::Fault;

/// What stands between the key and the colon of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Offset of the `[`.
    pub(super) bracket: usize,
    /// The number of elements, rows or entries it promises. Never a reason to allocate.
    pub(super) declared: usize,
    pub(super) is_keyed: bool,
    /// Has it a field list? Then the decoder's template holds the fields.
    pub(super) has_fields: bool,
    /// The class of the delimiter.
    pub(super) delimiter: u8,
    /// Where the content behind the colon starts; the end of the line when there is none.
    pub(super) inline: usize,
}

impl<'a> ToonDecoder<'a> {
    /// Reads the header whose `[` is at `bracket`.
    pub(super) fn header(&mut self, view: LineView<'a>, bracket: usize) -> Result<Header, Fault> {
        let (mut header, mut colon) = Header::bracket_segment(view, bracket)?;
        if view.byte(colon) == Some(b'{') {
            colon = self.fields(view, colon, header.delimiter)?;
            header.has_fields = true;
        } else if header.is_keyed {
            return Err(Fault::expected("a field list after `[N:]`", colon));
        }
        if view.byte(colon) != Some(b':') {
            return Err(Fault::expected("`:` after the array header", colon));
        }
        header.inline = view.skip_spaces(colon + 1);
        if header.has_fields && header.inline < view.end() {
            return Err(Fault::expected("nothing after the colon of a table", header.inline));
        }
        Ok(header)
    }

    /// Reads a field list into the template, unless it is the one read last; returns its end.
    fn fields(&mut self, view: LineView<'a>, brace: usize, delimiter: u8) -> Result<usize, Fault> {
        if delimiter != self.template.delimiter()
            || !view.text[brace..].starts_with(self.template.list())
        {
            self.template.read(view, brace, delimiter, self.strict)?;
        }
        Ok(brace + self.template.list().len())
    }
}

impl Header {
    /// Reads `[N]`, `[N:]`, `[N|]` or `[N:|]`; returns the offset behind it too.
    fn bracket_segment(view: LineView<'_>, bracket: usize) -> Result<(Self, usize), Fault> {
        let (declared, mut at) = length(view, bracket + 1)?;
        let is_keyed = view.byte(at) == Some(b':');
        at += usize::from(is_keyed);
        let mark = view.class(at) & (PIPE | TAB);
        let delimiter = if mark == 0 { COMMA } else { mark };
        at += usize::from(mark != 0);
        if view.byte(at) != Some(b']') {
            return Err(Fault::expected("`]` after the length", at));
        }
        let inline = view.end();
        Ok((Self { bracket, declared, is_keyed, has_fields: false, delimiter, inline }, at + 1))
    }
}

/// Reads a length without leading zeros, and its end. One too large for this machine becomes one
/// that no content reaches.
fn length(view: LineView<'_>, start: usize) -> Result<(usize, usize), Fault> {
    let mut length = 0_usize;
    let mut at = start;
    while let Some(digit @ b'0'..=b'9') = view.byte(at) {
        length = length.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        at += 1;
    }
    if at == start {
        return Err(Fault::expected("a length", start));
    }
    if at > start + 1 && view.byte(start) == Some(b'0') {
        return Err(Fault::expected("a length without leading zeros", start));
    }
    Ok((length, at))
}
