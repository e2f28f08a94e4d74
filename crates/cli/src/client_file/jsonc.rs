//! JSON with comments and trailing commas (JSONC), read by `jsonc-parser` into spans of the text.
//!
//! Only its syntax tree is used, not the editor on top of it (`cst`). That lays an object out anew when something is put
//! into it: of ten layouts, seven were not what they had been, byte for byte, when it was taken out again. `splice.rs` puts
//! things in and takes them out in the text itself. What `jsonc-parser` sees otherwise than agents do is seen to here: a
//! byte order mark and halves of surrogate pairs, which it refuses, and line ends in texts, which it takes.

use super::document::{DocumentNode, NodeValue, UnreadableFile};
use jsonc_parser::ast::{self, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseStringErrorKind};
use std::borrow::Cow;
use std::ops::Range;

/// What agents read, and no more of JSON5 than that.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Editors of one platform put it before everything.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// All values of a text, the whole first.
pub(super) fn read_jsonc(text: &str) -> Result<Vec<DocumentNode>, UnreadableFile> {
    let json = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let offset = text.len() - json.len();
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
    let json = without_surrogates(json);
    let parsed = jsonc_parser::parse_to_ast(&json, &collect, &OPTIONS)
        .map_err(|error| unreadable(text, offset, &error))?;
    let whole =
        parsed.value.ok_or_else(|| UnreadableFile::new(text, text.len(), "expected a value"))?;
    let tokens = parsed.tokens.unwrap_or_default();
    let mut tree = JsoncTree { text, offset, tokens, nodes: Vec::new() };
    tree.add(whole.start(), whole)?;
    Ok(tree.nodes)
}

struct JsoncTree<'a> {
    text: &'a str,
    /// What stands before the text that was parsed.
    offset: usize,
    tokens: Vec<TokenAndRange<'a>>,
    nodes: Vec<DocumentNode>,
}

impl JsoncTree<'_> {
    /// Adds a value, which begins here with its key; the place of its node. The parser allows no more levels than a stack
    /// has room for.
    fn add(&mut self, begins: usize, value: ast::Value<'_>) -> Result<usize, UnreadableFile> {
        let place = self.nodes.len();
        let span = value.start() + self.offset..value.end() + self.offset;
        let comma = self.comma_behind(value.end());
        let begins = begins + self.offset;
        self.nodes.push(DocumentNode {
            begins,
            span: span.clone(),
            comma,
            value: NodeValue::Other,
        });
        self.nodes[place].value = match value {
            ast::Value::StringLit(_) => self.text(span)?.map_or(NodeValue::Other, NodeValue::Text),
            ast::Value::Array(list) => {
                let items = list.elements.into_iter().map(|item| self.add(item.start(), item));
                NodeValue::List(items.collect::<Result<_, _>>()?)
            }
            ast::Value::Object(object) => {
                let member = |ObjectProp { name, value, .. }: ObjectProp<'_>| {
                    let span = name.start() + self.offset..name.end() + self.offset;
                    let key = self.text(span)?.unwrap_or_default();
                    Ok((key, self.add(name.start(), value)?))
                };
                NodeValue::Table(
                    object.properties.into_iter().map(member).collect::<Result<_, _>>()?,
                )
            }
            _ => NodeValue::Other,
        };
        Ok(place)
    }

    /// Where the comma is that follows what ends here.
    fn comma_behind(&self, end: usize) -> Option<usize> {
        let next = self.tokens.partition_point(|token| token.start() < end);
        let next = self.tokens.get(next).filter(|next| next.token == Token::Comma)?;
        Some(next.start() + self.offset)
    }

    /// What a text in quotes says; `None`: nothing that can be said in Unicode. One with a line end in it was not meant
    /// to be one text.
    fn text(&self, span: Range<usize>) -> Result<Option<String>, UnreadableFile> {
        let quoted = &self.text[span.clone()];
        if quoted.bytes().any(|byte| byte < b' ') {
            let what = "expected a text that ends on its line";
            return Err(UnreadableFile::new(self.text, span.start, what));
        }
        Ok(serde_json::from_str(quoted).ok())
    }
}

/// The same text with other escapes, as long, in the place of `\ud800` and the like: they are JSON, alone as in pairs.
fn without_surrogates(json: &str) -> Cow<'_, str> {
    let is_surrogate = |escape: &str| {
        let digits = escape.get(2..6).and_then(|digits| u16::from_str_radix(digits, 16).ok());
        digits.is_some_and(|unit| (0xd800..0xe000).contains(&unit))
    };
    let mut written = Cow::Borrowed(json);
    for (at, _) in json.match_indices("\\u").filter(|(at, _)| is_surrogate(&json[*at..])) {
        written.to_mut().replace_range(at..at + 6, "\\ufffd");
    }
    written
}

