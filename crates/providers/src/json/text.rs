//! Between a text and its spelling inside a JSON string.

pub use tokenforge_formats::unescape;

use wide::u8x16;

/// Bytes looked at together.
const BLOCK: usize = 16;

/// Appends the shortest spelling of a text: escaped is only what must be.
pub fn escape_into(text: &str, spelling: &mut String) {
    let mut plain = 0;
    for (block, start) in text.as_bytes().chunks(BLOCK).zip((0..).step_by(BLOCK)) {
        let mut bits = block.first_chunk().map_or_else(|| escaped(&padded(block)), escaped);
        while bits != 0 {
            let at = bits.trailing_zeros() as usize;
            spelling.push_str(&text[plain..start + at]);
            push_escape(block[at], spelling);
            plain = start + at + 1;
            bits &= bits - 1;
        }
    }
    spelling.push_str(&text[plain..]);
}

/// Which bytes must be escaped: a bit for each, the first byte lowest.
fn escaped(block: &[u8; BLOCK]) -> u32 {
    let bytes = u8x16::new(*block);
    let controls = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    let quotes = bytes.simd_eq(u8x16::splat(b'"')) | bytes.simd_eq(u8x16::splat(b'\\'));
    (controls | quotes).to_bitmask()
}

/// A short block, with spaces behind it.
fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut block = [b' '; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    block
}

fn push_escape(byte: u8, spelling: &mut String) {
    spelling.push('\\');
    match byte {
        b'\n' => spelling.push('n'),
        b'\r' => spelling.push('r'),
        b'\t' => spelling.push('t'),
        0x8 => spelling.push('b'),
        0xC => spelling.push('f'),
        b'"' | b'\\' => spelling.push(char::from(byte)),
        _ => {
            let digit = char::from_digit(u32::from(byte & 0xF), 16).unwrap_or('0');
            spelling.push_str(if byte < 0x10 { "u000" } else { "u001" });
            spelling.push(digit);
        }
    }
}

/// A text as a JSON string, with its quotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 8 + 2);
    quoted.push('"');
    escape_into(text, &mut quoted);
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::borrow::Cow;

    proptest! {
        #[test]
        fn a_text_is_spelled_as_serde_json_spells_it_and_read_back(text in "\\PC*|[\\x00-\\x7f]*") {
            let mut spelling = String::new();
            escape_into(&text, &mut spelling);
            prop_assert_eq!(format!("\"{spelling}\""), serde_json::to_string(&text).unwrap());
            prop_assert_eq!(unescape(&spelling), Some(Cow::Borrowed(&*text)));
        }
    }
}
