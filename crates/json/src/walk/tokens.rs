//! A token stream: all tokens of a text that is JSON, for who wants every string of it and not one member.

use super::{Walker, scalar};
use std::ops::Range;

/// A token of a JSON text. Colons go with the name before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonToken {
    /// `{`
    OpenObject,
    /// `[`
    OpenArray,
    /// `}` or `]`
    Close,
    /// `,`
    Comma,
    /// The name of a member: what stands between its quotes.
    Name(Range<usize>),
    /// A string: what stands between its quotes.
    String(Range<usize>),
    /// A number or a word.
    Scalar(Range<usize>),
}

/// The tokens of a text that is known to be JSON, or several documents one after the other.
pub fn tokens(text: &str) -> impl Iterator<Item = JsonToken> + '_ {
    let mut walker = Walker::over(text);
    std::iter::from_fn(move || {
        loop {
            let at = walker.token();
            return Some(match text.as_bytes().get(at)? {
                b'{' => JsonToken::OpenObject,
                b'[' => JsonToken::OpenArray,
                b'}' | b']' => JsonToken::Close,
                b',' => JsonToken::Comma,
                b':' => continue,
                b'"' => {
                    let span = at + 1..walker.token();
                    match walker.peek() {
                        b':' => JsonToken::Name(span),
                        _ => JsonToken::String(span),
                    }
                }
                _ => JsonToken::Scalar(at..scalar::end(text.as_bytes(), at).unwrap_or(at)),
            });
        }
    })
}

/// Is a text one JSON document, or several one after the other, as in JSON Lines?
#[must_use]
pub fn is_json_sequence(text: &str) -> bool {
    let mut walker = Walker::over(text);
    while walker.upcoming() < text.len() {
        if walker.skip().is_err() {
            return false;
        }
    }
    walker.finish().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_given_out_in_its_order() {
        let text = r#" {"a" : [1.5,"x\""], "":{}} "#;
        let spelled = |token| match token {
            JsonToken::Name(span) => format!("name {}", &text[span]),
            JsonToken::String(span) => format!("string {}", &text[span]),
            JsonToken::Scalar(span) => format!("scalar {}", &text[span]),
            other => format!("{other:?}"),
        };
        let expected = [
            "OpenObject",
            "name a",
            "OpenArray",
            "scalar 1.5",
            "Comma",
            "string x\\\"",
            "Close",
            "Comma",
            "name ",
            "OpenObject",
            "Close",
            "Close",
        ];
        assert_eq!(tokens(text).map(spelled).collect::<Vec<_>>(), expected);
        assert_eq!(tokens("").count(), 0);
        // What is no JSON has tokens too, and an end.
        assert_eq!(tokens("{\"a").count(), 2);
        assert!(tokens("xyz \\ :").count() < 9);
    }

    #[test]
    fn several_documents_are_a_sequence_and_rubbish_is_none() {
        for text in ["{}", " [1]\n{\"a\":2}\n", "\"a\"\"b\"", "1 2", ""] {
            assert!(is_json_sequence(text), "{text}");
        }
        for text in ["{} x", "{},{}", "{", "\"a", "[1] }", "\"\\x\""] {
            assert!(!is_json_sequence(text), "{text}");
        }
    }
}
