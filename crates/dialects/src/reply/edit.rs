//! Changing a few values of a JSON text: all its other bytes stay.

use crate::json::Node;
use crate::json::text::escape_into;
use crate::splice::{Splice, splice};
use std::borrow::Cow;

/// A JSON text, and what shall change in it. Nodes must come from the same text.
pub(super) struct Edit<'a> {
    json: &'a str,
    splices: Vec<Splice<'a>>,
}

impl<'a> Edit<'a> {
    pub(super) fn new(json: &'a str) -> Self {
        Edit { json, splices: Vec::new() }
    }

    /// Writes other JSON where a value stands.
    pub(super) fn replace(&mut self, node: &Node<'_>, with: impl Into<Cow<'a, str>>) {
        self.splices.push(Splice { range: node.span(), with: with.into() });
    }

    /// Gives a member of an object another value; appends the member if there is none of that name.
    pub(super) fn set(&mut self, object: &Node<'_>, name: &str, with: impl Into<Cow<'a, str>>) {
        match object.get(name) {
            Some(member) => self.replace(&member, with),
            None => self.insert(object, name, &with.into()),
        }
    }

    /// Writes a list anew from elements: what an element says is not touched.
    pub(super) fn relist<T: AsRef<str>>(
        &mut self,
        list: &Node<'_>,
        elements: impl IntoIterator<Item = T>,
    ) {
        self.replace(list, format!("[{}]", joined(elements)));
    }

    /// The text with its changes.
    pub(super) fn done(self) -> Cow<'a, str> {
        if self.splices.is_empty() {
            return Cow::Borrowed(self.json);
        }
        // Splices overlap only if one value was changed twice; then the text stays as it was.
        let edited = splice(self.json.as_bytes(), &self.splices);
        edited
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map_or(Cow::Borrowed(self.json), Cow::Owned)
    }

    fn insert(&mut self, object: &Node<'_>, name: &str, value: &str) {
        let end = object.span().end - 1;
        let is_first = object.members().is_empty()
            && self.splices.iter().all(|splice| splice.range != (end..end));
        let comma = if is_first { "" } else { "," };
        let with = format!("{comma}{}:{value}", quoted(name));
        self.splices.push(Splice { range: end..end, with: Cow::Owned(with) });
    }
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    escape_into(text, &mut string);
    string.push('"');
    string
}

/// Elements with commas between them.
pub(super) fn joined<T: AsRef<str>>(elements: impl IntoIterator<Item = T>) -> String {
    let mut list = String::new();
    for element in elements {
        if !list.is_empty() {
            list.push(',');
        }
        list.push_str(element.as_ref());
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l1_only_what_is_set_changes() {
        let json = r#"{"index" : 3, "delta":{}, "list":[ 1 , {"a":2} ]}"#;
        let node = Node::read(json).unwrap();
        let mut edit = Edit::new(json);
        edit.set(&node, "index", "0");
        edit.set(&node, "new", quoted("a\"b"));
        let delta = node.get("delta").unwrap();
        edit.set(&delta, "x", "1");
        edit.set(&delta, "y", "2");
        let list = node.get("list").unwrap();
        edit.relist(&list, list.elements().iter().skip(1).map(Node::raw));
        assert_eq!(
            edit.done(),
            r#"{"index" : 0, "delta":{"x":1,"y":2}, "list":[{"a":2}],"new":"a\"b"}"#
        );
    }

    #[test]
    fn without_changes_it_is_the_same_text() {
        assert!(matches!(Edit::new("{ }").done(), Cow::Borrowed("{ }")));
    }
}
