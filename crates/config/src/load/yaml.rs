//! YAML as a tree of values, with the line of each.

use super::interpolate::interpolate;
use super::{ConfigFile, Environment};
use crate::error::{ConfigError, Fault, Place};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::fmt;

/// No settings are deeper, and a tree that is cannot exhaust the stack.
const MAX_DEPTH: usize = 16;

/// No settings have more values; what has is an anchor repeated without end.
const MAX_NODES: usize = 20_000;

/// A file as a tree.
pub(crate) struct Document {
    pub(crate) tree: Value,
    pub(crate) lines: Lines,
}

/// Where everything is written, by path.
#[derive(Default)]
pub(crate) struct Lines(BTreeMap<String, u64>);

impl Lines {
    /// The line of a key, or of the nearest that is around it; 0 for none.
    pub(crate) fn of(&self, path: &str) -> u64 {
        let mut path = path;
        loop {
            if let Some(line) = self.0.get(path) {
                return *line;
            }
            let Some(end) = path.rfind(['.', '[']) else { return 0 };
            path = &path[..end];
        }
    }
}

/// Reads YAML and replaces variables in its texts.
pub(crate) fn parse(
    file: ConfigFile<'_>,
    environment: Environment<'_>,
) -> Result<Document, ConfigError> {
    let place = |line| Place::File { name: file.name.to_owned(), line };
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, max_nodes: MAX_NODES },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_NODES },
        strict_booleans: true,
        with_snippet: false,
    };
    let root: Option<Spanned<Node>> = serde_saphyr::from_str_with_options(file.text, options)
        .map_err(|error| {
            let line = error.location().map_or(0, |location| location.line());
            Fault::new("", format!("not readable as YAML: {error}")).at(place(line))
        })?;
    let mut document = Document { tree: Value::Object(Map::new()), lines: Lines::default() };
    if let Some(root) = root
        && !matches!(root.value, Node::Null)
    {
        let mut walk = Walk { lines: &mut document.lines, environment };
        let tree = walk.value(root.value, String::new());
        document.tree = tree.map_err(|fault| {
            let line = document.lines.of(&fault.key);
            fault.at(place(line))
        })?;
    }
    Ok(document)
}

/// A value of the file.
enum Node {
    Null,
    Word(Value),
    List(Vec<Spanned<Node>>),
    Map(Vec<(Spanned<String>, Node)>),
}

struct Walk<'a> {
    lines: &'a mut Lines,
    environment: Environment<'a>,
}

impl Walk<'_> {
    fn value(&mut self, node: Node, path: String) -> Result<Value, Fault> {
        match node {
            Node::Null => Ok(Value::Null),
            Node::Word(Value::String(text)) => interpolate(&text, self.environment)
                .map(Value::from)
                .map_err(|problem| Fault::new(path, problem)),
            Node::Word(word) => Ok(word),
            Node::List(nodes) => {
                let mut list = Vec::with_capacity(nodes.len());
                for (index, node) in nodes.into_iter().enumerate() {
                    let path = format!("{path}[{index}]");
                    self.lines.0.insert(path.clone(), node.referenced.line());
                    list.push(self.value(node.value, path)?);
                }
                Ok(list.into())
            }
            Node::Map(members) => {
                let mut map = Map::new();
                for (key, node) in members {
                    let dot = if path.is_empty() { "" } else { "." };
                    let path = format!("{path}{dot}{}", key.value);
                    self.lines.0.insert(path.clone(), key.referenced.line());
                    map.insert(key.value, self.value(node, path)?);
                }
                Ok(map.into())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Word(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Word(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Word(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Word(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Word(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut nodes: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(node) = nodes.next_element()? {
            list.push(node);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut map = Vec::new();
        while let Some(member) = members.next_entry()? {
            map.push(member);
        }
        Ok(Node::Map(map))
    }
}
