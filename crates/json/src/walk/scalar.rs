//! Numbers and words: where one ends.

use crate::lexeme;

/// The end of the number or word at `at`, or nothing if it is none.
pub(super) fn end(text: &[u8], at: usize) -> Option<usize> {
    let end = match text.get(at)? {
        b't' => word(text, at, b"true")?,
        b'f' => word(text, at, b"false")?,
        b'n' => word(text, at, b"null")?,
        _ => lexeme::number_by(text, at, digits_end).ok()?.0,
    };
    match text.get(end) {
        None | Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t') => Some(end),
        Some(_) => None,
    }
}

fn word(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    text.get(at..)?.starts_with(word).then_some(at + word.len())
}

/// The offset behind the digits at `at`, byte by byte. The tape looks at sixteen bytes together, for which the end of a text
/// must be copied; in a small event, which is mostly end, that took 20 ns of 280.
fn digits_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_of_json_end_where_they_end() {
        for good in ["0", "-0", "10", "1.50", "1e9", "1E+9", "-1.2e-34", "true", "false", "null"] {
            assert_eq!(end(good.as_bytes(), 0), Some(good.len()), "{good}");
            assert_eq!(end(format!("{good}]").as_bytes(), 0), Some(good.len()), "{good}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for bad in [
            "", "-", "01", "1.", ".5", "1e", "1e+", "+1", "tru", "truex", "nulll", "NaN", "1x",
            "1\"a\"",
        ] {
            assert_eq!(end(bad.as_bytes(), 0), None, "{bad}");
        }
    }
}
