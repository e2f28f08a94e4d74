//! Changing a few values of a JSON text: all its other bytes stay.

use crate::json::Node;
use crate::json::text::escape_into;
use crate::splice::{Splice, splice};
use std::borrow::Cow;

/// A JSON text, and what shall change in it. Nodes must come from the same text.
pub(crate) struct Edit<'a> {
    json: &'a str,
    splices: Vec<Splice<'a>>,
}

impl<'a> Edit<'a> {
    pub(crate) fn new(json: &'a str) -> Self {
        Edit { json, splices: Vec::new() }
    }

    /// Writes other JSON where a value stands.
    pub(crate) fn replace(&mut self, node: &Node<'_>, with: impl Into<Cow<'a, str>>) {
        self.splices.push(Splice { range: node.span(), with: with.into() });
    }

    /// Gives a member of an object another value; appends the member if there is none of that name.
    pub(crate) fn set(&mut self, object: &Node<'_>, name: &str, with: impl Into<Cow<'a, str>>) {
        match object.get(name) {
            Some(member) => self.replace(&member, with),
            None => self.insert(object, name, &with.into()),
        }
    }

    /// Writes a list anew from elements: what an element says is not touched.
    pub(crate) fn relist<T: AsRef<str>>(
        &mut self,
        list: &Node<'_>,
        elements: impl IntoIterator<Item = T>,
    ) {
        self.replace(list, format!("[{}]", joined(elements)));
    }

    /// Takes a member out of an object, with its comma.
    pub(crate) fn cut(&mut self, object: &Node<'_>, name: &str) {
        let members = object.members();
        let Some(at) = members.iter().position(|(key, _)| key == name) else { return };
        let mut range = object.span().start + 1..members[at].1.span().end;
        match at.checked_sub(1) {
            Some(before) => range.start = members[before].1.span().end,
            None => {
                let rest = &self.json[range.end..];
                let is_last = !rest.trim_ascii_start().starts_with(',');
                range.end += if is_last { 0 } else { rest.find(',').map_or(0, |comma| comma + 1) };
            }
        }
        self.splices.push(Splice { range, with: Cow::Borrowed("") });
    }

    /// How a value is written after changes inside it.
    pub(crate) fn within(
        node: &Node<'a>,
        change: impl FnOnce(&Node<'a>, &mut Edit<'a>),
    ) -> Cow<'a, str> {
        let mut edit = Edit::new(node.raw());
        // It was read before, so it is well formed.
        if let Ok(node) = Node::read(node.raw()) {
            change(&node, &mut edit);
        }
        edit.done()
    }

    /// The text with its changes.
    pub(crate) fn done(self) -> Cow<'a, str> {
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
        let is_cut = |node: &Node<'_>| {
            let at = node.span().start;
            self.splices.iter().any(|splice| splice.with.is_empty() && splice.range.contains(&at))
        };
        let is_first = object.members().iter().all(|(_, node)| is_cut(node))
            && self.splices.iter().all(|splice| splice.range != (end..end));
        let comma = if is_first { "" } else { "," };
        let with = format!("{comma}{}:{value}", quoted(name));
        self.splices.push(Splice { range: end..end, with: Cow::Owned(with) });
    }
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    escape_into(text, &mut string);
    string.push('"');
    string
}

/// Elements with commas between them.
pub(crate) fn joined<T: AsRef<str>>(elements: impl IntoIterator<Item = T>) -> String {
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
    fn a_member_is_cut_with_its_comma() {
        for (json, cut) in [
            (r#"{"x":[1, 2]}"#, "{}"),
            (r#"{"x":1 , "a":2}"#, r#"{ "a":2}"#),
            (r#"{"a":2, "x" : 1 }"#, r#"{"a":2 }"#),
            (r#"{"a":2,"x":1,"b":3}"#, r#"{"a":2,"b":3}"#),
            (r#"{"a":2}"#, r#"{"a":2}"#),
        ] {
            let node = Node::read(json).unwrap();
            let mut edit = Edit::new(json);
            edit.cut(&node, "x");
            assert_eq!(edit.done(), cut);
        }
        let json = r#"{"x":1}"#;
        let mut edit = Edit::new(json);
        edit.cut(&Node::read(json).unwrap(), "x");
        edit.set(&Node::read(json).unwrap(), "y", "2");
        assert_eq!(edit.done(), r#"{"y":2}"#);
    }

    #[test]
    fn without_changes_it_is_the_same_text() {
        assert!(matches!(Edit::new("{ }").done(), Cow::Borrowed("{ }")));
    }
}
