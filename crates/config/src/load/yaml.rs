//! YAML as a tree of values, with the line of each.

use super::interpolate::interpolate;
use super::{ConfigFile, Environment};
use crate::error::{ConfigError, Fault, Place};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::{Location, MessageFormatter, Spanned, UserMessageFormatter};
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
    let text = file.text.trim_start_matches('\u{feff}');
    let root: Option<Spanned<Node>> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let line = error.location().map_or(0, |location| location.line());
            let problem = UserMessageFormatter.format_message(&error);
            Fault::new("", format!("not readable as YAML: {problem}")).at(place(line))
        })?;
    let mut document = Document { tree: Value::Object(Map::new()), lines: Lines::default() };
    if let Some(root) = root
        && !matches!(root.value, Node::Null)
    {
        let mut walk = Walk { text, lines: &mut document.lines, environment };
        let tree = walk.value(root, String::new());
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
    Text(String),
    /// A number, `true` or `false`, as YAML understands it.
    Typed(String),
    List(Vec<Spanned<Node>>),
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
}

struct Walk<'a> {
    text: &'a str,
    lines: &'a mut Lines,
    environment: Environment<'a>,
}

impl Walk<'_> {
    fn value(&mut self, node: Spanned<Node>, path: String) -> Result<Value, Fault> {
        match node.value {
            Node::Null => Ok(Value::Null),
            Node::Text(text) => interpolate(&text, self.environment)
                .map(Value::from)
                .map_err(|problem| Fault::new(path, problem)),
            Node::Typed(value) if is_a_plugins_own(&path) => {
                Ok(serde_json::from_str(&value).unwrap_or(Value::String(value)))
            }
            Node::Typed(value) => Ok(self.as_written(&node.defined).unwrap_or(&value).into()),
            Node::List(nodes) => {
                let mut list = Vec::with_capacity(nodes.len());
                for (index, node) in nodes.into_iter().enumerate() {
                    let path = format!("{path}[{index}]");
                    self.lines.0.insert(path.clone(), node.referenced.line());
                    list.push(self.value(node, path)?);
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

    /// The very characters of a number: a key of `007` is not `7`.
    fn as_written(&self, location: &Location) -> Option<&str> {
        let span = location.span();
        let start = usize::try_from(span.byte_offset()?).ok()?;
        let end = start.checked_add(usize::try_from(span.byte_len()?).ok()?)?;
        let written = self.text.get(start..end)?;
        // Where there is a tag before it, this is not just the number.
        (!written.is_empty() && !written.contains(char::is_whitespace)).then_some(written)
    }
}

/// Is this a value of a plugin's own settings, which has the type that YAML gives it?
fn is_a_plugins_own(path: &str) -> bool {
    let rest = path.strip_prefix("plugins[").and_then(|rest| rest.split_once(']'));
    rest.is_some_and(|(_, rest)| rest.starts_with(".config."))
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
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Typed(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
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
