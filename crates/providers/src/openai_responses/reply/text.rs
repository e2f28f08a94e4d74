//! A text of our own, as an output item.

use crate::reply::edit::quoted;

const ID: &str = "msg_tokenforge";

/// The item that says it.
pub(super) fn item(text: &str) -> String {
    message("completed", &part(text))
}

/// The events that say it, as the item at this index. Each is given its number: a member with a comma behind it.
pub(super) fn events(
    said: &str,
    index: usize,
    mut number: impl FnMut() -> String,
) -> Vec<(&'static str, String)> {
    let mut event = |kind: &'static str, rest: &str| {
        (kind, format!(r#"{{"type":"{kind}",{}"output_index":{index},{rest}}}"#, number()))
    };
    let inside = |rest: &str| format!(r#""item_id":"{ID}","content_index":0,{rest}"#);
    let text = quoted(said);
    vec![
        event("response.output_item.added", &format!(r#""item":{}"#, message("in_progress", ""))),
        event("response.content_part.added", &inside(&format!(r#""part":{}"#, part("")))),
        event("response.output_text.delta", &inside(&format!(r#""delta":{text},"logprobs":[]"#))),
        event("response.output_text.done", &inside(&format!(r#""text":{text},"logprobs":[]"#))),
        event("response.content_part.done", &inside(&format!(r#""part":{}"#, part(said)))),
        event("response.output_item.done", &format!(r#""item":{}"#, item(said))),
    ]
}

fn message(status: &str, content: &str) -> String {
    format!(
        r#"{{"id":"{ID}","type":"message","status":"{status}","role":"assistant","content":[{content}]}}"#
    )
}

fn part(text: &str) -> String {
    format!(r#"{{"type":"output_text","text":{},"annotations":[]}}"#, quoted(text))
}
