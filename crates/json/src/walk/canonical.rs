//! Canonical JSON: one spelling for all the ways to write the same.

use super::{JsonToken, Walker, tokens};
use crate::escape::{quote, unescape};
use std::borrow::Cow;
use std::ops::Range;

/// The text without white space, its members sorted by name, its strings and numbers spelled in one way.
///
/// Nothing if it is not JSON.
#[must_use]
pub fn canonical(text: &str) -> Option<String> {
    let mut reader = Walker::over(text);
    reader.skip().ok()?;
    reader.finish().ok()?;
    let mut nodes = nodes(text);
    for node in &mut nodes {
        if let CanonicalNode::Object(members) = node {
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
    }
    Some(write_nodes(&nodes, text.len()))
}

/// A value; those inside it by their index.
enum CanonicalNode<'a> {
    Scalar(Cow<'a, str>),
    List(Vec<usize>),
    Object(Vec<(Cow<'a, str>, usize)>),
}

/// The values of a text that is known to be JSON, the outermost first.
fn nodes(text: &str) -> Vec<CanonicalNode<'_>> {
    let (mut nodes, mut open) = (Vec::new(), Vec::new());
    let mut name = Cow::default();
    for token in tokens(text) {
        let node = match token {
            JsonToken::OpenObject => CanonicalNode::Object(Vec::new()),
            JsonToken::OpenArray => CanonicalNode::List(Vec::new()),
            JsonToken::String(span) => CanonicalNode::Scalar(string(text, span)),
            JsonToken::Scalar(span) => CanonicalNode::Scalar(number_or_word(&text[span])),
            JsonToken::Name(span) => {
                name = string(text, span);
                continue;
            }
            JsonToken::Close => {
                open.pop();
                continue;
            }
            JsonToken::Comma => continue,
        };
        let index = nodes.len();
        match open.last().and_then(|outer: &usize| nodes.get_mut(*outer)) {
            Some(CanonicalNode::Object(members)) => {
                members.push((std::mem::take(&mut name), index))
            }
            Some(CanonicalNode::List(elements)) => elements.push(index),
            Some(CanonicalNode::Scalar(_)) | None => {}
        }
        if !matches!(node, CanonicalNode::Scalar(_)) {
            open.push(index);
        }
        nodes.push(node);
    }
    nodes
}

/// The shortest spelling of the string between these quotes.
fn string(text: &str, span: Range<usize>) -> Cow<'_, str> {
    match unescape(&text[span.clone()]) {
        Some(Cow::Owned(text)) => Cow::Owned(quote(&text)),
        _ => Cow::Borrowed(&text[span.start - 1..span.end + 1]),
    }
}

/// A number as the double that most readers take it for.
fn number_or_word(spelling: &str) -> Cow<'_, str> {
    let number = spelling.parse::<f64>().ok().filter(|number| number.is_finite());
    // Zero has no sign.
    number.map_or(Cow::Borrowed(spelling), |number| Cow::Owned((number + 0.0).to_string()))
}

fn write_nodes(nodes: &[CanonicalNode<'_>], capacity: usize) -> String {
    enum Step<'n> {
        Text(&'n str),
        Node(usize),
    }
    let mut text = String::with_capacity(capacity);
    // What is still to be written, the next last.
    let mut steps = vec![Step::Node(0)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Text(piece) => text.push_str(piece),
            Step::Node(index) => match nodes.get(index) {
                Some(CanonicalNode::Scalar(spelling)) => text.push_str(spelling),
                Some(CanonicalNode::List(elements)) => {
                    text.push('[');
                    steps.push(Step::Text("]"));
                    for (position, element) in elements.iter().enumerate().rev() {
                        steps.push(Step::Node(*element));
                        steps.push(Step::Text(if position > 0 { "," } else { "" }));
                    }
                }
                Some(CanonicalNode::Object(members)) => {
                    text.push('{');
                    steps.push(Step::Text("}"));
                    for (position, (name, value)) in members.iter().enumerate().rev() {
                        steps.push(Step::Node(*value));
                        steps.extend([Step::Text(":"), Step::Text(name)]);
                        steps.push(Step::Text(if position > 0 { "," } else { "" }));
                    }
                }
                None => {}
            },
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tokenforge_samples::{Nasty, nasty};

    #[test]
    fn the_same_json_has_one_spelling() {
        for text in [
            r#"{"a":[1,{"x":"é/","y":null}],"b":{},"c":[]}"#,
            r#" { "c" : [ ], "a":[1.0 , {"y":null,"x":"\u00e9\/"}],"b":{ } } "#,
            r#"{"b":{},"\u0063":[],"a":[10e-1,{"x":"\u00E9/","y":null}]}"#,
        ] {
            let expected = r#"{"a":[1,{"x":"é/","y":null}],"b":{},"c":[]}"#;
            assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(canonical(" -0.0 ").as_deref(), Some("0"));
        assert_eq!(canonical(r#""\ud800""#).as_deref(), Some(r#""\ud800""#));
        for text in ["", "{", "{}x", "a"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }

    #[test]
    fn depth_costs_no_stack_and_no_copies() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        assert_eq!(canonical(&deep), Some(deep));
    }

    proptest! {
        #[test]
        fn what_is_canonical_stays(seed: u64) {
            let document = nasty(seed, Nasty::default());
            let once = canonical(&document).unwrap();
            prop_assert_eq!(canonical(&once), Some(once.clone()));
        }
    }
}
