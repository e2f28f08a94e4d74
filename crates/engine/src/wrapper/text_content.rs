//! The result of an MCP tool as Python prints it: `[TextContent(type='text', text='...', annotations=None)]`.

use super::Codec;
use super::slot::Slot;

const STARTS: &[&str] = &[
    "[TextContent(",
    "TextContent(",
    "meta=",
    "_meta=",
    "content=[TextContent(",
    "CallToolResult(",
];
const TEXT: &str = "TextContent(type='text', text=";
/// The first block starts no later.
const MAX_HEADING: usize = 256;

pub(super) fn python(text: &str) -> Option<Vec<Slot>> {
    if !STARTS.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    text[..text.floor_char_boundary(MAX_HEADING)].find(TEXT)?;
    let mut slots = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(TEXT) {
        let open = at + found + TEXT.len();
        let quote = text[open..].chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let start = open + 1;
        let end = end_of_string(text.as_bytes(), start, quote as u8);
        slots.push(Slot { range: start..end, codec: Codec::PythonRepr(quote) });
        at = end;
    }
    Some(slots)
}

/// Where the closing quote stands; in a text that was cut there may be none.
fn end_of_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while let Some(found) = memchr::memchr2(quote, b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        if bytes[at] == quote {
            return at;
        }
        at += 2;
    }
    bytes.len()
}
