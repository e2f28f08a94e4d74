//! Python literals: what `repr` prints of strings, numbers, lists, tuples and dictionaries, as JSON and back.
//!
//! Nothing is parsed: a literal becomes JSON token by token, and is taken only if it comes back so, byte for byte.

use super::layout::string_end;
use super::{decode as decode_json, nested};
use crate::notation;
use crate::wrapper::python_string;
use tokenforge_formats::{Form, Json, MAX_OUTPUT, cheapest};
use tokenforge_json::{TapeValue, quote, unescape};
use tokenforge_tokens::Counter;

/// The words of Python, and those of JSON.
const WORDS: [(&str, &str); 3] = [("None", "null"), ("True", "true"), ("False", "false")];

const HEAD: &str = "[Forge a Python literal as JSON";
const TUPLES: &str = ", tuples at level ";
const ROWS: &str = ", tuples at level 2 as objects";
const HEAD_END: &str = "]\n";

/// A Python literal as JSON, in the form with the fewest tokens and with the JSON that its strings hold, where that has a
/// fifth fewer tokens.
///
/// ```
/// use tokenforge_engine::internals::json::python_repr;
/// use tokenforge_formats::Form;
///
/// let rows: Vec<String> = (0..40).map(|n| format!("('row {n}', {n}, None)")).collect();
/// let text = format!("[{}]", rows.join(", "));
/// let encoded = python_repr::encode(&text, Form::ALL, Default::default()).unwrap();
/// assert!(encoded.starts_with("[Forge a Python literal as JSON, tuples at level 2 as objects]\n"));
/// assert_eq!(python_repr::decode(&encoded).unwrap(), text);
/// ```
#[must_use]
pub fn encode(text: &str, allowed: &[Form], counter: Counter) -> Option<String> {
    if !text.starts_with(['[', '{', '(']) {
        return None;
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let literal = PythonLiteral::of(body)?;
    let form = |json: &str| cheapest_form(json, allowed, counter);
    let level = literal.tuples.map(|level| format!("{TUPLES}{level}"));
    let plain = (level.unwrap_or_default(), form(&literal.json)?);
    // No form has a table for arrays: 41 KB of rows from a database went through as they came.
    let rows = literal.rows_as_objects().and_then(|rows| Some((ROWS.to_owned(), form(&rows)?)));
    let written = [Some(plain), rows].into_iter().flatten().map(|(tuples, form)| {
        let encoded = [HEAD, &tuples, HEAD_END, &form, &text[body.len()..]].concat();
        (counter.count(&encoded), encoded)
    });
    let (tokens, encoded) = written.min_by_key(|(tokens, _)| *tokens)?;
    let before = counter.count(text);
    notation::pays(tokens, before, before).then_some(encoded)
}

/// A minified JSON text in the form with the fewest tokens, and with the JSON that its strings hold.
fn cheapest_form(json: &str, allowed: &[Form], counter: Counter) -> Option<String> {
    let nested = nested::encode(json, allowed, counter);
    let form = || Some(cheapest(&Json::parse(json).ok()?, allowed, counter).text.into_owned());
    nested.or_else(form)
}

/// Is this a Python literal as [`encode`] writes it?
pub(crate) fn is_written(text: &str) -> bool {
    text.starts_with(HEAD)
}

/// The Python literal that an encoded text stands for.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
    let (tuples, form) = text.strip_prefix(HEAD)?.split_once(HEAD_END)?;
    let form = form.strip_suffix('\n').unwrap_or(form);
    let json = if nested::is_written(form) { nested::decode(form) } else { decode_json(form) }?;
    let literal = match tuples.strip_prefix(TUPLES) {
        _ if tuples == ROWS => PythonLiteral::of_rows(&json)?,
        Some(level) => PythonLiteral { json, tuples: Some(level.parse().ok()?) },
        None if tuples.is_empty() => PythonLiteral { json, tuples: None },
        None => return None,
    };
    Some(literal.write()? + if text.ends_with('\n') { "\n" } else { "" })
}

