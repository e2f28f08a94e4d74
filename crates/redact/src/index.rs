//! A flat index of the strings in a JSON text: no tree, no recursion, one scan.

use std::borrow::Cow;
use std::ops::Range;
use tokenforge_json::{JsonToken, tokens, unescape};

/// Every letter of a name may be written as `\u0061`.
const LONGEST_NAME: usize = 6 * 64;

/// The strings of a JSON text in their order, and what they stand in.
pub(crate) struct StringIndex {
    pub(crate) strings: Vec<StringValue>,
    /// Every one comes after the one it stands in. The first is the document.
    pub(crate) containers: Vec<Container>,
}

/// A string, or the name of a member.
pub(crate) struct StringValue {
    /// What is between the quotes.
    pub(crate) span: Range<usize>,
    /// What it stands in.
    pub(crate) container: usize,
    /// The name of the member that it is the value of; empty in a list.
    key: Range<usize>,
    /// It is the name of a member itself.
    pub(crate) is_name: bool,
}

/// An object, or a list.
pub(crate) struct Container {
    pub(crate) parent: usize,
    /// The name of the member that it is, or is an element of.
    key: Range<usize>,
    /// What its `type` says: of several the last.
    kind: Option<Range<usize>>,
    /// What its `name` says, the same.
    label: Option<Range<usize>>,
    is_object: bool,
}

impl StringIndex {
    /// Indexes a text that is known to be JSON, or several documents one after the other.
    pub(crate) fn of(json: &str) -> Self {
        let document =
            Container { parent: 0, key: 0..0, kind: None, label: None, is_object: false };
        let mut index = StringIndex { strings: Vec::new(), containers: vec![document] };
        let (mut open, mut key) = (0, 0..0);
        for token in tokens(json) {
            match token {
                JsonToken::Name(span) => {
                    key = span.clone();
                    index.strings.push(StringValue {
                        span,
                        container: open,
                        key: 0..0,
                        is_name: true,
                    });
                }
                JsonToken::String(span) => index.add(json, open, span, key.clone()),
                JsonToken::OpenObject => open = index.open(open, &mut key, true),
                JsonToken::OpenArray => open = index.open(open, &mut key, false),
                JsonToken::Close => {
                    open = index.containers[open].parent;
                    key = 0..0;
                }
                JsonToken::Comma => key = 0..0,
                JsonToken::Scalar(_) => {}
            }
        }
        index
    }

    /// Begins a container in another one, and returns its place.
    fn open(&mut self, parent: usize, key: &mut Range<usize>, is_object: bool) -> usize {
        let own = std::mem::take(key);
        // What is in a list is what the list is.
        let key = if own.is_empty() { self.containers[parent].key.clone() } else { own };
        self.containers.push(Container { parent, key, kind: None, label: None, is_object });
        self.containers.len() - 1
    }

    fn add(&mut self, json: &str, open: usize, span: Range<usize>, key: Range<usize>) {
        match &*name(json, &key) {
            "type" => self.containers[open].kind = Some(span.clone()),
            "name" => self.containers[open].label = Some(span.clone()),
            _ => {}
        }
        self.strings.push(StringValue { span, container: open, key, is_name: false });
    }

    /// The name of the member that a string is the value of; in a list the name of the list.
    pub(crate) fn key<'j>(&self, json: &'j str, string: &StringValue) -> Cow<'j, str> {
        if string.key.is_empty() && !self.containers[string.container].is_object {
            self.containers[string.container].key(json)
        } else {
            name(json, &string.key)
        }
    }

    /// What a value is called: by its member, or by the `name` beside it, as in `{"name": "PASSWORD", "value": "..."}`.
    pub(crate) fn called<'j>(&self, json: &'j str, string: &StringValue) -> Cow<'j, str> {
        let label = self.containers[string.container].label.as_ref();
        match self.key(json, string) {
            key if key == "value" => label.map_or(key, |label| name(json, label)),
            key => key,
        }
    }
}

impl Container {
    pub(crate) fn key<'j>(&self, json: &'j str) -> Cow<'j, str> {
        name(json, &self.key)
    }

    pub(crate) fn kind<'j>(&self, json: &'j str) -> Cow<'j, str> {
        self.kind.as_ref().map(|kind| name(json, kind)).unwrap_or_default()
    }
}

/// A name as it reads. One that is longer than any that matters is as good as none: it may stand above a million strings,
/// and would be read for each.
fn name<'j>(json: &'j str, span: &Range<usize>) -> Cow<'j, str> {
    if span.len() > LONGEST_NAME {
        return Cow::Borrowed("");
    }
    let spelling = &json[span.clone()];
    unescape(spelling).unwrap_or(Cow::Borrowed(spelling))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_is_found_with_the_name_that_it_stands_under() {
        let json = r#"{"a":"1","type":"k","l":["2",{"b\"":"3"},[ "4" ]],"":"5","e":"","f" : "6"}"#;
        let index = StringIndex::of(json);
        let values = index.strings.iter().filter(|string| !string.is_name);
        let found: Vec<_> =
            values.map(|at| (index.key(json, at), &json[at.span.clone()])).collect();
        let found: Vec<_> = found.iter().map(|(key, text)| (&**key, *text)).collect();
        let expected = [
            ("a", "1"),
            ("type", "k"),
            ("l", "2"),
            ("b\"", "3"),
            ("l", "4"),
            ("", "5"),
            ("e", ""),
            ("f", "6"),
        ];
        assert_eq!(found, expected);
        assert_eq!(index.containers[1].kind(json), "k");
        assert_eq!(index.strings.iter().filter(|string| string.is_name).count(), 7);
    }
}
