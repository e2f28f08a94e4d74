//! JSON lines: one value a line, written as one array in the form that costs fewest tokens.

use super::{container, decode as decode_json};
use crate::notation;
use std::borrow::Cow;
use tokenforge_formats::{Form, Json, cheapest};
use tokenforge_tokens::Counter;

pub(super) const ANNOUNCEMENT: &str = "[Forge JSON lines as one array]\n";

/// Texts of fewer lines are left to the other stages.
const FEWEST_LINES: usize = 3;

/// JSON lines as one array, where its form has a fifth fewer tokens than the lines; otherwise the lines, each minified.
#[must_use]
pub fn encode(text: &str, allowed: &[Form], counter: Counter) -> Option<String> {
    let values = values(text)?;
    let array = format!("[{}]", values.join(","));
    let json = Json::parse(&array).ok()?;
    let choice = cheapest(&json, allowed, counter);
    let as_array = || {
        let array = format!("{ANNOUNCEMENT}{}{}", choice.text, line_end(text));
        notation::pays(counter.count(&array), counter.count(text), counter.count(text))
            .then_some(array)
    };
    let array = (choice.form != Form::Json).then(as_array).flatten();
    let encoded = array.unwrap_or_else(|| minify(text).into_owned());
    (encoded != text).then_some(encoded)
}

/// Is this JSON lines written as one array?
pub(crate) fn is_array(text: &str) -> bool {
    text.starts_with(ANNOUNCEMENT)
}

/// The minified lines that an encoded text stands for.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
    let Some(array) = text.strip_prefix(ANNOUNCEMENT) else { return Some(text.to_owned()) };
    let array = decode_json(array)?;
    let elements = elements(&array)?;
    Some(elements.join("\n") + line_end(text))
}

/// The text with every line minified; as it is if it is not JSON lines.
#[must_use]
pub fn minify(text: &str) -> Cow<'_, str> {
    match values(text) {
        Some(values) => Cow::Owned(values.join("\n") + line_end(text)),
        None => Cow::Borrowed(text),
    }
}

/// The lines of the text, minified, if each is an object or array.
fn values(text: &str) -> Option<Vec<Cow<'_, str>>> {
    let first = text.lines().next()?;
    container(first)?;
    let values: Option<Vec<_>> =
        text.lines().map(|line| container(line).map(|json| json.minify())).collect();
    values.filter(|values| values.len() >= FEWEST_LINES)
}

fn line_end(text: &str) -> &'static str {
    if text.ends_with('\n') { "\n" } else { "" }
}

/// The elements of a minified JSON array, which is known to be valid.
fn elements(array: &str) -> Option<Vec<&str>> {
    let inside = array.strip_prefix('[')?.strip_suffix(']')?;
    let (mut elements, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                elements.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    elements.push(&inside[start..]);
    Some(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three_lines() -> String {
        (1..40).map(|id| format!("{{\"id\": {id}, \"state\": \"open, [x]\"}}\n")).collect()
    }

    #[test]
    fn lines_of_one_shape_become_a_table_and_back() {
        let text = three_lines();
        let encoded = encode(&text, Form::ALL, Counter::default()).unwrap();
        assert!(encoded.starts_with(ANNOUNCEMENT), "{encoded}");
        assert_eq!(decode(&encoded).unwrap(), minify(&text));
    }

    #[test]
    fn a_missing_final_newline_stays_missing() {
        let text = three_lines();
        let text = text.trim_end();
        let encoded = encode(text, Form::ALL, Counter::default()).unwrap();
        assert_eq!(decode(&encoded).unwrap(), minify(text));
        assert!(!encoded.ends_with('\n'));
    }

    #[test]
    fn text_among_the_lines_is_not_json_lines() {
        let text = three_lines() + "done\n";
        assert_eq!(encode(&text, Form::ALL, Counter::default()), None);
    }
}
