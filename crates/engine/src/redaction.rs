//! Secret redaction: an output without its secrets.

use crate::terminal;
use crate::wrapper::{self, Piece};
use std::borrow::Cow;
use tokenforge_redact::Scanner;

/// The text without its secrets, and their kinds.
///
/// Terminal escapes are removed first, since they can split a secret; but not from the text of a file, of which they
/// are a part. What a client wrote as a string inside its wrapper is read as what it says, for the same reason.
pub(crate) fn redact(text: &str, is_file: bool) -> (Cow<'_, str>, Vec<&'static str>) {
    let (text, mut kinds) = redact_plain(text, is_file);
    match redact_payloads(&text, is_file, &mut kinds) {
        Some(rewrapped) => (rewrapped.into(), kinds),
        None => (text, kinds),
    }
}

fn redact_plain(text: &str, is_file: bool) -> (Cow<'_, str>, Vec<&'static str>) {
    let bare = if is_file { None } else { terminal::strip(text) };
    match Scanner::builtin().redact(bare.as_deref().unwrap_or(text)) {
        Some(redacted) => {
            let kinds = redacted.findings.iter().map(|finding| finding.rule).collect();
            (redacted.text.into(), kinds)
        }
        None => (text.into(), Vec::new()),
    }
}

/// The text with the secrets removed that only show once a string is unescaped.
fn redact_payloads(text: &str, is_file: bool, kinds: &mut Vec<&'static str>) -> Option<String> {
    memchr::memchr(b'\\', text.as_bytes())?;
    let parts = wrapper::unwrap(text);
    let is_escaped =
        |piece: &Piece<'_>| matches!(piece, Piece::Payload(payload) if !payload.codecs.is_empty());
    if !parts.pieces().iter().any(is_escaped) {
        return None;
    }
    let before = kinds.len();
    let payloads: Vec<_> = parts
        .payloads()
        .map(|payload| {
            let (payload, mut found) = redact_plain(payload, is_file);
            kinds.append(&mut found);
            payload
        })
        .collect();
    (kinds.len() > before).then(|| parts.rewrap(&payloads))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

    fn assert_redacted(text: &str) -> String {
        let (redacted, kinds) = redact(text, false);
        assert!(!kinds.is_empty() && !redacted.contains(&TOKEN[20..]), "{redacted}");
        assert!(redact(&redacted, false).1.is_empty(), "{redacted}");
        redacted.into_owned()
    }

    #[test]
    fn f6_a_secret_split_by_escapes_is_found() {
        assert_redacted(&format!("{}\u{1b}[1m{}", &TOKEN[..20], &TOKEN[20..]));
    }

    #[test]
    fn f6_a_secret_split_by_escapes_inside_a_clients_string_is_found_and_the_wrapper_stays() {
        let (head, tail) = TOKEN.split_at(20);
        let text = format!(
            "{{\"output\":\"key {head}\\u001b[1m{tail}\\n\",\"metadata\":{{\"exit_code\":0}}}}"
        );
        let redacted = assert_redacted(&text);
        assert!(redacted.ends_with("\",\"metadata\":{\"exit_code\":0}}"), "{redacted}");
    }

    #[test]
    fn text_without_secrets_is_not_copied() {
        assert!(
            matches!(redact("{\"output\":\"a\\nb\"}", false), (Cow::Borrowed(_), kinds) if kinds.is_empty())
        );
    }
}
