//! Lazy lookup: a value inside a JSON text, looked into where it is asked for.

use super::{ValueKind, ValueSpan, Walker};
use crate::edit::{MemberPlace, cuts};
use crate::escape::unescape;
use crate::refusal::Refusal;
use std::borrow::Cow;
use std::ops::Range;

/// A value, and the text it stands in. Every look reads the value again, so it is for small texts or few looks.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    text: &'a str,
    value: ValueSpan,
}

impl<'a> Node<'a> {
    /// Reads a text that is one value.
    ///
    /// # Errors
    /// It is not JSON, or too deep.
    pub fn read(text: &'a str) -> Result<Self, Refusal> {
        let mut walker = Walker::over(text);
        let value = walker.value()?;
        walker.finish()?;
        Ok(Node { text, value })
    }

    /// A value that was read from this text before, so that it need not be read again.
    pub fn placed(text: &'a str, value: ValueSpan) -> Self {
        Node { text, value }
    }

    /// What it is.
    pub fn kind(&self) -> ValueKind {
        self.value.kind
    }

    /// Where it stands in its text.
    pub fn span(&self) -> Range<usize> {
        self.value.span.clone()
    }

    /// How it is written.
    pub fn raw(&self) -> &'a str {
        &self.text[self.span()]
    }

    /// What it says, if it is a string that a text can hold.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        unescape(self.spelling()?)
    }

    /// Whether it is this string.
    pub fn is(&self, text: &str) -> bool {
        self.text().is_some_and(|own| own == text)
    }

    /// What stands between the quotes, if it is a string.
    pub fn spelling(&self) -> Option<&'a str> {
        self.value.content().map(|content| &self.text[content])
    }

    /// Its number, if it is a whole one.
    pub fn number(&self) -> Option<u64> {
        self.raw().parse().ok()
    }

    /// The member of that name: the last one, as most readers take it.
    pub fn get(&self, name: &str) -> Option<Node<'a>> {
        let [found] = self.pick([name]);
        found
    }

    /// Several members at once.
    pub fn pick<const N: usize>(&self, names: [&str; N]) -> [Option<Node<'a>>; N] {
        let mut found = [const { None }; N];
        self.each_member(|key, node| {
            if let Some(place) = names.iter().position(|name| key == *name) {
                found[place] = Some(node);
            }
        });
        found
    }

    /// The member of a member, and so on.
    pub fn at<const N: usize>(&self, path: [&str; N]) -> Option<Node<'a>> {
        path.iter().try_fold(self.clone(), |node, name| node.get(name))
    }

    /// The members of an object, in order.
    pub fn members(&self) -> Vec<(Cow<'a, str>, Node<'a>)> {
        let mut members = Vec::new();
        self.each_member(|key, node| members.push((key, node)));
        members
    }

    /// The bytes to cut so that an object has no member of that name, with the commas that go with it.
    #[must_use]
    pub fn cuts(&self, name: &str) -> Vec<Range<usize>> {
        let mut members = Vec::new();
        let offset = self.value.span.start;
        // It was read before, so it is well formed.
        let _ = self.walker().object(|walker, key| {
            let end = walker.value()?.span.end;
            members.push(MemberPlace {
                start: offset + key.start,
                comma: key.comma.map(|comma| offset + comma),
                end: offset + end,
                is_cut: key.name == name,
            });
            Ok(())
        });
        cuts(&members)
    }

    /// The elements of an array, in order.
    pub fn elements(&self) -> Vec<Node<'a>> {
        let mut elements = Vec::new();
        // It was read before, so it is well formed.
        let _ = self.walker().array(|walker| {
            elements.push(self.inner(walker.value()?));
            Ok(())
        });
        elements
    }

    fn each_member(&self, mut each: impl FnMut(Cow<'a, str>, Node<'a>)) {
        // It was read before, so it is well formed.
        let _ = self.walker().object(|walker, key| {
            each(key.name, self.inner(walker.value()?));
            Ok(())
        });
    }

    fn walker(&self) -> Walker<'a> {
        Walker::over(self.raw())
    }

    /// A value that was read from this one alone.
    fn inner(&self, value: ValueSpan) -> Node<'a> {
        let start = self.value.span.start;
        let span = value.span.start + start..value.span.end + start;
        Node { text: self.text, value: ValueSpan { kind: value.kind, span } }
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
        assert_eq!(elements[2].get("c").unwrap().kind(), ValueKind::Null);
        assert_eq!(node.get("n").unwrap().number(), Some(12));
        let [n, x, a] = node.pick(["n", "x", "a"]);
        assert!(n.is_some_and(|n| n.raw() == "12") && x.is_none() && a.is_some());
        assert_eq!(node.members().len(), 2);
        assert!(node.at(["a", "x"]).is_none() && list.get("a").is_none());
        assert!(node.elements().is_empty());
    }

    #[test]
    fn a_member_is_cut_out_with_its_comma_wherever_it_stands() {
        let cases = [
            (r#"{"a":1, "x": [2],"b":3}"#, r#"{"a":1,"b":3}"#),
            (r#"{ "x":1, "b":3}"#, r#"{ "b":3}"#),
            (r#"{"b":3 , "x":1 }"#, r#"{"b":3  }"#),
            (r#"{"x":1}"#, "{}"),
            (r#"{"x":1,"x":2,"b":{"x":3},"\u0078":4}"#, r#"{"b":{"x":3}}"#),
            (r#"{"x":1,"x":2}"#, "{}"),
            (r#"{"b":1}"#, r#"{"b":1}"#),
        ];
        for (text, expected) in cases {
            let within = format!("[0, {text}]");
            let cuts = Node::read(&within).unwrap().elements()[1].cuts("x");
            let splices: Vec<_> =
                cuts.into_iter().map(|range| crate::Splice { range, with: "".into() }).collect();
            let cut = crate::splice(within.as_bytes(), &splices).unwrap();
            assert_eq!(cut, format!("[0, {expected}]").into_bytes(), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        assert!(Node::read("{} {}").is_err());
        assert!(Node::read("{\"a\":").is_err());
        assert!(Node::read("").is_err());
    }
}
