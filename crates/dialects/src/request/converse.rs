//! Amazon Bedrock Converse: `messages[].content[]` with `toolUse` and `toolResult`.

use super::calls;
use super::found::{Answer, Found};
use super::result::Shape;
use super::sites::CallSite;
use super::slot::Slot;
use crate::json::{Key, Kind, Reader};
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
        "system" if found.wants_speech => {
            reader.array(|reader| block(reader, found))?;
            found.said_by("system");
            Ok(())
        }
        "toolConfig" => reader.object(|reader, key| match &*key.name {
            "tools" => found.tools(reader, &key),
            _ => reader.skip(),
        }),
        _ => reader.skip(),
    }
}

fn message<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let (mut role, mut content) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "role" => role.set(&key, reader.text()?),
        "content" => {
            content.mark(&key)?;
            reader.array(|reader| block(reader, found)).map(|_| ())
        }
        _ => reader.skip(),
    })?;
    found.said_by(&role.take().unwrap_or_default());
    Ok(())
}

fn block<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let (mut once, mut text) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "toolUse" => once.set(&key, Some(Block::Call(tool_use(reader)?))),
        "toolResult" => once.set(&key, Some(Block::Answer(tool_result(reader, found)?))),
        "text" if found.wants_speech => text.set(&key, reader.value()?.content()),
        "guardContent" if found.wants_speech => guarded(reader, found),
        _ => reader.skip(),
    })?;
    found.say(text.take());
    let element = reader.last_object();
    match once.take() {
        Some(Block::Call(call)) => found.call(CallSite { element, ..call }),
        Some(Block::Answer(answer)) => found.answer(Answer { element, ..answer }),
        None => {}
    }
    found.drop_texts();
    Ok(())
}

enum Block<'a> {
    Call(CallSite<'a>),
    Answer(Answer<'a>),
}

/// Reads `{"text": {"text": …}}`, which is text that a guardrail looks at.
fn guarded<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    reader.object(|reader, key| match &*key.name {
        "text" => {
            let mut text = Slot::default();
            reader.object(|reader, key| match &*key.name {
                "text" => text.set(&key, reader.value()?.content()),
                _ => reader.skip(),
            })?;
            found.say(text.take());
            Ok(())
        }
        _ => reader.skip(),
    })
}

fn tool_use<'a>(reader: &mut Reader<'a>) -> Result<CallSite<'a>, Refusal> {
    let (mut id, mut name, mut input) = (Slot::default(), Slot::default(), Slot::default());
    // Only what the provider runs itself has a type.
    let mut kind = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "toolUseId" => id.set(&key, reader.text()?),
        "name" => name.set(&key, reader.text()?),
        "input" => input.set(&key, calls::arguments(reader)?),
        "type" => kind.set(&key, reader.text()?),
        _ => reader.skip(),
    })?;
    Ok(CallSite {
        id: id.take(),
        name: name.take(),
        arguments: input.take(),
        element: None,
        is_indirect: kind.take().is_some(),
    })
}

/// Reads a result; its texts are noted already.
fn tool_result<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<Answer<'a>, Refusal> {
    let (mut id, mut status, mut kind) = (Slot::default(), Slot::default(), Slot::default());
    let mut content = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "toolUseId" => id.set(&key, reader.text()?),
        "status" => status.set(&key, reader.text()?),
        "type" => kind.set(&key, reader.text()?),
        "content" => {
            content.mark(&key)?;
            reader.array(|reader| part(reader, found)).map(|_| ())
        }
        _ => reader.skip(),
    })?;
    Ok(Answer {
        call_id: id.take(),
        tool_name: None,
        is_error: status.take().as_deref() == Some("error"),
        is_indirect: kind.take().is_some(),
        element: None,
    })
}

/// Reads `{"text": …}` or `{"json": …}`.
fn part<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let mut once = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "text" => {
            once.mark(&key)?;
            found.text(reader)
        }
        "json" => {
            once.mark(&key)?;
            let value = reader.value()?;
            if let Kind::Object | Kind::Array | Kind::String = value.kind {
                found.add_text(value.span, Shape::JsonBlock { key: key.start });
            }
            Ok(())
        }
        _ => reader.skip(),
    })
}
