//! A content block of Anthropic's, joined from its parts.

use super::is_kind;
use crate::json::Node;
use crate::json::text::unescape;
use crate::reply::blocks::as_object;
use crate::reply::edit::{Edit, joined};
use std::borrow::Cow;

/// How many members of a block may be joined from deltas: no block has more than a few.
const MAX_STRINGS: usize = 16;

/// The block that `start` began and `deltas` went on with. Nothing if it is blank.
pub(super) fn assemble(start: &str, deltas: &[Node<'_>], arguments: &str) -> Option<String> {
    let block = Node::read(start).ok()?;
    let (mut strings, mut citations) = (Vec::new(), Vec::new());
    for (name, value) in deltas.iter().flat_map(Node::members) {
        match (&*name, value.spelling()) {
            ("type" | "partial_json", _) => {}
            ("citation", _) => citations.push(value.raw()),
            // Text, thinking, a signature, and what else may come: it goes on with the block's own of that name.
            (_, Some(more)) => go_on(&mut strings, &block, name, more),
            _ => {}
        }
    }
    if is_kind(&block, "text") && is_blank(&block, &strings) {
        return None;
    }
    let mut edit = Edit::new(start);
    for (name, string) in &strings {
        edit.set(&block, name, format!("\"{string}\""));
    }
    if !citations.is_empty() {
        let begun = block.get("citations").map(|list| list.elements()).unwrap_or_default();
        let all = begun.iter().map(Node::raw).chain(citations);
        edit.set(&block, "citations", format!("[{}]", joined(all)));
    }
    if !arguments.is_empty() {
        edit.set(&block, "input", as_object(arguments).to_owned());
    }
    Some(edit.done().into_owned())
}

/// Strings by name, as they are spelled.
type Strings<'a> = Vec<(Cow<'a, str>, String)>;

fn go_on<'a>(strings: &mut Strings<'a>, block: &Node<'_>, name: Cow<'a, str>, more: &str) {
    if let Some((_, string)) = strings.iter_mut().find(|(known, _)| *known == name) {
        string.push_str(more);
    } else if strings.len() < MAX_STRINGS {
        let begun = block.get(&name).and_then(|begun| begun.spelling()).unwrap_or_default();
        strings.push((name, format!("{begun}{more}")));
    }
}

fn is_blank(block: &Node<'_>, strings: &Strings<'_>) -> bool {
    let joined = strings.iter().find(|(name, _)| name == "text").map(|(_, text)| text.as_str());
    let spelling = joined.or_else(|| block.get("text")?.spelling()).unwrap_or_default();
    unescape(spelling).is_some_and(|text| text.trim().is_empty())
}
