//! Secret redaction: an output without its secrets.

use crate::context::CallContext;
use crate::terminal;
use crate::wrapper::{self, Piece};
use std::borrow::Cow;
use tokenforge_redact::Scanner;

/// The text without its secrets, and their kinds.
///
/// Terminal escapes are removed first, because they can split a secret; but not from the text of a file, of which they
/// are a part. A string inside a client's wrapper is read unescaped, for the same reason. In the text of files the first
/// marker says that edits must not quote its line.
pub(crate) fn redact<'t>(
    text: &'t str,
    context: &CallContext,
) -> (Cow<'t, str>, Vec<&'static str>) {
    let mut kinds = Vec::new();
    let text = redact_plain(text, context, &mut kinds);
    match redact_payloads(&text, context, &mut kinds) {
        Some(rewrapped) => (rewrapped.into(), kinds),
        None => (text, kinds),
    }
}

/// Are there secrets in a text that is no output?
pub(crate) fn has_secrets(text: &str) -> bool {
    !redact(text, &CallContext::new("", "", false)).1.is_empty()
}

fn redact_plain<'t>(
    text: &'t str,
    context: &CallContext,
    kinds: &mut Vec<&'static str>,
) -> Cow<'t, str> {
    let bare = if context.tool.text_is_exact() { None } else { terminal::strip(text) };
    let Some(redacted) = Scanner::builtin().redact(bare.as_deref().unwrap_or(text)) else {
        return text.into();
    };
    let is_first = kinds.is_empty();
    kinds.extend(redacted.findings.iter().map(|finding| finding.rule));
    if is_first && context.is_file_text() {
        redacted.with_edit_note().into()
    } else {
        redacted.text.into()
    }
}

/// The text with the secrets removed that only show once a string is unescaped.
fn redact_payloads(
    text: &str,
    context: &CallContext,
    kinds: &mut Vec<&'static str>,
) -> Option<String> {
    memchr::memchr(b'\\', text.as_bytes())?;
    let parts = wrapper::unwrap(text);
    let is_escaped =
        |piece: &Piece<'_>| matches!(piece, Piece::Payload(payload) if !payload.codecs.is_empty());
    if !parts.pieces().iter().any(is_escaped) {
        return None;
    }
    let before = kinds.len();
    let payloads: Vec<_> =
        parts.payloads().map(|payload| redact_plain(payload, context, kinds)).collect();
    (kinds.len() > before).then(|| parts.rewrap(&payloads))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

    fn shell() -> CallContext {
        CallContext::new("Bash", "{}", false)
    }

    fn assert_redacted(text: &str) -> String {
        let (redacted, kinds) = redact(text, &shell());
        assert!(!kinds.is_empty() && !redacted.contains(&TOKEN[20..]), "{redacted}");
        assert!(redact(&redacted, &shell()).1.is_empty(), "{redacted}");
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
            matches!(redact("{\"output\":\"a\\nb\"}", &shell()), (Cow::Borrowed(_), kinds) if kinds.is_empty())
        );
    }
}
