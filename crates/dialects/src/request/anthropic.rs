//! Anthropic Messages: `messages[].content[]` with `tool_use` and `tool_result` blocks.

use super::boolean;
use super::calls;
use super::found::{Answer, Found};
use super::sites::CallSite;
use super::slot::Slot;
use crate::json::{Key, Reader};
use crate::refusal::Refusal;

/// Reads a member at the top of the body.
pub(super) fn member<'a>(
    reader: &mut Reader<'a>,
    key: &Key<'a>,
    found: &mut Found<'a>,
) -> Result<(), Refusal> {
    match &*key.name {
        "messages" => {
            found.messages.mark(key)?;
            reader.array(|reader| message(reader, found)).map(|_| ())
        }
        "tools" => found.tools(reader, key),
        "system" if found.wants_speech => found.statement(reader, "text", "system"),
        "anthropic_version" => {
            found.is_anthropic = true;
            reader.skip()
        }
        _ => reader.skip(),
    }
}

fn message<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let (mut role, mut content) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "role" => role.set(&key, reader.text()?),
        "content" => {
            content.mark(&key)?;
            if reader.peek() != b'[' && found.wants_speech {
                return found.speech(reader, "text");
            }
            reader.array(|reader| block(reader, found)).map(|_| ())
        }
        _ => reader.skip(),
    })?;
    found.said_by(&role.take().unwrap_or_default());
    Ok(())
}

fn block<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let (mut kind, mut content, mut text) = (Slot::default(), Slot::default(), Slot::default());
    let (mut id, mut name, mut input, mut caller) =
        (Slot::default(), Slot::default(), Slot::default(), Slot::default());
    let (mut tool_use_id, mut is_error) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "type" => kind.set(&key, reader.text()?),
        "id" => id.set(&key, reader.text()?),
        "name" => name.set(&key, reader.text()?),
        "input" => input.set(&key, calls::arguments(reader)?),
        "caller" => caller.set(&key, calls::is_direct(reader)?),
        "tool_use_id" => tool_use_id.set(&key, reader.text()?),
        "is_error" => is_error.set(&key, boolean(reader)?),
        "content" => {
            content.mark(&key)?;
            found.texts(reader, "text")
        }
        "text" if found.wants_speech => text.set(&key, reader.value()?.content()),
        _ => reader.skip(),
    })?;
    let is_indirect = caller.take() == Some(false);
    let element = reader.last_object();
    match kind.take().as_deref() {
        Some("tool_use") => found.call(CallSite {
            id: id.take(),
            name: name.take(),
            arguments: input.take(),
            element,
            is_indirect,
        }),
        Some("text") => found.say(text.take()),
        Some("tool_result") => found.answer(Answer {
            call_id: tool_use_id.take(),
            tool_name: None,
            is_error: is_error.take() == Some(true),
            is_indirect,
            element,
        }),
        _ => {}
    }
    found.drop_texts();
    Ok(())
}
