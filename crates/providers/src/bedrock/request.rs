//! Amazon Bedrock Converse: `messages[].content[]` with `toolUse` and `toolResult`.

use crate::json::{Key, Kind, Reader};
use crate::refusal::Refusal;
use crate::request::calls;
use crate::request::found::{Answer, Found};
use crate::request::result::Shape;
use crate::request::sites::{Audience, CallSite};
use crate::request::slot::Slot;
use crate::request::word::{Word, word};
use std::borrow::Cow;
use std::ops::Range;

/// Reads a member at the top of the body.
pub(crate) fn member<'a>(
    reader: &mut Reader<'a>,
    key: &Key<'a>,
    found: &mut Found<'a>,
) -> Result<(), Refusal> {
    match &*key.name {
        "messages" => {
            found.messages.mark(key)?;
            found.turns(reader, message)
        }
        "system" if found.wants_speech => {
            reader.array(|reader| block(reader, found))?;
            found.said_by("system");
            Ok(())
        }
        "toolConfig" => reader.object(|reader, key| match &*key.name {
            "tools" => found.tools(reader, &key),
            "toolChoice" => found.restrict_tools(is_restricted(reader)?),
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
        "reasoningContent" => once.set(&key, Some(Block::Thought(reasoning(reader)?))),
        "toolResult" => once.set(&key, Some(Block::Answer(tool_result(reader, found)?))),
        "text" if found.wants_speech => text.set(&key, reader.value()?.content()),
        "guardContent" if found.wants_speech => guarded(reader, found),
        "document" | "searchResult" if found.wants_speech => {
            found.attach(attachment(reader)?);
            Ok(())
        }
        _ => reader.skip(),
    })?;
    found.say(text.take());
    let element = reader.last_object();
    match once.take() {
        Some(Block::Call(call)) => found.call(CallSite { element, ..call }),
        Some(Block::Answer(answer)) => found.answer(Answer { element, ..answer }),
        Some(Block::Thought(seal)) => found.thought(seal, element),
        None => {}
    }
    found.drop_texts();
    Ok(())
}

enum Block {
    Call(CallSite),
    Answer(Answer),
    Thought(Option<Word>),
}

/// Reads `{"reasoningText": {"text", "signature"}}` or `{"redactedContent"}`: what seals it.
fn reasoning(reader: &mut Reader<'_>) -> Result<Option<Word>, Refusal> {
    let mut seal = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "reasoningText" => reader.object(|reader, key| match &*key.name {
            "signature" => seal.set(&key, word(reader)?),
            _ => reader.skip(),
        }),
        "redactedContent" => seal.set(&key, word(reader)?),
        _ => reader.skip(),
    })?;
    Ok(seal.take())
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

fn tool_use(reader: &mut Reader<'_>) -> Result<CallSite, Refusal> {
    let (mut id, mut name, mut input) = (Slot::default(), Slot::default(), Slot::default());
    let mut kind = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "toolUseId" => id.set(&key, word(reader)?),
        "name" => name.set(&key, word(reader)?),
        "input" => input.set(&key, calls::arguments(reader)?),
        "type" => kind.set(&key, reader.text()?),
        _ => reader.skip(),
    })?;
    Ok(CallSite {
        id: id.take(),
        name: name.take(),
        arguments: input.take(),
        element: None,
        audience: audience(kind.take()),
    })
}

/// Only what the provider runs itself has a type.
fn audience(kind: Option<Cow<'_, str>>) -> Audience {
    if kind.is_some() { Audience::Provider } else { Audience::Model }
}

/// Reads a result; its texts are noted already.
fn tool_result<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<Answer, Refusal> {
    let (mut id, mut status, mut kind) = (Slot::default(), Slot::default(), Slot::default());
    let mut content = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "toolUseId" => id.set(&key, word(reader)?),
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
        audience: audience(kind.take()),
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
        "document" | "searchResult" if found.wants_speech => {
            found.enclose(attachment(reader)?);
            Ok(())
        }
        _ => reader.skip(),
    })
}

/// Reads a document, or a result of a search; where the texts are that it has, or its source.
fn attachment(reader: &mut Reader<'_>) -> Result<Vec<Range<usize>>, Refusal> {
    let mut spans = Vec::new();
    reader.object(|reader, key| match &*key.name {
        "title" | "context" => text(reader, &mut spans),
        "content" => texts(reader, &mut spans),
        "source" => reader.object(|reader, key| match &*key.name {
            "text" => text(reader, &mut spans),
            "content" => texts(reader, &mut spans),
            _ => reader.skip(),
        }),
        _ => reader.skip(),
    })?;
    Ok(spans)
}

/// Reads a list of `{"text": …}`.
fn texts(reader: &mut Reader<'_>, spans: &mut Vec<Range<usize>>) -> Result<(), Refusal> {
    let read = reader.array(|reader| {
        reader.object(|reader, key| match &*key.name {
            "text" => text(reader, spans),
            _ => reader.skip(),
        })
    });
    read.map(|_| ())
}

fn text(reader: &mut Reader<'_>, spans: &mut Vec<Range<usize>>) -> Result<(), Refusal> {
    spans.extend(reader.value()?.content());
    Ok(())
}

/// Reads `toolChoice` an object with one member. Is the model restricted in what it may call?
fn is_restricted(reader: &mut Reader<'_>) -> Result<bool, Refusal> {
    let mut is_restricted = false;
    reader.object(|reader, key| {
        is_restricted |= !matches!(&*key.name, "auto" | "any");
        reader.skip()
    })?;
    Ok(is_restricted)
}
