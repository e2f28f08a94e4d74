//! The editor: changing a few values of a JSON text, while all its other bytes stay.

use crate::Node;
use crate::escape::quote;
use crate::splice::{Splice, splice};
use std::borrow::Cow;
use std::ops::Range;

/// A JSON text, and what shall change in it. Nodes must come from the same text.
#[derive(Debug)]
pub struct Edit<'a> {
    text: &'a str,
    splices: Vec<Splice<'a>>,
}

impl<'a> Edit<'a> {
    /// Nothing is changed yet.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Edit { text, splices: Vec::new() }
    }

    /// The text as it was.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// What is changed, for a text that is edited in several steps.
    #[must_use]
    pub fn into_splices(self) -> Vec<Splice<'a>> {
        self.splices
    }

    /// Adds changes that were made to the same text elsewhere.
    pub fn extend(&mut self, splices: impl IntoIterator<Item = Splice<'a>>) {
        self.splices.extend(splices);
    }

    /// Writes something else over these bytes.
    pub fn splice(&mut self, range: Range<usize>, with: impl Into<Cow<'a, str>>) {
        self.splices.push(Splice { range, with: with.into() });
    }

    /// Writes other JSON where a value stands.
    pub fn replace(&mut self, node: &Node<'_>, with: impl Into<Cow<'a, str>>) {
        self.splice(node.span(), with);
    }

    /// Gives a member of an object another value; appends the member if there is none of that name.
    pub fn set(&mut self, object: &Node<'_>, name: &str, with: impl Into<Cow<'a, str>>) {
        match object.get(name) {
            Some(member) => self.replace(&member, with),
            None => self.append_member(object, name, &with.into()),
        }
    }

    /// Like [`set`](Self::set), with a new member in front of the others.
    pub fn set_in_front(&mut self, object: &Node<'_>, name: &str, with: impl Into<Cow<'a, str>>) {
        match object.get(name) {
            Some(member) => self.replace(&member, with),
            None => self.prepend(object, &format!("{}:{}", quote(name), with.into())),
        }
    }

    /// Writes members in front of those of an object, which has none of their names.
    pub fn prepend(&mut self, object: &Node<'_>, members: &str) {
        let start = object.span().start + 1;
        let comma = if self.leaves_members(object) { "," } else { "" };
        self.splice(start..start, format!("{members}{comma}"));
    }

    /// Writes a further element at the end of an array.
    pub fn append(&mut self, array: &Node<'_>, element: &str) {
        let end = array.span().end - 1;
        let comma = if array.elements().is_empty() { "" } else { "," };
        self.splice(end..end, format!("{comma}{element}"));
    }

    /// Writes a list anew from elements: what an element says is not touched.
    pub fn relist<T: AsRef<str>>(
        &mut self,
        list: &Node<'_>,
        elements: impl IntoIterator<Item = T>,
    ) {
        self.replace(list, format!("[{}]", join(elements)));
    }

    /// Takes the members of that name out of an object, each with a comma.
    pub fn cut(&mut self, object: &Node<'_>, name: &str) {
        object.cuts(name).into_iter().for_each(|range| self.splice(range, ""));
    }

    /// How a value is written after changes inside it.
    pub fn within(node: &Node<'a>, change: impl FnOnce(&Node<'a>, &mut Edit<'a>)) -> Cow<'a, str> {
        let mut edit = Edit::new(node.raw());
        // It was read before, so it is well formed.
        if let Ok(node) = Node::read(node.raw()) {
            change(&node, &mut edit);
        }
        edit.done()
    }

    /// The text with its changes.
    #[must_use]
    pub fn done(self) -> Cow<'a, str> {
        if self.splices.is_empty() {
            return Cow::Borrowed(self.text);
        }
        // Splices overlap only if one value was changed twice; then the text stays as it was.
        let edited = splice(self.text.as_bytes(), &self.splices);
        edited
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .map_or(Cow::Borrowed(self.text), Cow::Owned)
    }

    fn append_member(&mut self, object: &Node<'_>, name: &str, value: &str) {
        let end = object.span().end - 1;
        let follows = self.leaves_members(object)
            || self.splices.iter().any(|splice| splice.range == (end..end));
        let comma = if follows { "," } else { "" };
        self.splice(end..end, format!("{comma}{}:{value}", quote(name)));
    }

    /// Whether an object has members that are not cut.
    fn leaves_members(&self, object: &Node<'_>) -> bool {
        let is_cut = |node: &Node<'_>| {
            let at = node.span().start;
            self.splices.iter().any(|splice| splice.with.is_empty() && splice.range.contains(&at))
        };
        !object.members().iter().all(|(_, node)| is_cut(node))
    }
}

/// Where a member of an object stands, and whether it shall go.
#[derive(Debug, Clone, Copy)]
pub struct MemberPlace {
    /// The opening quote of its name.
    pub start: usize,
    /// The comma before it.
    pub comma: Option<usize>,
    /// Behind its value. Asked only of members that go.
    pub end: usize,
    /// Shall it go?
    pub is_cut: bool,
}

/// The bytes to cut so that members go and what is left is an object: each takes the comma before it along, or, where none
/// before it is left, all up to the next member.
#[must_use]
pub fn cuts(members: &[MemberPlace]) -> Vec<Range<usize>> {
    let mut leaves_one = false;
    let mut cuts = Vec::new();
    for (index, member) in members.iter().enumerate() {
        match (member.is_cut, member.comma) {
            (false, _) => leaves_one = true,
            (true, Some(comma)) if leaves_one => cuts.push(comma..member.end),
            (true, _) => {
                let next = members.get(index + 1).map_or(member.end, |next| next.start);
                cuts.push(member.start..next);
            }
        }
    }
    cuts
}

/// Elements with commas between them.
pub fn join<T: AsRef<str>>(elements: impl IntoIterator<Item = T>) -> String {
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
        edit.set(&node, "new", quote("a\"b"));
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
            (r#"{"x":1 , "a":2}"#, r#"{"a":2}"#),
            (r#"{"x":1,"a":2,"x":3}"#, r#"{"a":2}"#),
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

    #[test]
    fn what_is_not_named_stays_as_it_is_written() {
        let text = r#"{ "a" : 1.0e2, "l": [ ], "o":{"x":[1 ]}, "gone":1 }"#;
        let root = Node::read(text).unwrap();
        let mut edit = Edit::new(text);
        edit.set_in_front(&root, "a", "2");
        edit.append(&root.get("l").unwrap(), "3");
        edit.set_in_front(&root.get("o").unwrap(), "y", "4");
        edit.cut(&root, "gone");
        edit.set_in_front(&root, "new", "{}");
        let expected = r#"{"new":{}, "a" : 2, "l": [ 3], "o":{"y":4,"x":[1 ]} }"#;
        assert_eq!(edit.done(), expected);
    }
}
