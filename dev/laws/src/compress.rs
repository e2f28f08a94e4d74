//! Laws about what happens to tool outputs and tool schemas.

use serde_json::Value;
use tokenforge_engine::expansion::{Grep, Selection, select};
use tokenforge_engine::internals::{csv, html, minify_description};
use tokenforge_engine::reference::{ExpandHint, Reference, ReferenceSecret};
use tokenforge_engine::schema::{compact_tools, minify_tools};
use tokenforge_engine::{Engine, History, Output, Settings, Vault};

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

/// F15: compacting tools leaves nothing to minify, takes away descriptions and three keywords and nothing else, never
/// lengthens, and twice is once. Tells whether it does more than minifying.
pub fn compact_schema(tools: &str) -> bool {
    let Some(compact) = compact_tools(tools) else { return false };
    assert!(compact.len() <= tools.len(), "{tools}\n{compact}");
    assert_eq!(compact_tools(&compact), None, "compacting twice is not once: {tools}\n{compact}");
    assert_eq!(minify_tools(&compact), None, "something is left to minify: {tools}\n{compact}");
    let does_more = minify_tools(tools).as_ref() != Some(&compact);
    let (Some(before), Some(after)) = (unique(tools), unique(&compact)) else { return does_more };
    let left = |value| without_keywords(described(value));
    assert_eq!(left(before), left(after), "more than descriptions and keywords changed: {tools}");
    does_more
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

/// L3, L6: rows that were written as an array come back byte for byte and are not written so again; reading survives any text.
/// Tells whether they were.
pub fn csv(text: &str) -> bool {
    let _ = csv::decode(text);
    let Settings { counter, .. } = Settings::default();
    let forms = Settings::default().json_forms();
    let Some(encoded) = csv::encode(text, &forms, counter) else { return false };
    assert_eq!(csv::decode(&encoded).as_deref(), Some(text), "{encoded}");
    assert_eq!(csv::encode(&encoded, &forms, counter), None, "writing twice is not once: {text}");
    true
}

/// L2, L6: what is shown of a page has fewer tokens and bytes than the page, and stays as it is when it is shown again.
/// Tells whether there was something to show.
pub fn html(text: &str) -> bool {
    let _ = html::render(text);
    let settings = Settings::default();
    let secret = ReferenceSecret::from_bytes([7; 32]);
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&secret));
    let compress = |text: &str| {
        let output =
            Output::new("WebFetch", text).with_arguments(r#"{"url":"https://example.com/"}"#);
        engine.compress(&output, &History::default()).replacement
    };
    let Some(shown) = compress(text).filter(|shown| shown.contains("[Forge shows this HTML"))
    else {
        return false;
    };
    assert!(
        shown.len() < text.len() && settings.counter.count(&shown) < settings.counter.count(text),
        "{text}\n{shown}"
    );
    assert_eq!(compress(&shown), None, "showing twice is not once: {text}\n{shown}");
    true
}

/// The value, if no object in it has a key twice.
fn unique(text: &str) -> Option<Value> {
    let json =
        tokenforge_formats::Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    tokenforge_formats::Form::Toon.encode(&json).ok()?;
    serde_json::from_str(text).ok()
}

/// The value without the keywords that may go, wherever they stand.
fn without_keywords(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.retain(|key, value| match key.as_str() {
                "$schema" | "title" => !value.is_string(),
                "additionalProperties" => *value != Value::Bool(false),
                _ => true,
            });
            members.values_mut().for_each(|member| *member = without_keywords(member.take()));
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| *element = without_keywords(element.take()));
        }
        _ => {}
    }
    value
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
