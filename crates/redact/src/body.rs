//! Secrets taken out of whole JSON bodies, fail closed: they are taken out, or an error says why that is impossible.
//!
//! `exemptions` says which strings are not text for a model, and `text` looks into each of the others: as it reads,
//! without terminal escapes, as base64, and as JSON in a string. Outside of strings that held a secret every byte stays.

mod encoded;
mod exemptions;
mod text;

pub use exemptions::BodyShape;
pub use text::redact_text;

use crate::index::{StringIndex, StringValue};
use exemptions::Treatment;
use std::borrow::Cow;
use std::ops::Range;
use text::TextPlace;
use tokenforge_json::{Node, Splice, escape_into, splice, unescape};

/// Why a body cannot be declared free of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unscannable {
    /// It is not one JSON document in UTF-8, or one that nests too deep.
    #[error("its body is not one JSON document in UTF-8")]
    NotJson,
    /// A string holds half a surrogate pair.
    #[error("a string in it is no text: it holds half a surrogate pair")]
    NotText,
    /// The name of a member is a secret; another name would be another request.
    #[error("the name of a member in it holds a secret")]
    SecretInName,
    /// The content of a string is nested in more strings than the scanner opens.
    #[error("a string in it holds JSON or base64 that is nested too deep")]
    TooDeep,
    /// Base64 says something secret; what it is part of cannot be changed by anyone but its maker.
    #[error("data in it, decoded from base64, holds a secret")]
    SecretInData,
}

/// A body without its secrets; nothing if it has none.
///
/// `results` are texts of tool results, given by what is between their quotes: they may become any other text.
///
/// # Errors
/// It cannot be checked, or holds a secret that cannot be taken out.
pub fn redact_body(
    body: &[u8],
    shape: BodyShape,
    results: &[Range<usize>],
) -> Result<Option<Vec<u8>>, Unscannable> {
    let json = str::from_utf8(body).map_err(|_| Unscannable::NotJson)?;
    let mut starts: Vec<usize> = results.iter().map(|range| range.start).collect();
    starts.sort_unstable();
    let found = redactions(json, shape, Replaceable::At(&starts), 0)?;
    match found.failure {
        Some(failure) => Err(failure),
        None => apply_splices(body, &found.splices),
    }
}

/// A body without the secrets that can be taken out; nothing if it has none. For who was not promised more.
#[must_use]
pub fn redact_what_can_be(body: &[u8], shape: BodyShape) -> Option<Vec<u8>> {
    let json = str::from_utf8(body).ok()?;
    let found = redactions(json, shape, Replaceable::None, 0).ok()?;
    apply_splices(body, &found.splices).ok()?
}

fn apply_splices(body: &[u8], splices: &[Splice<'_>]) -> Result<Option<Vec<u8>>, Unscannable> {
    if splices.is_empty() {
        Ok(None)
    } else {
        splice(body, splices).map(Some).ok_or(Unscannable::NotJson)
    }
}

/// What is to be done to a document.
#[derive(Default)]
struct Redactions {
    /// What stands in the place of strings with secrets.
    splices: Vec<Splice<'static>>,
    /// Why that is not all: the first reason.
    failure: Option<Unscannable>,
}

/// Which strings may become any other text.
#[derive(Clone, Copy)]
enum Replaceable<'s> {
    None,
    /// Those that begin here, in order.
    At(&'s [usize]),
    All,
}

impl Replaceable<'_> {
    fn covers(self, string: &StringValue) -> bool {
        match self {
            Replaceable::None => false,
            Replaceable::At(starts) => starts.binary_search(&string.span.start).is_ok(),
            Replaceable::All => !string.is_name,
        }
    }
}

