//! A path into JSON, as a person or a model writes it: `items[3].name`.

mod path_syntax;

use super::SelectionError;
use crate::stages::json;
use crate::wrapper;
use std::borrow::Cow;
use tokenforge_formats::{Json, TapeValue};

/// Of what is there instead, so many names are told.
const MAX_NAMES: usize = 20;
/// Of a name, so many bytes are told.
const MAX_NAME: usize = 60;

/// Which values of a JSON text are wanted.
///
/// Members are written `.name` or `["odd name"]`, elements `[3]`, `[2-5]`, `[2-]` or `[*]`, counted from 0. A `$` or `.`
/// before it all is the root, and may be left out.
///
/// ```
/// use tokenforge_engine::expansion::JsonPath;
///
/// let path: JsonPath = r#"$.items[2-5]["odd name"]"#.parse()?;
/// assert_eq!(path.to_string(), r#"items[2-5]["odd name"]"#);
/// assert!("items[three]".parse::<JsonPath>().is_err());
/// # Ok::<(), tokenforge_engine::expansion::SelectionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath {
    steps: Vec<PathStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    /// The member of this name; all of them where an object has it twice.
    Member(String),
    /// The elements from one to another, both included.
    Elements { first: usize, last: usize },
}

impl JsonPath {
    /// What an original has at this path: one value as it stands, several on a line each.
    ///
    /// JSON that a client wrapped is looked into first, since that is what the model saw; then the whole text.
    pub(super) fn find(&self, original: &str) -> Result<String, SelectionError> {
        let parts = wrapper::unwrap(original);
        let mut missing = SelectionError::NotJson;
        for text in parts.payloads().chain([original]) {
            let Ok(json) = Json::parse(text) else { continue };
            match self.values(json.root()) {
                Ok(values) => return Ok(describe_values(&values)),
                Err(error) if missing == SelectionError::NotJson => missing = error,
                Err(_) => {}
            }
        }
        Err(missing)
    }

    fn values<'j, 'a>(
        &self,
        root: TapeValue<'j, 'a>,
    ) -> Result<Vec<TapeValue<'j, 'a>>, SelectionError> {
        let mut values = vec![root];
        for (at, step) in self.steps.iter().enumerate() {
            let found: Vec<_> = values.iter().flat_map(|value| step.of(*value)).collect();
            if found.is_empty() {
                return Err(SelectionError::NotThere {
                    wanted: step.in_words(),
                    at: path_syntax::path(&self.steps[..at]),
                    instead: values.first().map_or_else(String::new, |value| contents(*value)),
                });
            }
            values = found;
        }
        Ok(values)
    }
}

impl PathStep {
    fn in_words(&self) -> String {
        match self {
            PathStep::Member(_) => format!("member `{self}`"),
            PathStep::Elements { .. } => format!("element `{self}`"),
        }
    }

    /// What a value has there.
    fn of<'j, 'a>(&self, value: TapeValue<'j, 'a>) -> Vec<TapeValue<'j, 'a>> {
        match self {
            PathStep::Member(name) => value
                .members()
                .filter(|(key, _)| key.string().as_deref() == Some(name))
                .map(|(_, value)| value)
                .collect(),
            PathStep::Elements { first, last } => {
                value.elements().skip(*first).take((last - first).saturating_add(1)).collect()
            }
        }
    }
}

fn describe_values(values: &[TapeValue<'_, '_>]) -> String {
    match values {
        [value] => value.text().to_owned(),
        _ => values.iter().map(|value| one_line(value.text()) + "\n").collect(),
    }
}

/// A value without the line ends that it was laid out with; inside strings there are none.
fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) { json::minify(text) } else { text.into() }
}

