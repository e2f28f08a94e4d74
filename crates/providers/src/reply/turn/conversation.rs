//! Appending to the conversation of a request.

use crate::api::ConversationList;
use crate::json::{Kind, Reader, Value};
use crate::splice::Splice;
use std::borrow::Cow;

/// Goes on with the conversation of a request: a turn of the model, and the answers to its calls.
pub(super) fn go_on(
    body: &[u8],
    place: &ConversationList,
    said: &str,
    answers: &str,
) -> Option<Splice<'static>> {
    let SentConversation { value, is_empty, is_kept } = list(body, place)?;
    let text = str::from_utf8(body.get(value.span.clone())?).ok()?;
    let is_whole = place.sign_of_whole.is_some_and(|sign| text.contains(sign));
    if is_kept && !is_whole {
        return Some(Splice { range: value.span, with: Cow::Owned(format!("[{answers}]")) });
    }
    match value.kind {
        Kind::Array => {
            let end = value.span.end - 1;
            let comma = if is_empty { "" } else { "," };
            let with = format!("{comma}{said},{answers}");
            Some(Splice { range: end..end, with: Cow::Owned(with) })
        }
        Kind::String if place.may_be_text => {
            let with = format!(r#"[{{"role":"user","content":{text}}},{said},{answers}]"#);
            Some(Splice { range: value.span, with: Cow::Owned(with) })
        }
        _ => None,
    }
}

/// The conversation.
struct SentConversation {
    value: Value,
    is_empty: bool,
    /// The provider keeps the conversation, and adds to it what is said.
    is_kept: bool,
}

fn list(body: &[u8], place: &ConversationList) -> Option<SentConversation> {
    let (mut found, mut is_kept) = (None, false);
    let mut reader = Reader::new(body).ok()?;
    reader
        .object(|reader, key| {
            if place.kept_by.is_some_and(|name| key.name == name) {
                is_kept = reader.value()?.kind != Kind::Null;
                return Ok(());
            }
            if key.name != place.member {
                return reader.skip();
            }
            let mut is_empty = true;
            let value = if reader.peek() == b'[' {
                let mut each = |reader: &mut Reader<'_>| {
                    is_empty = false;
                    reader.skip()
                };
                reader.array(&mut each)?.map(|span| Value { kind: Kind::Array, span })
            } else {
                Some(reader.value()?)
            };
            found = value.map(|value| (value, is_empty));
            Ok(())
        })
        .ok()?;
    reader.finish().ok()?;
    found.map(|(value, is_empty)| SentConversation { value, is_empty, is_kept })
}
