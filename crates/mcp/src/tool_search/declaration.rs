//! A tool's declaration: where it is found, and as a model that found it is shown it.

use crate::names::prefixed;
use std::sync::Arc;
use tokenforge_json::{Edit, Json, Node, quote};

/// How deep a schema is searched for what its parameters are called.
const DEPTH: usize = 16;

/// How much text of one declaration is searched.
const SEARCHED: usize = 64 << 10;

/// The longest declaration that a model is shown. Without its schema the tool can still be called: the server says what
/// it misses.
const SHOWN: usize = 32 << 10;

/// A tool of a server, as the server declares it.
#[derive(Debug, Clone)]
pub(crate) struct DeclaredTool {
    /// Its name in lists, with the prefix of its server where there are several.
    pub(crate) name: String,
    /// The server's prefix.
    pub(crate) prefix: Arc<str>,
    /// What the server calls it.
    pub(crate) own: String,
    /// The declaration, as the server wrote it.
    pub(crate) text: String,
}

/// What is searched of a tool.
#[derive(Debug, Default)]
pub(super) struct SearchedText {
    pub(super) name: String,
    pub(super) server: String,
    pub(super) description: String,
    /// What its parameters are called, and what is said about them.
    pub(super) parameters: String,
}

impl DeclaredTool {
    /// Reads an element of a server's list; `None`: it has no name.
    pub(crate) fn read(item: &Node<'_>, prefix: &Arc<str>, is_prefixed: bool) -> Option<Self> {
        let own = item.get("name")?.text()?.into_owned();
        let name = if is_prefixed { prefixed(prefix, &own) } else { own.clone() };
        Some(DeclaredTool { name, prefix: prefix.clone(), own, text: item.raw().to_owned() })
    }

    pub(super) fn searched(&self) -> SearchedText {
        let mut text = SearchedText {
            name: self.own.clone(),
            server: if self.name == self.own { String::new() } else { self.prefix.to_string() },
            ..SearchedText::default()
        };
        let Ok(item) = Node::read(&self.text) else { return text };
        let [title, description, schema, annotations] =
            item.pick(["title", "description", "inputSchema", "annotations"]);
        let titles = [title, annotations.and_then(|annotations| annotations.get("title"))];
        for title in titles.iter().flatten().filter_map(Node::text) {
            add(&mut text.name, &title);
        }
        if let Some(description) = description.and_then(|node| node.text()) {
            add(&mut text.description, &description);
        }
        if let Some(schema) = schema {
            parameters(&schema, DEPTH, &mut text.parameters);
        }
        text
    }

    /// As a model is shown it: what it needs for a call, without white space.
    pub(super) fn shown(&self) -> String {
        let Ok(item) = Node::read(&self.text) else { return String::new() };
        let [description, schema, execution] =
            item.pick(["description", "inputSchema", "execution"]);
        let mut shown = format!("{{\"name\":{}", quote(&self.name));
        let mut rest = String::new();
        if let Some(description) = &description {
            rest += &format!(",\"description\":{}", description.raw());
        }
        if let Some(schema) = &schema {
            let mut edits = Edit::new(schema.raw());
            if let Ok(own) = Node::read(schema.raw()) {
                edits.cut(&own, "$schema");
            }
            let cut = edits.done();
            let minified = Json::parse(&cut).map(|json| json.minify().into_owned());
            rest += &format!(",\"inputSchema\":{}", minified.unwrap_or_else(|_| cut.to_string()));
        }
        if let Some(execution) = &execution {
            rest += &format!(",\"execution\":{}", execution.raw());
        }
        if rest.len() <= SHOWN {
            shown += &rest;
        } else {
            let text = description.and_then(|node| node.text()).unwrap_or_default();
            let start: String = text.chars().take(1000).collect();
            let note = format!(
                "{start} [The declaration has {} bytes; its schema is left out.]",
                rest.len()
            );
            shown += &format!(",\"description\":{}", quote(&note));
        }
        shown + "}"
    }
}

/// What the parameters of a schema are called, and what is said about them.
fn parameters(schema: &Node<'_>, depth: usize, text: &mut String) {
    if depth == 0 || text.len() >= SEARCHED {
        return;
    }
    for element in schema.elements() {
        parameters(&element, depth - 1, text);
    }
    for (key, value) in schema.members() {
        match &*key {
            "properties" => {
                for (name, property) in value.members() {
                    add(text, &name);
                    parameters(&property, depth - 1, text);
                }
            }
            "description" | "title" => add(text, &value.text().unwrap_or_default()),
            "enum" => {
                value.elements().iter().filter_map(Node::text).for_each(|word| add(text, &word));
            }
            // Values, not schemas.
            "default" | "const" | "examples" => {}
            _ => parameters(&value, depth - 1, text),
        }
    }
}

fn add(text: &mut String, more: &str) {
    if text.len() < SEARCHED {
        text.push(' ');
        let most = SEARCHED - text.len();
        let cut = (0..=most.min(more.len())).rev().find(|at| more.is_char_boundary(*at));
        text.push_str(&more[..cut.unwrap_or(0)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(text: &str) -> DeclaredTool {
        let node = Node::read(text).unwrap();
        DeclaredTool::read(&node, &"git".into(), true).unwrap()
    }

    #[test]
    fn m21_a_tool_is_shown_with_what_a_call_needs_and_nothing_else() {
        let text = r#"{ "name": "log", "title": "Log", "outputSchema": {"type": "object"}, "description": "Shows\u0020commits",
            "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"n": {"type": "integer", "default": 1.50}}}, "_meta": {} }"#;
        assert_eq!(
            tool(text).shown(),
            r#"{"name":"git__log","description":"Shows\u0020commits","inputSchema":{"type":"object","properties":{"n":{"type":"integer","default":1.50}}}}"#
        );
    }

    #[test]
    fn m21_names_descriptions_and_nested_parameters_are_searched() {
        let text = r#"{"name":"route","annotations":{"title":"Directions"},"description":"Finds a way","inputSchema":{"properties":{
            "stops":{"type":"array","items":{"type":"object","properties":{"latitude":{"description":"north"}}}},"mode":{"enum":["bike","foot"]},
            "$ref":{"type":"string"}},"$defs":{"place":{"properties":{"city":{}}}}}}"#;
        let searched = tool(text).searched();
        assert_eq!(searched.name, "route Directions");
        assert_eq!((&*searched.server, searched.description.trim()), ("git", "Finds a way"));
        for word in ["stops", "latitude", "north", "mode", "bike", "city"] {
            assert!(searched.parameters.contains(word), "{word}: {}", searched.parameters);
        }
    }

    #[test]
    fn m21_a_declaration_that_is_too_long_is_cut_and_says_so() {
        let long = "x".repeat(SHOWN);
        let text = format!(r#"{{"name":"t","description":"{long}","inputSchema":{{}}}}"#);
        let shown = tool(&text).shown();
        assert!(shown.len() < 2000 && shown.contains("its schema is left out"), "{}", shown.len());
        assert!(Node::read(&shown).is_ok());
    }
}
