//! Appending to the conversation of a request.

use crate::api::{ConversationList, ProviderApi};
use crate::json::{Kind, Node, Reader, Value};
use crate::reply::edit::{Edit, quoted};
use crate::splice::Splice;
use std::borrow::Cow;

/// Goes on with the conversation of a request: a turn of the model, and the answers to its calls.
pub(super) fn go_on(
    body: &[u8],
    api: &dyn ProviderApi,
    said: &str,
    answers: &str,
) -> Option<Splice<'static>> {
    let place = &api.profile().conversation;
    let SentConversation { value, is_empty, is_kept } = list(body, place)?;
    let text = str::from_utf8(body.get(value.span.clone())?).ok()?;
    let is_whole = place.sign_of_whole.is_some_and(|sign| text.contains(sign));
    if is_kept && !is_whole {
        return Some(Splice { range: value.span, with: Cow::Owned(format!("[{answers}]")) });
    }
    if let Some(list) = Node::read(text).ok().and_then(|sent| api.conversation_list(&sent)) {
        let before = list.strip_suffix(']')?;
        let with = format!("{before},{said},{answers}]");
        return Some(Splice { range: value.span, with: Cow::Owned(with) });
    }
    if value.kind != Kind::Array {
        return None;
    }
    let end = value.span.end - 1;
    let comma = if is_empty { "" } else { "," };
    Some(Splice { range: end..end, with: Cow::Owned(format!("{comma}{said},{answers}")) })
}

/// Goes on from a reply that the provider keeps: only the answers to its calls are said.
pub(super) fn continue_from(
    body: &[u8],
    place: &ConversationList,
    reply: &str,
    answers: &str,
) -> Option<Vec<u8>> {
    let text = str::from_utf8(body).ok()?;
    let root = Node::read(text).ok().filter(|root| root.kind() == Kind::Object)?;
    let mut edit = Edit::new(text);
    edit.set(&root, place.member, format!("[{answers}]"));
    edit.set_in_front(&root, place.continued_by?, quoted(reply));
    // What went on in the middle of a reply goes on from its end now.
    if root.get("continuation_token").is_some() {
        edit.set(&root, "continuation_token", "null");
    }
    Some(edit.done().into_owned().into_bytes())
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
