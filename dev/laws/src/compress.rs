//! Laws about what happens to tool outputs and tool schemas.

use serde_json::Value;
use tokenforge_engine::expansion::{Grep, Selection, select};
use tokenforge_engine::reference::{ExpandHint, Reference, ReferenceSecret};
use tokenforge_engine::schema::{minify_description, minify_tools};

/// F15: minifying tools changes description strings and nothing else, never lengthens, and twice is once.
/// Tells whether there was something to minify.
pub fn schema(tools: &str) -> bool {
    let Some(minified) = minify_tools(tools) else { return false };
    assert!(minified.len() <= tools.len(), "{tools}\n{minified}");
    assert_eq!(minify_tools(&minified), None, "minifying twice is not once: {tools}\n{minified}");
    // A parser that keeps one of two members with the same key cannot tell which was left out.
    let (Some(before), Some(after)) = (unique(tools), unique(&minified)) else { return true };
    assert_eq!(described(before), described(after), "more than descriptions changed: {tools}");
    true
}

/// References: any text can be searched; what is found was there; what is ours is found again.
pub fn reference(text: &str) {
    for found in Reference::find_all(text) {
        assert!(text.contains(&found.marker()), "{found} was not there: {text}");
        assert_eq!(found.to_string().parse(), Ok(found));
    }
    if let Ok(read) = text.parse::<Reference>() {
        assert!(text.contains(&read.to_string()), "{read} was not there: {text}");
    }
    if let Some((leading, rest)) = Reference::leading(text) {
        assert_eq!(Reference::find_all(text).next(), Some(leading));
        assert!(text.starts_with(&leading.marker()) && text.ends_with(rest));
    }
    let key = ReferenceSecret::from_bytes([7; 32]);
    let ours = Reference::of(&key, text);
    assert!(ours.verify(&key) && !ours.verify(&ReferenceSecret::from_bytes([8; 32])));
    for hint in ExpandHint::ALL {
        let shown = format!("{}\n{}\n{text}", ours.marker(), hint.line());
        assert_eq!(Reference::leading(&shown), Some((ours, text)));
    }
}

/// Expansions: whatever is asked of whatever text, the answer is bounded, and all of a text is that text. The pattern is
/// asked for as a path too.
pub fn expansion(text: &str, lines: &str, pattern: &str, context: usize) {
    assert_eq!(select(text, &Selection::default()).as_deref(), Ok(text));
    const MAX_BYTES: usize = 200;
    // A match in a long line, and the context before it, come whole.
    let most = MAX_BYTES + 300 + 101 * 3000;
    let grep = Some(Grep { pattern: pattern.to_owned(), context });
    let asked = [
        (None, None),
        (lines.parse().ok(), None),
        (None, grep.clone()),
        (lines.parse().ok(), grep),
    ];
    for path in [None, "$".parse().ok(), pattern.parse().ok()] {
        for (lines, grep) in asked.clone() {
            let selection = Selection { path: path.clone(), lines, grep, max_bytes: MAX_BYTES };
            if let Ok(part) = select(text, &selection) {
                assert!(part.len() <= most, "{} bytes", part.len());
            }
        }
    }
}

/// The value, if no object in it has a key twice.
fn unique(text: &str) -> Option<Value> {
    let json =
        tokenforge_formats::Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    tokenforge_formats::Form::Toon.encode(&json).ok()?;
    serde_json::from_str(text).ok()
}

/// The value with every description minified, those in data too.
fn described(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            if let Some(Value::String(description)) = members.get_mut("description") {
                *description = minify_description(description).into_owned();
                if description.is_empty() {
                    members.remove("description");
                }
            }
            members.values_mut().for_each(|member| *member = described(member.take()));
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| *element = described(element.take()));
        }
        _ => {}
    }
    value
}
