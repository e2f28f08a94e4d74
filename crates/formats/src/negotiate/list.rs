//! A header that lists what is accepted: `gzip, stc;q=0.5`.

use crate::negotiate::quality::QualityValue;
use http::HeaderName;
use http::header::{HeaderMap, HeaderValue};

/// What a header accepts, over all of its lines, in order. A part that cannot be read is left out, and so is a line
/// that is no text: nothing is sent for what was not understood.
pub(crate) fn accepted(
    headers: &HeaderMap,
    name: HeaderName,
) -> impl Iterator<Item = (&str, QualityValue)> {
    let lines = headers.get_all(name).into_iter();
    lines.filter_map(|line| line.to_str().ok()).flat_map(|line| pieces(line, b',')).filter_map(item)
}

/// Takes what a header accepts by this name out of it, so that the next server does not see it. True if it was there. A
/// header that says nothing else is removed; the others become one line.
///
/// ```
/// use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
/// use tokenforge_formats::negotiate::remove_accepted;
///
/// let mut headers = HeaderMap::new();
/// headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip;q=0.9, STC;q=0.5, br"));
/// assert!(remove_accepted(&mut headers, ACCEPT_ENCODING, "stc"));
/// assert_eq!(headers[ACCEPT_ENCODING], "gzip;q=0.9, br");
/// ```
pub fn remove_accepted(headers: &mut HeaderMap, name: HeaderName, accepted: &str) -> bool {
    let is_named = |part: &str| {
        let own = pieces(part, b';').next().map(trimmed).unwrap_or_default();
        own.eq_ignore_ascii_case(accepted)
    };
    let lines = headers.get_all(&name).iter().filter_map(|line| line.to_str().ok());
    let parts: Vec<&str> = lines.flat_map(|line| pieces(line, b',')).map(trimmed).collect();
    let kept: Vec<&str> =
        parts.iter().copied().filter(|part| !part.is_empty() && !is_named(part)).collect();
    if !parts.iter().any(|part| is_named(part)) {
        return false;
    }
    let kept = kept.join(", ");
    headers.remove(&name);
    if let Ok(kept) = HeaderValue::try_from(kept)
        && !kept.is_empty()
    {
        headers.insert(name, kept);
    }
    true
}

/// What one part accepts, and how much.
fn item(part: &str) -> Option<(&str, QualityValue)> {
    let mut pieces = pieces(part, b';');
    let name = pieces.next().map(trimmed).filter(|name| !name.is_empty())?;
    for parameter in pieces {
        if let Some((key, value)) = trimmed(parameter).split_once('=')
            && key.eq_ignore_ascii_case("q")
        {
            return Some((name, QualityValue::parse(value)?));
        }
    }
    Some((name, QualityValue::MOST))
}

/// The pieces between separators, of which those inside quotes are none.
fn pieces(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = unquoted(text, separator);
        rest = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    })
}

/// Where the separator is first found outside quotes.
fn unquoted(text: &str, separator: u8) -> Option<usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.bytes().position(|byte| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\\' if is_quoted => is_escaped = true,
            _ => {}
        }
        byte == separator && !is_quoted
    })
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use http::header::ACCEPT;

    fn names(lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(ACCEPT, HeaderValue::from_str(line).unwrap());
        }
        accepted(&headers, ACCEPT).map(|(name, quality)| format!("{name} {quality:?};")).collect()
    }

    #[test]
    fn lines_and_parts_are_read_in_order() {
        assert_eq!(
            names(&["a , b;q=0.5", "", ", c ; x=1 ;Q=0"]),
            "a QualityValue(1000);b QualityValue(500);c QualityValue(0);"
        );
    }

    #[test]
    fn what_stands_in_quotes_separates_nothing() {
        assert_eq!(
            names(&[r#"a;x="1, b;q=0";q=0.1, c"#]),
            "a QualityValue(100);c QualityValue(1000);"
        );
        assert_eq!(names(&[r#"a;x="\",b", c"#]), "a QualityValue(1000);c QualityValue(1000);");
        assert_eq!(names(&[r#"a;x=", b"#]), "a QualityValue(1000);");
    }

    #[test]
    fn what_is_taken_out_is_not_heard_of() {
        let taken = |lines: &[&str], name: &str| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(ACCEPT, HeaderValue::from_str(line).unwrap());
            }
            let was_there = remove_accepted(&mut headers, ACCEPT, name);
            let left: Vec<_> =
                headers.get_all(ACCEPT).iter().map(|line| line.to_str().unwrap()).collect();
            (was_there, left.join("|"))
        };
        assert_eq!(
            taken(&["a;q=0.1, text/toon", "b"], "text/toon"),
            (true, "a;q=0.1, b".to_owned())
        );
        assert_eq!(taken(&["TEXT/TOON;x=\"a,b\";q=1"], "text/toon"), (true, String::new()));
        assert_eq!(taken(&["a,b", "c"], "d"), (false, "a,b|c".to_owned()));
    }

    #[test]
    fn a_part_with_a_quality_that_cannot_be_read_is_left_out() {
        assert_eq!(names(&["a;q=2, b;q=, c;q=high, d"]), "d QualityValue(1000);");
    }
}
