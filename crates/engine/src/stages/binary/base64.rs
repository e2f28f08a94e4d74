//! Long base64: on lines of its own, or in a `data:` address.

use crate::digit_groups::group_digits;
use crate::whole_lines::whole_lines;
use memchr::memmem;
use std::ops::Range;

/// Less than this is worth reading: keys, tokens, small pictures.
const MIN_BYTES: usize = 4096;

/// Lines of wrapped base64 are at least this long.
const MIN_LINE: usize = 60;

/// The text with every long base64 blob replaced by its size; `None` if there is none.
///
/// A blob is one line, or consecutive lines of equal length but for the last, or the payload of a `data:` address; of
/// 4,096 bytes or more and nothing but base64. What it encodes can only be had from the original.
pub fn suppress_base64(text: &str) -> Option<String> {
    if text.len() < MIN_BYTES {
        return None;
    }
    let mut blobs = lines(text);
    blobs.extend(data_addresses(text));
    if blobs.is_empty() {
        return None;
    }
    blobs.sort_by_key(|blob| blob.start);
    let mut kept = String::new();
    let mut copied = 0;
    for blob in blobs {
        if blob.start >= copied {
            kept.push_str(&text[copied..blob.start]);
            kept.push_str(&format!("[Forge removed base64: {} bytes]", group_digits(blob.len())));
            copied = blob.end;
        }
    }
    kept.push_str(&text[copied..]);
    Some(kept)
}

/// Blobs that fill their lines, without the last line's end.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut blobs = Vec::new();
    let mut open: Option<(Range<usize>, usize)> = None;
    let mut start = 0;
    for line in whole_lines(text) {
        if line.len() < MIN_LINE && open.is_none() {
            start += line.len();
            continue;
        }
        let content = line.trim_end_matches(['\n', '\r']);
        let is_blob = content.len() >= MIN_LINE && content.bytes().all(is_base64);
        let end = start + content.len();
        match &mut open {
            Some((blob, width)) if is_blob && content.len() == *width => blob.end = end,
            // The last line of a wrapped blob is shorter; only its padding tells it from a word.
            Some((blob, width))
                if content.len() < *width
                    && content.ends_with('=')
                    && content.bytes().all(is_base64) =>
            {
                blob.end = end;
                blobs.extend(open.take().map(|(blob, _)| blob));
            }
            _ => {
                blobs.extend(open.take().map(|(blob, _)| blob));
                open = is_blob.then_some((start..end, content.len()));
            }
        }
        start += line.len();
    }
    blobs.extend(open.map(|(blob, _)| blob));
    blobs.retain(|blob| blob.len() >= MIN_BYTES);
    blobs
}

/// The payloads of `data:...;base64,` addresses.
fn data_addresses(text: &str) -> Vec<Range<usize>> {
    let payload = |at: usize| {
        let start = at + ";base64,".len();
        let len = text.as_bytes()[start..].iter().take_while(|&&byte| is_base64(byte)).count();
        start..start + len
    };
    memmem::find_iter(text.as_bytes(), ";base64,")
        .map(payload)
        .filter(|blob| blob.len() >= MIN_BYTES)
        .collect()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::suppress_base64;

    #[test]
    fn one_long_line_becomes_its_size() {
        let text = format!("before\n{}\nafter\n", "QUJD".repeat(2000));
        assert_eq!(
            suppress_base64(&text).as_deref(),
            Some("before\n[Forge removed base64: 8,000 bytes]\nafter\n")
        );
    }

    #[test]
    fn wrapped_lines_are_one_blob() {
        let text = format!("{}QUI=\nafter\n", format!("{}\n", "QUJD".repeat(19)).repeat(80));
        assert_eq!(
            suppress_base64(&text).as_deref(),
            Some("[Forge removed base64: 6,164 bytes]\nafter\n")
        );
    }

    #[test]
    fn a_data_address_keeps_its_type() {
        let text = format!("<img src=\"data:image/png;base64,{}\">", "QUJD".repeat(1024));
        let expected = "<img src=\"data:image/png;base64,[Forge removed base64: 4,096 bytes]\">";
        assert_eq!(suppress_base64(&text).as_deref(), Some(expected));
    }

    #[test]
    fn keys_rules_and_long_prose_stay() {
        let key = format!("-----BEGIN CERTIFICATE-----\n{}\n", "QUJD".repeat(16)).repeat(20);
        assert_eq!(suppress_base64(&key), None);
        assert_eq!(suppress_base64(&"some words of prose ".repeat(1000)), None);
        assert_eq!(suppress_base64(&format!("{}\n", "=".repeat(80)).repeat(20)), None);
    }
}
