//! Numbers and words: where one ends.

/// The end of the number or word at `at`, or nothing if it is none.
pub(super) fn end(text: &[u8], at: usize) -> Option<usize> {
    let end = match text.get(at)? {
        b't' => word(text, at, b"true")?,
        b'f' => word(text, at, b"false")?,
        b'n' => word(text, at, b"null")?,
        _ => number(text, at)?,
    };
    match text.get(end) {
        None | Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t') => Some(end),
        Some(_) => None,
    }
}

fn word(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    text.get(at..)?.starts_with(word).then_some(at + word.len())
}

fn number(text: &[u8], at: usize) -> Option<usize> {
    let at = at + usize::from(text.get(at) == Some(&b'-'));
    let mut end = match text.get(at)? {
        b'0' => at + 1,
        _ => digits(text, at)?,
    };
    if text.get(end) == Some(&b'.') {
        end = digits(text, end + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        end = digits(text, end + 1 + sign)?;
    }
    Some(end)
}

/// The end of one or more digits.
fn digits(text: &[u8], at: usize) -> Option<usize> {
    let count = text.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then_some(at + count)
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
