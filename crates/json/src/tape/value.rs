//! Looking into a JSON text: values as places in it, so that a caller can change one string and nothing else.

use super::{Json, LexemeKind};
use crate::escape::unescape;
use std::borrow::Cow;
use std::iter;

/// A key or a value inside a [`Json`].
///
/// ```
/// use tokenforge_json::Json;
///
/// let json = Json::parse(r#"{"name": "caf\u00e9", "tags": [1.50]}"#)?;
/// let members: Vec<_> = json.root().members().collect();
/// let (name, value) = members[0];
/// assert_eq!(name.string().as_deref(), Some("name"));
/// assert_eq!(value.string().as_deref(), Some("café"));
/// assert_eq!((value.offset(), value.lexeme()), (9, Some(r#""caf\u00e9""#)));
/// assert_eq!(members[1].1.elements().next().and_then(|number| number.lexeme()), Some("1.50"));
/// # Ok::<(), tokenforge_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TapeValue<'j, 'a> {
    json: &'j Json<'a>,
    at: usize,
}

impl<'a> Json<'a> {
    /// The value that the text is.
    pub fn root(&self) -> TapeValue<'_, 'a> {
        self.value(0)
    }

    /// The value at a tape index.
    pub fn value(&self, at: usize) -> TapeValue<'_, 'a> {
        TapeValue { json: self, at }
    }
}

impl<'j, 'a> TapeValue<'j, 'a> {
    /// Is this an object?
    pub fn is_object(self) -> bool {
        self.json.node(self.at).kind == LexemeKind::Object
    }

    /// Is this an array?
    pub fn is_array(self) -> bool {
        self.json.node(self.at).kind == LexemeKind::Array
    }

    /// The keys and values of an object, in the order of the text. Anything else has none.
    pub fn members(self) -> impl Iterator<Item = (Self, Self)> + use<'j, 'a> {
        let count = if self.is_object() { self.json.count(self.at) } else { 0 };
        let mut next = self.at + 1;
        iter::repeat_with(move || {
            let (key, value) = (next, next + 1);
            next = self.json.next(value);
            (Self { at: key, ..self }, Self { at: value, ..self })
        })
        .take(count)
    }

    /// The elements of an array, in the order of the text. Anything else has none.
    pub fn elements(self) -> impl Iterator<Item = Self> + use<'j, 'a> {
        let count = if self.is_array() { self.json.count(self.at) } else { 0 };
        let mut next = self.at + 1;
        iter::repeat_with(move || {
            let element = Self { at: next, ..self };
            next = self.json.next(next);
            element
        })
        .take(count)
    }

    /// Where this starts, in bytes from the start of the text.
    pub fn offset(self) -> usize {
        self.json.offset(self.at)
    }

    /// A scalar or key as it is written, strings with their quotes. A container has none.
    pub fn lexeme(self) -> Option<&'a str> {
        (!self.json.node(self.at).kind.is_container()).then(|| self.json.raw(self.at))
    }

    /// The text as it is written, a container's with the white space inside.
    pub fn text(self) -> &'a str {
        if let Some(lexeme) = self.lexeme() {
            return lexeme;
        }
        // Where a container ends is not on the tape: some brackets behind its last descendant, which may be itself.
        let (json, behind) = (self.json, self.json.next(self.at));
        let ends_here = |at: &usize| json.node(*at).kind.is_container() && json.next(*at) == behind;
        let brackets = (self.at..behind).filter(ends_here).count();
        let last = Self { at: behind - 1, ..self };
        let mut end = last.offset() + last.lexeme().map_or(1, str::len);
        for _ in 0..brackets {
            end += json.text[end..].find(['}', ']']).map_or(0, |bracket| bracket + 1);
        }
        &json.text[self.offset()..end]
    }

    /// What a string or key says. Anything else says nothing, and neither does half of a surrogate pair.
    pub fn string(self) -> Option<Cow<'a, str>> {
        let node = self.json.node(self.at);
        if !matches!(node.kind, LexemeKind::String | LexemeKind::Key) {
            return None;
        }
        let text = self.json.unquoted(self.at);
        if node.content.has_escape() { unescape(text) } else { Some(Cow::Borrowed(text)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rebuilds the minified text out of the values.
    fn rebuild(value: TapeValue<'_, '_>) -> String {
        if let Some(lexeme) = value.lexeme() {
            return lexeme.to_owned();
        }
        let members = value
            .members()
            .map(|(key, value)| format!("{}:{}", key.lexeme().unwrap(), rebuild(value)));
        let elements = value.elements().map(rebuild);
        if value.is_object() {
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        } else {
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
    }

    #[test]
    fn every_value_can_be_reached() {
        let text =
            r#" {"a":[], "b" : {"c": [1, [true], {"d":null}], "":"\n"}, "e": {}, "e": -0.0} "#;
        let json = Json::parse(text).unwrap();
        assert_eq!(rebuild(json.root()), json.minify());
        for (key, _) in json.root().members() {
            assert!(text[key.offset()..].starts_with(key.lexeme().unwrap()));
        }
    }

    /// The value and all that is in it.
    fn all<'j, 'a>(value: TapeValue<'j, 'a>) -> Vec<TapeValue<'j, 'a>> {
        let inner = value.members().map(|(_, value)| value).chain(value.elements());
        std::iter::once(value).chain(inner.flat_map(all)).collect()
    }

    #[test]
    fn the_text_of_every_value_is_that_value() {
        let text = r#" [ { } , [ ] , {"a": [ 1 , [ "]}" ] ] , "b" : [ { "c" : {} } ] } , "x" ] "#;
        let json = Json::parse(text).unwrap();
        for value in all(json.root()) {
            let alone = Json::parse(value.text()).unwrap();
            assert_eq!(alone.minify(), rebuild(value));
            assert_eq!(value.text(), value.text().trim());
        }
        assert_eq!(json.root().text(), text.trim());
    }

    #[test]
    fn a_scalar_has_neither_members_nor_elements() {
        let json = Json::parse("\"x\"").unwrap();
        assert_eq!((json.root().members().count(), json.root().elements().count()), (0, 0));
        let json = Json::parse("[1]").unwrap();
        assert_eq!((json.root().members().count(), json.root().string()), (0, None));
    }

    #[test]
    fn half_of_a_surrogate_pair_says_nothing() {
        assert_eq!(Json::parse(r#""\ud800""#).unwrap().root().string(), None);
    }
}
