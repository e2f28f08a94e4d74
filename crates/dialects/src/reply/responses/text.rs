//! A text of our own, where the client would get none.

use crate::reply::edit::quoted;
use crate::reply::speech::APOLOGY;

const ID: &str = "msg_tokenforge";

/// The item that says it.
pub(super) fn item() -> String {
    message("completed", &part(APOLOGY))
}

/// The events that say it, as the item at this index. Each is given its number: a member with a comma behind it.
pub(super) fn events(
    index: usize,
    mut number: impl FnMut() -> String,
) -> Vec<(&'static str, String)> {
    let mut event = |kind: &'static str, rest: &str| {
        (kind, format!(r#"{{"type":"{kind}",{}"output_index":{index},{rest}}}"#, number()))
    };
    let inside = |rest: &str| format!(r#""item_id":"{ID}","content_index":0,{rest}"#);
    let text = quoted(APOLOGY);
    vec![
        event("response.output_item.added", &format!(r#""item":{}"#, message("in_progress", ""))),
        event("response.content_part.added", &inside(&format!(r#""part":{}"#, part("")))),
        event("response.output_text.delta", &inside(&format!(r#""delta":{text},"logprobs":[]"#))),
        event("response.output_text.done", &inside(&format!(r#""text":{text},"logprobs":[]"#))),
        event("response.content_part.done", &inside(&format!(r#""part":{}"#, part(APOLOGY)))),
        event("response.output_item.done", &format!(r#""item":{}"#, item())),
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
