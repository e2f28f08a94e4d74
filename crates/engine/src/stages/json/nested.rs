//! Nested JSON: strings of a JSON text that hold JSON themselves, or a Python literal, as the values that they hold.
//!
//! ```text
//! [Forge strings that hold JSON, unescaped: "Policy"; "body" indented:2]
//! stc2 …
//! ```
//!
//! The first line names the members whose objects and arrays are strings, and how these were written. A name stands
//! for all members of it: one that has an object or array of its own somewhere is left alone, and of its strings those
//! stay as they are that are written in another way than the first. A path for each would say more, and cost more than it
//! saves where there is one string.

use super::layout::{JsonLayout, string_end};
use super::python_repr::PythonLiteral;
use super::{container, decode as decode_json};
use crate::wrapper::{JsonStyle, json_string};
use std::collections::BTreeMap;
use tokenforge_formats::{Form, Json, MAX_OUTPUT, cheapest};
use tokenforge_json::tape::LexemeKind;
use tokenforge_json::{Edit, unescape};
use tokenforge_tokens::Counter;

const HEAD: &str = "[Forge strings that hold JSON, unescaped: ";
const HEAD_END: &str = "]\n";
/// Between two members of the head.
const SEPARATOR: &str = "; ";

/// How many strings may lie inside each other. Every one doubles the backslashes of those in it.
const MOST_LAYERS: usize = 4;

/// The words of the head for what is no layout.
const LINE_END: &str = "newline";
const PYTHON: &str = "Python";
const TUPLES: &str = "tuples:";

/// Which members are strings that hold JSON, and how these were written.
type Members = BTreeMap<String, StringStyle>;

/// A JSON text with the values that its strings hold in their places, in the form with the fewest tokens; `None` if that has
/// no fewer than the text with its strings.
#[must_use]
pub fn encode(text: &str, allowed: &[Form], counter: Counter) -> Option<String> {
    let may_be_nested = ["\"{", "\"["]
        .iter()
        .any(|start| memchr::memmem::find(text.as_bytes(), start.as_bytes()).is_some());
    if !may_be_nested {
        return None;
    }
    let json = container(text)?;
    let members = members(text)?;
    let lifted = lift(text, MOST_LAYERS, &members)?;
    let form = cheapest(&Json::parse(&lifted).ok()?, allowed, counter).text;
    let encoded = [HEAD, &names(&members), HEAD_END, &form].concat();
    let plain = cheapest(&json, allowed, counter).tokens;
    (counter.count(&encoded) < plain).then_some(encoded)
}

/// Is this JSON with unescaped strings as [`encode`] writes it?
pub(crate) fn is_written(text: &str) -> bool {
    text.starts_with(HEAD)
}

/// The minified JSON that an encoded text stands for.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
    let (names, form) = text.strip_prefix(HEAD)?.split_once(HEAD_END)?;
    lower(&decode_json(form)?, MOST_LAYERS, &read_names(names)?)
}

/// The members of a text, and of what its strings hold, that can be written as values.
fn members(text: &str) -> Option<Members> {
    let mut uses = BTreeMap::new();
    survey(text, MOST_LAYERS, &mut uses)?;
    let strings = uses.into_iter().filter(|(_, member)| !member.has_container);
    let members: Members =
        strings.filter_map(|(name, member)| Some((name, member.style?))).collect();
    (!members.is_empty()).then_some(members)
}

/// What the members of one name are.
#[derive(Default)]
struct MemberUse {
    /// How the first string was written that holds JSON.
    style: Option<StringStyle>,
    /// Is one of them an object or array of its own?
    has_container: bool,
}

fn survey(text: &str, layers: usize, uses: &mut BTreeMap<String, MemberUse>) -> Option<()> {
    let json = Json::parse(text).ok()?;
    for key in 0..json.next(0) {
        if json.node(key).kind != LexemeKind::Key {
            continue;
        }
        let value = json.node(key + 1);
        if value.kind.is_container() {
            uses.entry(json.unquoted(key).to_owned()).or_default().has_container = true;
        }
        let held = held_json(&json, key + 1).filter(|_| layers > 0);
        let Some((style, inner)) = held else { continue };
        let member = uses.entry(json.unquoted(key).to_owned()).or_default();
        if *member.style.get_or_insert(style) == style {
            survey(&inner, layers - 1, uses)?;
        }
    }
    Some(())
}

/// The text with the values of these members in place of their strings.
fn lift(text: &str, layers: usize, members: &Members) -> Option<String> {
    let json = Json::parse(text).ok()?;
    let mut edit = Edit::new(text);
    for key in (0..json.next(0)).filter(|at| json.node(*at).kind == LexemeKind::Key) {
        let Some(style) = members.get(json.unquoted(key)).filter(|_| layers > 0) else { continue };
        let held = held_json(&json, key + 1).filter(|(found, _)| found == style);
        if let Some((_, inner)) = held {
            let inside = json.inside(key + 1);
            edit.splice(inside.start - 1..inside.end + 1, lift(&inner, layers - 1, members)?);
        }
    }
    Some(edit.done().into_owned())
}