/// What was expected, and where.
fn unreadable(text: &str, offset: usize, error: &ParseError) -> UnreadableFile {
    let (start, end) = (error.range().start + offset, text.len());
    let (at, what) = match error.kind() {
        ParseErrorKind::UnterminatedObject => (end, "expected `}`"),
        ParseErrorKind::UnterminatedArray => (end, "expected `]`"),
        ParseErrorKind::ExpectedStringObjectProperty => (start, "expected a key in quotes or `}`"),
        ParseErrorKind::UnexpectedTokenInObject => {
            (start, "expected a comma, a key in quotes or `}`")
        }
        ParseErrorKind::ExpectedColonAfterObjectKey => (start, "expected `:`"),
        ParseErrorKind::ExpectedComma => (start, "expected a comma or the end of what was begun"),
        ParseErrorKind::MultipleRootJsonValues => (start, "expected nothing more"),
        ParseErrorKind::UnterminatedCommentBlock => (start, "expected a comment that ends"),
        ParseErrorKind::NestingDepthExceeded => (start, "expected fewer values within values"),
        ParseErrorKind::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            (start, "expected a text that ends on its line")
        }
        ParseErrorKind::String(_) => (start, "expected an escape that JSON has"),
        _ => (start, "expected a value"),
    };
    UnreadableFile::new(text, at, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_found_between_comments_and_commas() {
        let text = "\u{feff}// a\n{ \"a\": [1, /* ] */ \"x\\\"y\" /* , */ ,], \"b\": {}, } // z";
        let nodes = read_jsonc(text).unwrap();
        let raw: Vec<&str> = nodes.iter().map(|node| &text[node.span.clone()]).collect();
        assert_eq!(raw[1..], ["[1, /* ] */ \"x\\\"y\" /* , */ ,]", "1", "\"x\\\"y\"", "{}"]);
        assert_eq!(nodes[0].value, NodeValue::Table(vec![("a".into(), 1), ("b".into(), 4)]));
        assert_eq!(nodes[3].value, NodeValue::Text("x\"y".into()));
        assert_eq!(&text[nodes[1].begins..nodes[1].span.start], "\"a\": ");
        assert_eq!(nodes[2].begins, nodes[2].span.start);
        assert_eq!(&text[nodes[3].comma.unwrap()..], ",], \"b\": {}, } // z");
        assert_eq!(nodes[0].comma, None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, said) in [
            ("", "line 1, column 1: expected a value"),
            ("{\n  a: 1}", "line 2, column 3: expected a key in quotes or `}`"),
            ("[1 2]", "line 1, column 3: expected a comma or the end of what was begun"),
            ("[,]", "line 1, column 2: expected a value"),
            ("{\"a\" 1}", "line 1, column 6: expected `:`"),
            ("{\"a\": 1]", "line 1, column 8: expected a comma, a key in quotes or `}`"),
            ("{} {}", "line 1, column 4: expected nothing more"),
            ("[\"é\", nan]", "line 1, column 7: expected a value"),
            ("[\"a\n\"]", "line 1, column 2: expected a text that ends on its line"),
            ("[\"a", "line 1, column 2: expected a text that ends on its line"),
            ("[\"\\q\"]", "line 1, column 3: expected an escape that JSON has"),
            ("[1, /* ", "line 1, column 5: expected a comment that ends"),
            ("[[1], ", "line 1, column 7: expected `]`"),
            ("{\r\n", "line 2, column 1: expected `}`"),
        ] {
            assert_eq!(read_jsonc(text).unwrap_err().to_string(), said, "{text}");
        }
    }

    #[test]
    fn half_of_a_pair_is_no_text_and_no_reason_to_refuse_the_file() {
        let nodes = read_jsonc(r#"{"\ud800": ["\uD83d\ude00", "\udfff", "\\ud800"]}"#).unwrap();
        assert_eq!(nodes[0].value, NodeValue::Table(vec![(String::new(), 1)]));
        let values: Vec<_> = nodes[2..].iter().map(|node| &node.value).collect();
        let (pair, escaped) = (NodeValue::Text("😀".into()), NodeValue::Text("\\ud800".into()));
        assert_eq!(values, [&pair, &NodeValue::Other, &escaped]);
    }

    #[test]
    fn depth_is_no_danger() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read_jsonc(&"[".repeat(200_000)).is_err() && read_jsonc(&nested(200_000)).is_err());
        assert!(read_jsonc(&nested(400)).is_ok());
    }

    proptest! {
        #[test]
        fn whatever_a_strict_reader_takes_is_taken(text in "[\\[\\]{}\",:a1 \\\\\n/*]{0,24}") {
            let strict = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            let read = read_jsonc(&text);
            prop_assert!(!strict || read.is_ok());
        }
    }
}
