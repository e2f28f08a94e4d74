//! YAML as a tree of values, with the place of each.

use super::interpolate::interpolate;
use super::{ConfigFile, Environment};
use crate::error::{ConfigError, SettingFault, SettingOrigin};
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
    pub(crate) places: Places,
    /// Values that could not be made out; they are not in the tree.
    pub(crate) faults: Vec<SettingFault>,
}

/// Where everything is written, by path: lines and columns.
#[derive(Default)]
pub(crate) struct Places(BTreeMap<String, (u64, u64)>);

impl Places {
    /// Where a key of this file is, or the nearest that is around it.
    pub(crate) fn of(&self, path: &str, file: &str) -> SettingOrigin {
        let mut path = path;
        loop {
            if let Some((line, column)) = self.0.get(path) {
                return SettingOrigin::File { name: file.to_owned(), line: *line, column: *column };
            }
            let Some(end) = path.rfind(['.', '[']) else {
                return SettingOrigin::File { name: file.to_owned(), line: 0, column: 0 };
            };
            path = &path[..end];
        }
    }

    /// Is this key written?
    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn note(&mut self, path: &str, location: &Location) {
        self.0.insert(path.to_owned(), (location.line(), location.column()));
    }
}

/// Reads YAML and replaces variables in its texts.
pub(crate) fn parse(
    file: ConfigFile<'_>,
    environment: Environment<'_>,
) -> Result<Document, ConfigError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, max_nodes: MAX_NODES },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_NODES },
        strict_booleans: true,
        with_snippet: false,
    };
    let text = file.text.trim_start_matches('\u{feff}');
    let root: Option<Spanned<Node>> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let (line, column) =
                error.location().map_or((0, 0), |location| (location.line(), location.column()));
            let problem = UserMessageFormatter.format_message(&error);
            let place = SettingOrigin::File { name: file.name.to_owned(), line, column };
            SettingFault::new("", format!("not readable as YAML: {problem}")).at(place)
        })?;
    let (tree, places) = (Value::Object(Map::new()), Places::default());
    let mut document = Document { tree, places, faults: Vec::new() };
    if let Some(root) = root
        && !matches!(root.value, Node::Null)
    {
        let Document { places, faults, .. } = &mut document;
        let mut walk = Walk { text, places, faults, environment };
        document.tree = walk.value(root, String::new()).unwrap_or_default();
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
    places: &'a mut Places,
    faults: &'a mut Vec<SettingFault>,
    environment: Environment<'a>,
}

impl Walk<'_> {
    /// `None` for one that could not be made out, which is a fault.
    fn value(&mut self, node: Spanned<Node>, path: String) -> Option<Value> {
        match node.value {
            Node::Null => Some(Value::Null),
            Node::Text(text) => match interpolate(&text, self.environment) {
                Ok(text) => Some(text.into()),
                Err(problem) => {
                    self.faults.push(SettingFault::new(path, problem));
                    None
                }
            },
            Node::Typed(value) if is_a_plugins_own(&path) => {
                Some(serde_json::from_str(&value).unwrap_or(Value::String(value)))
            }
            Node::Typed(value) => Some(self.as_written(&node.defined).unwrap_or(&value).into()),
            Node::List(nodes) => {
                let mut list = Vec::with_capacity(nodes.len());
                for (index, node) in nodes.into_iter().enumerate() {
                    let path = format!("{path}[{index}]");
                    self.places.note(&path, &node.referenced);
                    // In a list something has to stand for it: what comes after keeps its place.
                    list.push(self.value(node, path).unwrap_or_default());
                }
                Some(list.into())
            }
            Node::Map(members) => {
                let mut map = Map::new();
                for (key, node) in members {
                    let dot = if path.is_empty() { "" } else { "." };
                    let path = format!("{path}{dot}{}", key.value);
                    self.places.note(&path, &key.referenced);
                    if let Some(value) = self.value(node, path) {
                        map.insert(key.value, value);
                    }
                }
                Some(map.into())
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