/// A Python literal as minified JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PythonLiteral {
    pub(crate) json: String,
    /// The level at which arrays are tuples, the outermost being 1. Everywhere else they are lists.
    pub(crate) tuples: Option<usize>,
}

impl PythonLiteral {
    /// Reads what `repr` printed of a list, a tuple or a dictionary, if it holds nothing that JSON cannot.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut json = String::with_capacity(text.len());
        let (mut depth, mut tuples) = (0_usize, None);
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let length = match character {
                '(' | '[' | '{' => {
                    depth += 1;
                    if character == '(' {
                        tuples = Some(depth);
                    }
                    json.push(if character == '{' { '{' } else { '[' });
                    1
                }
                ')' | ']' | '}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 && rest.len() > 1 {
                        return None;
                    }
                    json.push(if character == '}' { '}' } else { ']' });
                    1
                }
                // The comma of a tuple of one.
                ',' if rest.starts_with(",)") => 1,
                ',' | ':' => {
                    json.push(character);
                    if rest[1..].starts_with(' ') { 2 } else { return None }
                }
                '\'' | '"' => {
                    let end = literal_end(&rest[1..], character)?;
                    json.push_str(&quote(&python_string::unescape(&rest[1..end])?));
                    end + 1
                }
                _ => {
                    let end = rest.find([',', ':', ')', ']', '}', ' ']).unwrap_or(rest.len());
                    let word = &rest[..end];
                    let known = WORDS.iter().find(|(python, _)| *python == word);
                    json.push_str(known.map_or(word, |(_, json)| json));
                    end.max(1)
                }
            };
            rest = rest.get(length..)?;
        }
        let literal = PythonLiteral { json, tuples };
        // White space that `repr` does not print would be gone once it was minified.
        Json::parse(&literal.json).ok().filter(|json| json.minified_len() == literal.json.len())?;
        (literal.write()? == text).then_some(literal)
    }

    /// The JSON with the tuples in its list as objects, if all have as many elements: a table's rows.
    fn rows_as_objects(&self) -> Option<String> {
        let json = Json::parse(&self.json).ok().filter(|_| self.tuples == Some(2))?;
        let width = json.root().elements().next()?.elements().count();
        let mut rows = Vec::new();
        for row in json.root().elements() {
            let cells: Vec<String> = (1..)
                .zip(row.elements())
                .map(|(column, cell)| format!("\"{column}\":{}", cell.text()))
                .collect();
            if cells.len() != width || width == 0 {
                return None;
            }
            rows.push(cells.join(","));
        }
        Some(format!("[{{{}}}]", rows.join("},{")))
    }

    /// The list of tuples that were written as objects.
    fn of_rows(json: &str) -> Option<Self> {
        let json = Json::parse(json).ok().filter(|json| json.root().is_array())?;
        let row = |row: TapeValue<'_, '_>| {
            let cells: Vec<&str> = row.members().map(|(_, cell)| cell.text()).collect();
            (!cells.is_empty()).then(|| format!("[{}]", cells.join(",")))
        };
        let rows: Vec<String> = json.root().elements().map(row).collect::<Option<_>>()?;
        Some(PythonLiteral { json: format!("[{}]", rows.join(",")), tuples: Some(2) })
    }

    /// What `repr` would print, unless that is too large.
    pub(crate) fn write(&self) -> Option<String> {
        let mut out = String::with_capacity(self.json.len() * 2);
        // Of every open container: is it a tuple, and has it a second element?
        let mut open: Vec<(bool, bool)> = Vec::new();
        let mut rest = self.json.as_str();
        while let Some(mark) = rest.chars().next() {
            let mut length = 1;
            match mark {
                '"' => {
                    let end = string_end(&rest[1..])?;
                    push_string(&unescape(&rest[1..end])?, &mut out);
                    length = end + 1;
                }
                '{' | '[' => {
                    let is_tuple = mark == '[' && self.tuples == Some(open.len() + 1);
                    // `()` has no comma, and `(1,)` has one.
                    open.push((is_tuple, rest[1..].starts_with(']')));
                    out.push(if is_tuple { '(' } else { mark });
                }
                '}' | ']' => match open.pop()? {
                    (true, true) => out.push(')'),
                    (true, false) => out.push_str(",)"),
                    _ => out.push(mark),
                },
                ',' => {
                    open.last_mut()?.1 = true;
                    out.push_str(", ");
                }
                ':' => out.push_str(": "),
                _ => {
                    length = rest.find([',', ':', ']', '}']).unwrap_or(rest.len());
                    let word = &rest[..length];
                    let known = WORDS.iter().find(|(_, json)| *json == word);
                    out.push_str(known.map_or(word, |(python, _)| python));
                }
            }
            if out.len() > MAX_OUTPUT {
                return None;
            }
            rest = &rest[length..];
        }
        Some(out)
    }
}

