//! Changes to a JSON text that leave everything else in it as it is.

use tokenforge_json::{Node, Splice, quote, splice};

/// Changes to one text, made together.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    splices: Vec<Splice<'static>>,
}

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// Another value in the place of this one.
    pub(crate) fn replace(&mut self, node: &Node<'_>, with: impl Into<String>) {
        self.splices.push(Splice { range: node.span(), with: with.into().into() });
    }

    /// Another text in the place of this string.
    pub(crate) fn rename(&mut self, node: &Node<'_>, text: &str) {
        self.replace(node, quote(text));
    }

    /// A further member at the start of an object, which may not have one of that name.
    pub(crate) fn add(&mut self, object: &Node<'_>, name: &str, value: &str) {
        let start = object.span().start + 1;
        let comma = if object.members().is_empty() { "" } else { "," };
        let with = format!("{}:{value}{comma}", quote(name)).into();
        self.splices.push(Splice { range: start..start, with });
    }

    /// Members, as they are written, at the start of an object that has some already.
    pub(crate) fn insert(&mut self, object: &Node<'_>, members: &str) {
        let start = object.span().start + 1;
        self.splices.push(Splice { range: start..start, with: format!("{members},").into() });
    }

    /// A member with this value, whether there was one of that name or not.
    pub(crate) fn set(&mut self, object: &Node<'_>, name: &str, value: &str) {
        match object.get(name) {
            Some(old) => self.replace(&old, value),
            None => self.add(object, name, value),
        }
    }

    /// A further element at the end of an array.
    pub(crate) fn append(&mut self, array: &Node<'_>, value: &str) {
        let end = array.span().end - 1;
        let comma = if array.elements().is_empty() { "" } else { "," };
        self.splices.push(Splice { range: end..end, with: format!("{comma}{value}").into() });
    }

    /// No member of that name.
    pub(crate) fn remove(&mut self, object: &Node<'_>, name: &str) {
        let cuts = object.cuts(name).into_iter();
        self.splices.extend(cuts.map(|range| Splice { range, with: "".into() }));
    }

    /// The text with the changes; as it is if they are not about it.
    pub(crate) fn applied(&self, text: &str) -> String {
        let edited = splice(text.as_bytes(), &self.splices);
        edited.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_stays_as_it_is_written() {
        let text = r#"{ "a" : 1.0e2, "l": [ ], "o":{"x":[1 ]}, "gone":1 }"#;
        let root = Node::read(text).unwrap();
        let mut edits = Edits::default();
        edits.set(&root, "a", "2");
        edits.append(&root.get("l").unwrap(), "3");
        edits.add(&root.get("o").unwrap(), "y", "4");
        edits.remove(&root, "gone");
        edits.add(&root, "new", "{}");
        let expected = r#"{"new":{}, "a" : 2, "l": [ 3], "o":{"y":4,"x":[1 ]} }"#;
        assert_eq!(edits.applied(text), expected);
    }
}
