//! TOML, read by the `toml` crate into spans of the text.
//!
//! `toml_edit` has the same parser, but cannot write what it read: it drops carriage returns and the byte order mark. So
//! what changes is spliced into the text, as in JSON.

use super::document::{Node, Unreadable, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// All values of a text, the whole first.
pub(crate) fn read(text: &str) -> Result<Vec<Node>, Unreadable> {
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        // Its own words would repeat the line.
        Unreadable::new(text, at, error.message())
    })?;
    let mut tree = Tree::default();
    tree.add(Spanned::new(0..text.len(), DeValue::Table(root.into_inner())));
    while let Some((place, value)) = tree.left.pop() {
        tree.nodes[place].value = match value {
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Array(items) => {
                Value::List(items.into_iter().map(|item| tree.add(item)).collect())
            }
            DeValue::Table(members) => {
                let member = |(key, value): (Spanned<_>, _)| {
                    let key: std::borrow::Cow<'_, str> = key.into_inner();
                    (key.into_owned(), tree.add(value))
                };
                Value::Table(members.into_iter().map(member).collect())
            }
            _ => Value::Other,
        };
    }
    Ok(tree.nodes)
}

#[derive(Default)]
struct Tree<'a> {
    nodes: Vec<Node>,
    /// What is not looked into yet.
    left: Vec<(usize, DeValue<'a>)>,
}

impl<'a> Tree<'a> {
    fn add(&mut self, value: Spanned<DeValue<'a>>) -> usize {
        let place = self.nodes.len();
        let span = value.span();
        self.nodes.push(Node { begins: span.start, span, comma: None, value: Value::Other });
        self.left.push((place, value.into_inner()));
        place
    }
}