/// The text with the objects and arrays of these members as strings.
fn lower(text: &str, layers: usize, members: &Members) -> Option<String> {
    let json = Json::parse(text).ok()?;
    let mut edit = Edit::new(text);
    let mut at = 0;
    while at < json.next(0) {
        let is_key = json.node(at).kind == LexemeKind::Key;
        let style = is_key.then(|| members.get(json.unquoted(at))).flatten();
        at += 1;
        if let Some(style) = style.filter(|_| json.node(at).kind.is_container()) {
            let value = json.value(at).text();
            let inner = lower(value, layers.checked_sub(1)?, members)?;
            let start = json.offset(at);
            edit.splice(start..start + value.len(), style.write(&inner)?);
            at = json.next(at);
        }
    }
    let lowered = edit.done().into_owned();
    (lowered.len() <= MAX_OUTPUT).then_some(lowered)
}

/// How a string value is written that holds an object or array, and that minified.
fn held_json(json: &Json<'_>, at: usize) -> Option<(StringStyle, String)> {
    let node = json.node(at);
    (node.kind == LexemeKind::String).then(|| StringStyle::of(json.unquoted(at))).flatten()
}

/// How a string is written that holds an object or array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct StringStyle {
    notation: HeldNotation,
    /// Does a line end follow the value?
    ends_line: bool,
    /// What the string escapes.
    escapes: JsonStyle,
}

/// What a string holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeldNotation {
    Json(JsonLayout),
    /// What Python's `repr` prints, with tuples at a level.
    Python(Option<usize>),
}

impl Default for HeldNotation {
    fn default() -> Self {
        HeldNotation::Json(JsonLayout::default())
    }
}

impl StringStyle {
    /// The style of a string with this spelling, and the minified value that it holds; `None` if it holds none, or would not
    /// come back byte for byte.
    fn of(spelling: &str) -> Option<(Self, String)> {
        if !spelling.starts_with(['{', '[']) {
            return None;
        }
        let text = unescape(spelling)?;
        let escapes = JsonStyle::of(spelling, &text);
        let held = text.strip_suffix('\n').unwrap_or(&text);
        let json = JsonLayout::of(held).map(|(layout, json)| (HeldNotation::Json(layout), json));
        let (notation, json) = json.or_else(|| {
            PythonLiteral::of(held).map(|held| (HeldNotation::Python(held.tuples), held.json))
        })?;
        let style = StringStyle { notation, ends_line: held.len() < text.len(), escapes };
        (json_string::escape(&text, escapes) == spelling).then_some((style, json))
    }

    /// A string that holds a value, with its quotes.
    fn write(self, json: &str) -> Option<String> {
        let mut held = match self.notation {
            HeldNotation::Json(layout) => layout.write(json)?,
            HeldNotation::Python(tuples) => {
                PythonLiteral { json: json.to_owned(), tuples }.write()?
            }
        };
        if self.ends_line {
            held.push('\n');
        }
        Some(["\"", &json_string::escape(&held, self.escapes), "\""].concat())
    }

    fn words(self) -> Vec<String> {
        let mut words = Vec::new();
        match self.notation {
            HeldNotation::Json(layout) => words.extend(layout.word()),
            HeldNotation::Python(tuples) => {
                words.push(PYTHON.to_owned());
                words.extend(tuples.map(|level| format!("{TUPLES}{level}")));
            }
        }
        words.extend(self.ends_line.then(|| LINE_END.to_owned()));
        words.extend(self.escapes.words().map(str::to_owned));
        words
    }

    fn from_words<'w>(words: impl Iterator<Item = &'w str>) -> Option<Self> {
        let mut style = StringStyle::default();
        for word in words {
            if word == PYTHON {
                style.notation = HeldNotation::Python(None);
            } else if let Some(level) = word.strip_prefix(TUPLES) {
                style.notation = HeldNotation::Python(Some(level.parse().ok()?));
            } else if let Some(layout) = JsonLayout::from_word(word) {
                style.notation = HeldNotation::Json(layout);
            } else if word == LINE_END {
                style.ends_line = true;
            } else {
                style.escapes = style.escapes.and(word)?;
            }
        }
        Some(style)
    }
}

/// The members as the head names them.
fn names(members: &Members) -> String {
    let entry = |(name, style): (&String, &StringStyle)| {
        [vec![format!("\"{name}\"")], style.words()].concat().join(" ")
    };
    members.iter().map(entry).collect::<Vec<_>>().join(SEPARATOR)
}

