//! Base64 in a string, decoded leniently: as much of it as any reader could make of it.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Shorter than any secret is in base64.
const SHORTEST: usize = 16;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What a string says if all of it is base64, or a `data:` URL of it, in either alphabet, however it is spaced and wrapped;
/// bytes that are no text are left out.
pub(crate) fn decode_base64(text: &str) -> Option<String> {
    let data = payload(text);
    if data.len() < SHORTEST || !data.bytes().all(is_encoded) {
        return None;
    }
    let mut letters: Vec<u8> = data.bytes().filter_map(letter).collect();
    if letters.len() % 4 == 1 {
        letters.pop();
    }
    let mut said = LENIENT.decode(letters).ok()?;
    // UTF-16 is UTF-8 with something between the letters, as far as secrets go.
    said.retain(|byte| *byte != 0);
    Some(String::from_utf8_lossy(&said).into_owned())
}

/// Is this what a program writes for a file: one line of letters, of which only the last ones fill it up? Several lines may
/// as well be a list of keys.
pub(crate) fn is_one_line(text: &str) -> bool {
    let letters = payload(text).trim_end_matches('=').as_bytes();
    letters.iter().all(|byte| is_encoded(*byte) && *byte != b'=' && !byte.is_ascii_whitespace())
}

/// What is encoded.
fn payload(text: &str) -> &str {
    let text = text.trim_ascii();
    if text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
        text.split_once(',').map_or(text, |(_, data)| data)
    } else {
        text
    }
}

fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/-_=".contains(&byte)
}

/// A letter of the standard alphabet.
fn letter(byte: u8) -> Option<u8> {
    match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b'=' => None,
        byte if byte.is_ascii_whitespace() => None,
        byte => Some(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};

    #[test]
    fn base64_is_read_in_every_spelling_and_prose_is_not() {
        let text = "a text of some length? yes>>";
        let plain = BASE64_STANDARD.encode(text);
        let wrapped = format!("{}\r\n{}", &plain[..10], &plain[10..]);
        for spelled in [
            plain.clone(),
            BASE64_URL_SAFE_NO_PAD.encode(text),
            format!("data:text/plain;base64,{plain}"),
            wrapped,
            format!(" {}\t{}\n", &plain[..10], &plain[10..]),
            format!("{plain}A"),
        ] {
            assert_eq!(decode_base64(&spelled).as_deref(), Some(text), "{spelled}");
        }
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode_base64(&BASE64_STANDARD.encode(wide)).as_deref(), Some(text));
        assert_eq!(decode_base64("a text, of some length"), None);
        assert_eq!(decode_base64("short"), None);
    }
}