/// What can be asked of a value, in words.
fn contents(value: TapeValue<'_, '_>) -> String {
    if value.is_array() {
        return format!("there are {} elements", value.elements().count());
    }
    if !value.is_object() {
        return "there is a plain value".to_owned();
    }
    let names: Vec<String> = value
        .members()
        .take(MAX_NAMES)
        .filter_map(|(name, _)| name.string())
        .map(|name| path_syntax::shorten(&name, MAX_NAME))
        .collect();
    match value.members().count() {
        0 => "there is an empty object".to_owned(),
        count if count > MAX_NAMES => {
            format!("there are: {}, and {} more", names.join(", "), count - MAX_NAMES)
        }
        _ => format!("there are: {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"items": [
  {"id": 1, "name": "one", "odd name": {"x": 1.50, "y": []}},
  {"id": 2, "name": "tw\u006f"},
  {"id": 3}
], "items.count": 3, "n": null, "n": 0}"#;

    fn find_in(text: &str, path: &str) -> Result<String, String> {
        let path: JsonPath = path.parse().map_err(|error: SelectionError| error.to_string())?;
        path.find(text).map_err(|error| error.to_string())
    }

    fn find(path: &str) -> Result<String, String> {
        find_in(TEXT, path)
    }

    #[test]
    fn a_value_comes_as_it_is_written() {
        assert_eq!(find("items[1].name").unwrap(), r#""tw\u006f""#);
        assert_eq!(find(r#"items[0]["odd name"]"#).unwrap(), r#"{"x": 1.50, "y": []}"#);
        assert_eq!(find("$.items[0]['odd name'].x").unwrap(), "1.50");
        assert_eq!(find(r#".["items.count"]"#).unwrap(), "3");
        assert_eq!(find("$").unwrap(), TEXT);
    }

    #[test]
    fn several_values_have_a_line_each() {
        assert_eq!(find("items[*].id").unwrap(), "1\n2\n3\n");
        assert_eq!(find("items[1-].id").unwrap(), "2\n3\n");
        assert_eq!(find("items[0-1].name").unwrap(), "\"one\"\n\"tw\\u006f\"\n");
        assert_eq!(find("n").unwrap(), "null\n0\n");
        let laid_out = "[{\n  \"a\": 1\n},\n{\"a\":  2}]";
        assert_eq!(find_in(laid_out, "[*]").unwrap(), "{\"a\":1}\n{\"a\":  2}\n");
    }

    #[test]
    fn values_without_the_member_are_passed_over() {
        assert_eq!(find("items[*].name").unwrap(), "\"one\"\n\"tw\\u006f\"\n");
    }

    #[test]
    fn what_a_client_wrapped_is_looked_into() {
        let inner = serde_json::to_string(TEXT).unwrap();
        let wrapped = format!("{{\"output\":{inner},\"metadata\":{{\"exit_code\":0}}}}");
        assert_eq!(find_in(&wrapped, "items[2].id").unwrap(), "3");
        assert_eq!(find_in(&wrapped, "metadata.exit_code").unwrap(), "0");
        let headed = format!("Wall time: 0.1 seconds\nOutput:\n{TEXT}");
        assert_eq!(find_in(&headed, "items[2].id").unwrap(), "3");
    }

    #[test]
    fn what_is_not_there_is_answered_with_what_is() {
        let error = |path: &str| find(path).unwrap_err();
        assert_eq!(
            error("items[0].title"),
            "no member `title` at `items[0]`; there are: id, name, odd name"
        );
        assert_eq!(error("items[7]"), "no element `[7]` at `items`; there are 3 elements");
        assert_eq!(error("items.name"), "no member `name` at `items`; there are 3 elements");
        assert_eq!(error("item"), "no member `item` at `$`; there are: items, items.count, n, n");
        assert_eq!(error("n[0]"), "no element `[0]` at `n`; there is a plain value");
        let not_json = "the original is not JSON; ask for lines or grep instead of path";
        assert_eq!(find_in("plain text", "a").unwrap_err(), not_json);
    }

    #[test]
    fn an_answer_about_what_is_there_is_bounded() {
        let members = (0..5000).map(|n| format!("\"{n}{}\":0", "é".repeat(500)));
        let text = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        let error = find_in(&text, "x").unwrap_err();
        assert!(error.len() < 2000 && error.ends_with(", and 4980 more"), "{error}");
    }

    #[test]
    fn a_deep_text_and_a_deep_path_are_no_trouble() {
        let text = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        assert_eq!(find_in(&text, &"[0]".repeat(500)).unwrap(), "1");
        assert!(find_in(&text, &"[0]".repeat(501)).is_err());
        assert!(find_in(&"[".repeat(100_000), "[0]").is_err());
    }
}