/// Where the quote stands that closes a string, counted from the one that opens it.
fn literal_end(text: &str, quote: char) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr::memchr2(quote as u8, b'\\', text.as_bytes().get(at..)?) {
        at += found;
        if text.as_bytes()[at] != b'\\' {
            return Some(at + 1);
        }
        at += 2;
    }
    None
}

/// Appends a string as `repr` prints it: in single quotes, unless it has such and no double ones.
fn push_string(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    out.push_str(&python_string::escape(text, quote));
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repr_prints_is_json_and_comes_back() {
        // As printed by Python 3.11.
        for (text, json, tuples) in [
            ("{'a': 'b', 'c': None}", r#"{"a":"b","c":null}"#, None),
            ("[('x', 1), ('y', -2.5e-07)]", r#"[["x",1],["y",-2.5e-07]]"#, Some(2)),
            ("[('x',), ('y',)]", r#"[["x"],["y"]]"#, Some(2)),
            ("(1, [True, False], {})", "[1,[true,false],{}]", Some(1)),
            ("[(), (1,)]", "[[],[1]]", Some(2)),
            (
                r#"["it's", '"', '\'"', 'a\nb\\', '\x1b é']"#,
                r#"["it's","\"","'\"","a\nb\\","\u001b é"]"#,
                None,
            ),
            ("{'text': '{\"a\": [1, 2]}'}", r#"{"text":"{\"a\": [1, 2]}"}"#, None),
        ] {
            let literal = PythonLiteral::of(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((&*literal.json, literal.tuples), (json, tuples));
            assert_eq!(literal.write().as_deref(), Some(text));
        }
    }

    #[test]
    fn rows_are_objects_and_come_back() {
        for text in ["[('a', 1), ('b', {'x': []}), (None, [])]", "[('a',), ('b',)]"] {
            let rows = PythonLiteral::of(text).unwrap().rows_as_objects().unwrap();
            let literal = PythonLiteral::of_rows(&rows).unwrap();
            assert_eq!(literal.write().as_deref(), Some(text));
        }
        for text in ["[(1, 2), (3,)]", "[()]", "[]", "[[1], [2]]", "((1, 2), (3, 4))"] {
            let literal = PythonLiteral::of(text);
            assert_eq!(literal.and_then(|literal| literal.rows_as_objects()), None, "{text}");
        }
        for json in ["[[1]]", "{}", "[{}]", "1"] {
            assert_eq!(PythonLiteral::of_rows(json), None, "{json}");
        }
    }

    #[test]
    fn what_json_cannot_hold_or_repr_does_not_print_is_left_alone() {
        for text in [
            "[b'x']",
            "{1: 2}",
            "[nan]",
            "[inf]",
            "{1, 2}",
            "[datetime.date(2020, 1, 2)]",
            "[Decimal('1')]",
            "[(1, 2), [3, 4]]",
            "['a','b']",
            "[1, 2,]",
            "[ 1]",
            "[\n1]",
            "[1, \t2]",
            "[1_000]",
            "[\"a\"]",
            "['a'",
            "['\\'",
            "'",
            "[1,)",
            "",
            "]",
            "{'a': 'b' 'c'}",
            "[<object at 0x7f>]",
        ] {
            assert_eq!(PythonLiteral::of(text), None, "{text}");
        }
    }
}
