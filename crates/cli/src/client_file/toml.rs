//! TOML, read by the `toml` crate into spans of the text.
//!
//! `toml_edit` has the same parser, but cannot write what it read: it drops carriage returns and the byte order mark. So
//! what changes is spliced into the text, as in JSON.

use super::document::{DocumentNode, NodeValue, UnreadableFile};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// All values of a text, the whole first.
pub(crate) fn read_toml(text: &str) -> Result<Vec<DocumentNode>, UnreadableFile> {
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        // Its own words would repeat the line.
        UnreadableFile::new(text, at, error.message())
    })?;
    let mut tree = TomlTree::default();
    tree.add(Spanned::new(0..text.len(), DeValue::Table(root.into_inner())));
    while let Some((place, value)) = tree.left.pop() {
        tree.nodes[place].value = match value {
            DeValue::String(text) => NodeValue::Text(text.into_owned()),
            DeValue::Array(items) => {
                NodeValue::List(items.into_iter().map(|item| tree.add(item)).collect())
            }
            DeValue::Table(members) => {
                let member = |(key, value): (Spanned<_>, _)| {
                    let key: std::borrow::Cow<'_, str> = key.into_inner();
                    (key.into_owned(), tree.add(value))
                };
                NodeValue::Table(members.into_iter().map(member).collect())
            }
            _ => NodeValue::Other,
        };
    }
    Ok(tree.nodes)
}

#[derive(Default)]
struct TomlTree<'a> {
    nodes: Vec<DocumentNode>,
    /// What is not looked into yet.
    left: Vec<(usize, DeValue<'a>)>,
}

impl<'a> TomlTree<'a> {
    fn add(&mut self, value: Spanned<DeValue<'a>>) -> usize {
        let place = self.nodes.len();
        let span = value.span();
        self.nodes.push(DocumentNode {
            begins: span.start,
            span,
            comma: None,
            value: NodeValue::Other,
        });
        self.left.push((place, value.into_inner()));
        place
    }
}
