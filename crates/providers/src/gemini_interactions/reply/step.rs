//! A step, joined from the parts in which it was streamed.

use super::is_kind;
use crate::json::text::unescape;
use crate::json::{Kind, Node};
use crate::reply::blocks::as_object;
use crate::reply::edit::{Edit, joined};
use std::borrow::Cow;

/// The step that `start` began and `deltas` went on with. Nothing if it says nothing.
pub(super) fn assemble(start: &str, deltas: &[Node<'_>], arguments: &str) -> Option<String> {
    let step = Node::read(start).ok()?;
    let mut edit = Edit::new(start);
    let kind = step.get("type").and_then(|kind| kind.text()).unwrap_or_default();
    match &*kind {
        "function_call" => {
            if !arguments.is_empty() {
                edit.set(&step, "arguments", as_object(arguments).to_owned());
            }
        }
        "model_output" => {
            let contents = Contents::begun(&step, "content").with(deltas.iter().cloned());
            if contents.are_blank() {
                return None;
            }
            contents.put(&step, "content", &mut edit);
        }
        "thought" => {
            let summary = deltas.iter().filter_map(|delta| delta.get("content"));
            Contents::begun(&step, "summary").with(summary).put(&step, "summary", &mut edit);
            let pieces = deltas.iter().filter_map(|delta| delta.get("signature")?.spelling());
            let signature: String = pieces.collect();
            if !signature.is_empty() {
                edit.set(&step, "signature", format!("\"{signature}\""));
            }
        }
        // What the provider's own tools did: the last part that tells something counts.
        _ => {
            let mut told: Vec<(Cow<'_, str>, &str)> = Vec::new();
            for (name, value) in deltas.iter().flat_map(Node::members) {
                if name != "type" {
                    told.retain(|(known, _)| *known != name);
                    told.push((name, value.raw()));
                }
            }
            for (name, json) in told {
                edit.set(&step, &name, json.to_owned());
            }
        }
    }
    Some(edit.done().into_owned())
}

/// A list of contents, whose texts are joined.
#[derive(Default)]
struct Contents {
    /// Each as JSON, and of a text how it is spelled between its quotes.
    list: Vec<(String, Option<String>)>,
    is_changed: bool,
}

impl Contents {
    fn begun(step: &Node<'_>, name: &str) -> Self {
        let elements = step.get(name).map(|list| list.elements()).unwrap_or_default();
        let list = elements.iter().map(|content| (content.raw().to_owned(), spelling(content)));
        Contents { list: list.collect(), is_changed: false }
    }

    fn with<'n>(mut self, contents: impl Iterator<Item = Node<'n>>) -> Self {
        for content in contents {
            self.is_changed = true;
            match (spelling(&content), self.list.last_mut()) {
                (Some(more), Some((json, Some(text)))) => {
                    text.push_str(&more);
                    *json = format!(r#"{{"type":"text","text":"{text}"}}"#);
                }
                // Citations of the text before: the text is taken back without them.
                (None, _) if is_kind(&content, "text_annotation_delta") => {}
                (text, _) => self.list.push((content.raw().to_owned(), text)),
            }
        }
        self
    }

    fn are_blank(&self) -> bool {
        let is_blank = |text: &String| unescape(text).is_some_and(|text| text.trim().is_empty());
        self.list.iter().all(|(_, text)| text.as_ref().is_some_and(is_blank))
    }

    fn put(&self, step: &Node<'_>, name: &str, edit: &mut Edit<'_>) {
        if self.is_changed {
            let list = joined(self.list.iter().map(|(json, _)| json));
            edit.set(step, name, format!("[{list}]"));
        }
    }
}

/// How a text is spelled, if it is one without more to it.
fn spelling(content: &Node<'_>) -> Option<String> {
    let is_text = content.kind() == Kind::Object && is_kind(content, "text");
    let text = content.get("text").filter(|_| is_text)?;
    text.spelling().map(str::to_owned)
}