/// What is to be done to a document that is in so many strings of others.
fn redactions(
    json: &str,
    shape: BodyShape,
    replaceable: Replaceable<'_>,
    depth: usize,
) -> Result<Redactions, Unscannable> {
    Node::read(json).map_err(|_| Unscannable::NotJson)?;
    let index = StringIndex::of(json);
    let treatments = shape.treatments(json, &index);
    let mut found = Redactions::default();
    for string in &index.strings {
        let key = index.key(json, string);
        if shape.of_string(treatments[string.container], &key) == Treatment::Exempt {
            continue;
        }
        let name = index.called(json, string);
        let place = TextPlace { name: &name, depth, is_replaceable: replaceable.covers(string) };
        match redact_string(json, string, place) {
            Ok(None) => {}
            Ok(Some(text)) => found.splices.push(string_splice(string, &text)),
            Err(failure) => found.failure = found.failure.or(Some(failure)),
        }
    }
    Ok(found)
}

fn redact_string(
    json: &str,
    string: &StringValue,
    place: TextPlace<'_>,
) -> Result<Option<String>, Unscannable> {
    let text = unescape(&json[string.span.clone()]).ok_or(Unscannable::NotText)?;
    match (text::redact_at(&text, place)?, string.is_name) {
        (Some(_), true) => Err(Unscannable::SecretInName),
        (redacted, _) => Ok(redacted),
    }
}

fn string_splice(string: &StringValue, text: &str) -> Splice<'static> {
    let mut with = String::with_capacity(text.len() + text.len() / 8);
    escape_into(text, &mut with);
    Splice { range: string.span.clone(), with: Cow::Owned(with) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

    fn redact(body: &str, shape: BodyShape) -> Result<Option<String>, Unscannable> {
        let redacted = redact_body(body.as_bytes(), shape, &[])?;
        Ok(redacted.map(|bytes| String::from_utf8(bytes).unwrap_or_default()))
    }

    #[test]
    fn d20_a_name_is_refused_and_what_can_be_is_taken_out_all_the_same() {
        let body = format!(r#"{{"{TOKEN}":1,"a":"{TOKEN}"}}"#);
        assert_eq!(redact(&body, BodyShape::Unknown), Err(Unscannable::SecretInName));
        let rest = redact_what_can_be(body.as_bytes(), BodyShape::Unknown);
        let expected = format!(r#"{{"{TOKEN}":1,"a":"[REDACTED:github-token]"}}"#);
        assert_eq!(rest, Some(expected.into_bytes()));
        assert_eq!(redact(r#"{"a":"\ud800"}"#, BodyShape::Unknown), Err(Unscannable::NotText));
        assert_eq!(redact("{} {}", BodyShape::Unknown), Err(Unscannable::NotJson));
    }

    #[test]
    fn f14_the_same_names_are_exempt_in_a_request_and_free_in_a_map() {
        let marker = "[REDACTED:github-token]";
        for (shape, body, is_exempt) in [
            (BodyShape::ModelRequest, r#"{"id":"@"}"#, true),
            (BodyShape::ModelRequest, r#"{"prompt":{"variables":{"id":"@"}}}"#, false),
            (BodyShape::ModelRequest, r#"{"tools":[{"description":"@"}]}"#, true),
            (BodyShape::ModelRequest, r#"[{"input":{"a":["@"]},"type":"tool_use"}]"#, true),
            (BodyShape::ModelRequest, r#"[{"output":"@","type":"function_call_output"}]"#, false),
            (BodyShape::Unknown, r#"{"id":"@"}"#, false),
            (BodyShape::ToolAnswer { structured: false }, r#"{"structuredContent":"@"}"#, false),
            (
                BodyShape::ToolAnswer { structured: false },
                r#"{"structuredContent":{"a":"@"}}"#,
                true,
            ),
            (
                BodyShape::ToolAnswer { structured: true },
                r#"{"structuredContent":{"id":"@"}}"#,
                false,
            ),
        ] {
            let expected = (!is_exempt).then(|| body.replace('@', marker));
            assert_eq!(redact(&body.replace('@', TOKEN), shape), Ok(expected), "{body}");
        }
    }
}