fn read_names(mut names: &str) -> Option<Members> {
    let mut members = Members::new();
    loop {
        let end = string_end(names.strip_prefix('"')?)?;
        let (name, rest) = (&names[1..end], &names[end + 1..]);
        let (words, others) = match rest.split_once(SEPARATOR) {
            Some((words, others)) => (words, Some(others)),
            None => (rest, None),
        };
        members.insert(name.to_owned(), StringStyle::from_words(words.split_ascii_whitespace())?);
        match others {
            Some(others) => names = others,
            None => return Some(members),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::minify;
    use super::*;

    const POLICY: &str = concat!(
        r#"{"Version":"2012-10-17","Statement":["#,
        r#"{"Effect":"Allow","Action":["es:*","s3:Get"],"Resource":"arn:aws:es:us-east-1:1:domain/a"},"#,
        r#"{"Effect":"Allow","Action":["es:*","s3:Put"],"Resource":"arn:aws:es:us-east-1:1:domain/b"},"#,
        r#"{"Effect":"Deny","Action":["es:*","s3:List"],"Resource":"arn:aws:es:us-east-1:1:domain/c"}]}"#
    );

    fn string(text: &str) -> String {
        tokenforge_json::quote(text)
    }

    /// What is in the head, the text having come back.
    fn round_trip(text: &str) -> String {
        let encoded = encode(text, Form::ALL, Counter::default()).unwrap();
        assert_eq!(decode(&encoded).unwrap(), minify(text), "{encoded}");
        encoded.strip_prefix(HEAD).unwrap().split_once(HEAD_END).unwrap().0.to_owned()
    }

    #[test]
    fn strings_that_hold_json_are_written_as_what_they_hold() {
        let text = format!(r#"{{"Name": "a", "Policy": {}}}"#, string(POLICY));
        assert_eq!(round_trip(&text), "\"Policy\"");
        let encoded = encode(&text, &[Form::Json], Counter::default()).unwrap();
        assert!(
            encoded.ends_with(&format!("]\n{{\"Name\":\"a\",\"Policy\":{POLICY}}}")),
            "{encoded}"
        );
    }

    #[test]
    fn the_layout_of_every_serialiser_comes_back() {
        let pretty = JsonLayout::Indented(2).write(POLICY).unwrap();
        let spaced = JsonLayout::Spaced.write(POLICY).unwrap();
        let python = PythonLiteral { json: POLICY.to_owned(), tuples: None }.write().unwrap();
        for (held, words) in [
            (pretty, " indented:2"),
            (spaced, " spaced"),
            (python, " Python"),
            (format!("{POLICY}\n"), " newline"),
            (POLICY.replace('/', "é"), ""),
        ] {
            let text = format!(r#"{{"n":1,"held":{}}}"#, string(&held));
            assert_eq!(round_trip(&text), format!("\"held\"{words}"));
        }
        let text = format!(r#"{{"n":1,"held":{}}}"#, string(POLICY).replace('/', "\\/"));
        assert_eq!(round_trip(&text), "\"held\" \\/");
    }

    #[test]
    fn every_layer_is_unescaped() {
        let inner = format!(r#"{{"statusCode":200,"body":{}}}"#, string(POLICY));
        let outer = format!(r#"{{"StatusCode":200,"Payload":{}}}"#, string(&inner));
        assert_eq!(round_trip(&outer), "\"Payload\"; \"body\"");
        let mut text = POLICY.to_owned();
        for layer in 0..7 {
            text = format!(r#"{{"layer{layer}":{}}}"#, string(&text));
        }
        assert_eq!(round_trip(&text).matches(';').count(), MOST_LAYERS - 1);
    }

    #[test]
    fn a_name_that_also_has_an_object_of_its_own_is_left_alone() {
        let text = format!(r#"[{{"held":{}}},{{"held":{{"a":1}}}}]"#, string(POLICY));
        assert_eq!(encode(&text, Form::ALL, Counter::default()), None);
    }

    #[test]
    fn strings_of_one_name_that_are_written_otherwise_stay_strings() {
        let spaced = JsonLayout::Spaced.write(POLICY).unwrap();
        let text = format!(
            r#"[{{"held":{}}},{{"held":{}}},{{"held":"plain"}},{{"held":3}},{{"held":"[x"}}]"#,
            string(POLICY),
            string(&spaced)
        );
        assert_eq!(round_trip(&text), "\"held\"");
    }

    #[test]
    fn a_forged_head_is_not_decoded() {
        for names in ["", "a", "\"a", "\"a\" wide", "\"a\" indented:9", "\"a\";", "\"a\" tuples:x"]
        {
            assert_eq!(decode(&format!("{HEAD}{names}{HEAD_END}{{\"a\":[1]}}")), None, "{names}");
        }
        let mut text = "1".to_owned();
        for _ in 0..MOST_LAYERS + 1 {
            text = format!("{{\"a\":{text}}}");
        }
        assert_eq!(decode(&format!("{HEAD}\"a\"{HEAD_END}{{\"a\":{text}}}")), None);
    }
}
