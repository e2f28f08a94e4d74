//! A value inside a JSON text, looked into where it is asked for.

use super::text::unescape;
use super::{Kind, Reader, Value};
use crate::refusal::Refusal;
use std::borrow::Cow;
use std::ops::Range;

/// A value, and the text it stands in. Every look reads the value again, so it is for small texts or few looks.
#[derive(Debug, Clone)]
pub(crate) struct Node<'a> {
    text: &'a str,
    value: Value,
}

impl<'a> Node<'a> {
    /// Reads a text that is one value.
    pub(crate) fn read(text: &'a str) -> Result<Self, Refusal> {
        let mut reader = Reader::over(text);
        let value = reader.value()?;
        reader.finish()?;
        Ok(Node { text, value })
    }

    pub(crate) fn kind(&self) -> Kind {
        self.value.kind
    }

    /// Where it stands in its text.
    pub(crate) fn span(&self) -> Range<usize> {
        self.value.span.clone()
    }

    /// How it is written.
    pub(crate) fn raw(&self) -> &'a str {
        &self.text[self.span()]
    }

    /// What it says, if it is a string that a text can hold.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        unescape(self.spelling()?)
    }

    /// Whether it is this string.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text().is_some_and(|own| own == text)
    }

    /// What stands between the quotes, if it is a string.
    pub(crate) fn spelling(&self) -> Option<&'a str> {
        self.value.content().map(|content| &self.text[content])
    }

    /// Its number, if it is a whole one.
    pub(crate) fn number(&self) -> Option<u64> {
        self.raw().parse().ok()
    }

    /// The member of that name: the last one, as most readers take it.
    pub(crate) fn get(&self, name: &str) -> Option<Node<'a>> {
        let [found] = self.pick([name]);
        found
    }

    /// Several members at once.
    pub(crate) fn pick<const N: usize>(&self, names: [&str; N]) -> [Option<Node<'a>>; N] {
        let mut found = [const { None }; N];
        self.each_member(|key, node| {
            if let Some(place) = names.iter().position(|name| key == *name) {
                found[place] = Some(node);
            }
        });
        found
    }

    /// The member of a member, and so on.
    pub(crate) fn at<const N: usize>(&self, path: [&str; N]) -> Option<Node<'a>> {
        path.iter().try_fold(self.clone(), |node, name| node.get(name))
    }

    /// The members of an object, in order.
    pub(crate) fn members(&self) -> Vec<(Cow<'a, str>, Node<'a>)> {
        let mut members = Vec::new();
        self.each_member(|key, node| members.push((key, node)));
        members
    }

    /// The elements of an array, in order.
    pub(crate) fn elements(&self) -> Vec<Node<'a>> {
        let mut elements = Vec::new();
        // It was read before, so it is well formed.
        let _ = self.reader().array(|reader| {
            elements.push(self.inner(reader.value()?));
            Ok(())
        });
        elements
    }

    fn each_member(&self, mut each: impl FnMut(Cow<'a, str>, Node<'a>)) {
        // It was read before, so it is well formed.
        let _ = self.reader().object(|reader, key| {
            each(key.name, self.inner(reader.value()?));
            Ok(())
        });
    }

    fn reader(&self) -> Reader<'a> {
        Reader::over(self.raw())
    }

    /// A value that was read from this one alone.
    fn inner(&self, value: Value) -> Node<'a> {
        let start = self.value.span.start;
        let span = value.span.start + start..value.span.end + start;
        Node { text: self.text, value: Value { kind: value.kind, span } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_finds_what_it_is_asked_for_and_knows_where_it_stands() {
        let text = r#" {"a": {"b": [1, "x\n", {"c": null}]}, "n": 12} "#;
        let node = Node::read(text).unwrap();
        let list = node.at(["a", "b"]).unwrap();
        let elements = list.elements();
        assert_eq!(elements.len(), 3);
        assert_eq!(elements[1].text().as_deref(), Some("x\n"));
        assert!(elements[1].is("x\n"));
        assert_eq!(&text[elements[2].span()], r#"{"c": null}"#);
        assert_eq!(elements[2].get("c").unwrap().kind(), Kind::Null);
        assert_eq!(node.get("n").unwrap().number(), Some(12));
        let [n, x, a] = node.pick(["n", "x", "a"]);
        assert!(n.is_some_and(|n| n.raw() == "12") && x.is_none() && a.is_some());
        assert_eq!(node.members().len(), 2);
        assert!(node.at(["a", "x"]).is_none() && list.get("a").is_none());
        assert!(node.elements().is_empty());
    }

    #[test]
    fn what_is_not_json_is_refused() {
        assert!(Node::read("{} {}").is_err());
        assert!(Node::read("{\"a\":").is_err());
        assert!(Node::read("").is_err());
    }
}
