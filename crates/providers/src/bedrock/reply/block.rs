//! A content block of Converse, joined from its parts.

use crate::json::Node;
use crate::json::text::unescape;
use crate::reply::blocks::as_object;
use crate::reply::edit::{Edit, joined};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The block that `start` began and `deltas` went on with. Nothing if it is blank, or of a kind that is not known.
pub(super) fn assemble(start: &str, deltas: &[Node<'_>], arguments: &str) -> Option<String> {
    let Ok(block) = Node::read(start) else { return unannounced(deltas) };
    let mut edit = Edit::new(start);
    if let Some(tool_use) = block.get("toolUse") {
        if !arguments.is_empty() || tool_use.get("input").is_none() {
            edit.set(&tool_use, "input", as_object(arguments).to_owned());
        }
    } else if let (Some(result), false) = (block.get("toolResult"), deltas.is_empty()) {
        let parts = deltas.iter().filter_map(|delta| delta.get("toolResult"));
        let parts: Vec<_> = parts.flat_map(|parts| parts.elements()).collect();
        edit.set(&result, "content", format!("[{}]", joined(parts.iter().map(Node::raw))));
    } else if let (Some(image), Some(delta)) = (block.get("image"), deltas.first()) {
        edit.set(&image, "source", delta.at(["image", "source"])?.raw().to_owned());
    } else if is_blank(block.get("text").and_then(|text| text.spelling())) {
        return None;
    }
    Some(edit.done().into_owned())
}

/// Text and reasoning begin with their first delta.
fn unannounced(deltas: &[Node<'_>]) -> Option<String> {
    if deltas.iter().any(|delta| delta.get("reasoningContent").is_some()) {
        return reasoning(deltas);
    }
    let text = strings(deltas, ["text"]);
    if is_blank(Some(&text)) {
        return None;
    }
    let citations: Vec<_> = deltas.iter().filter_map(|delta| delta.get("citation")).collect();
    if citations.is_empty() {
        return Some(format!(r#"{{"text":"{text}"}}"#));
    }
    let citations = joined(citations.iter().map(Node::raw));
    Some(format!(
        r#"{{"citationsContent":{{"content":[{{"text":"{text}"}}],"citations":[{citations}]}}}}"#
    ))
}

fn reasoning(deltas: &[Node<'_>]) -> Option<String> {
    let text = strings(deltas, ["reasoningContent", "text"]);
    let signature = strings(deltas, ["reasoningContent", "signature"]);
    let redacted =
        deltas.iter().filter_map(|delta| delta.at(["reasoningContent", "redactedContent"]));
    // Each delta has base64 of its own.
    let redacted: Vec<u8> =
        redacted.filter_map(|part| STANDARD.decode(part.spelling()?).ok()).flatten().collect();
    let content = match (signature.is_empty(), redacted.is_empty()) {
        (_, false) => format!(r#"{{"redactedContent":"{}"}}"#, STANDARD.encode(redacted)),
        (true, true) => format!(r#"{{"reasoningText":{{"text":"{text}"}}}}"#),
        (false, true) => {
            format!(r#"{{"reasoningText":{{"text":"{text}","signature":"{signature}"}}}}"#)
        }
    };
    Some(format!(r#"{{"reasoningContent":{content}}}"#))
}

/// The strings at a path of every delta, joined as they are spelled.
fn strings<const N: usize>(deltas: &[Node<'_>], path: [&str; N]) -> String {
    deltas.iter().filter_map(|delta| delta.at(path)?.spelling()).collect()
}

/// Whether there is a text and nothing to be seen in it.
fn is_blank(spelling: Option<&str>) -> bool {
    spelling.and_then(unescape).is_some_and(|text| text.trim().is_empty())
}
