//! Amazon Bedrock Converse: `messages[].content[]` with `toolUse` and `toolResult`.

use crate::json::{Key, Kind, Reader};
use crate::refusal::Refusal;
use crate::request::builder::{RequestBuilder, ResultHeader};
use crate::request::call_index;
use crate::request::name_ref::{NameRef, read_name};
use crate::request::result::ResultShape;
use crate::request::sites::{CallSite, ResultAudience};
use crate::request::slot::Slot;
use std::borrow::Cow;
use std::ops::Range;

/// Reads a member at the top of the body.
pub(crate) fn read_member<'a>(
    reader: &mut Reader<'a>,
    key: &Key<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<(), Refusal> {
    match &*key.name {
        "messages" => {
            builder.messages.mark(key)?;
            builder.turns(reader, message)
        }
        "system" if builder.wants_texts => {
            reader.array(|reader| block(reader, builder))?;
            builder.end_message("system");
            Ok(())
        }
        "toolConfig" => reader.object(|reader, key| match &*key.name {
            "tools" => builder.tools(reader, &key),
            "toolChoice" => builder.restrict_tools(is_restricted(reader)?),
            _ => reader.skip(),
        }),
        _ => reader.skip(),
    }
}

fn message<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let (mut role, mut content) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "role" => role.set(&key, reader.text()?),
        "content" => {
            content.mark(&key)?;
            reader.array(|reader| block(reader, builder)).map(|_| ())
        }
        _ => reader.skip(),
    })?;
    builder.end_message(&role.take().unwrap_or_default());
    Ok(())
}

fn block<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let (mut once, mut text) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "toolUse" => once.set(&key, Some(ContentBlock::Call(tool_use(reader)?))),
        "reasoningContent" => once.set(&key, Some(ContentBlock::Thought(reasoning(reader)?))),
        "toolResult" => once.set(&key, Some(ContentBlock::Answer(tool_result(reader, builder)?))),
        "text" if builder.wants_texts => text.set(&key, reader.value()?.content()),
        "guardContent" if builder.wants_texts => guard_content(reader, builder),
        "document" | "searchResult" if builder.wants_texts => {
            builder.attach(attachment(reader)?);
            Ok(())
        }
        _ => reader.skip(),
    })?;
    builder.say(text.take());
    let element = reader.last_object();
    match once.take() {
        Some(ContentBlock::Call(call)) => builder.call(CallSite { element, ..call }),
        Some(ContentBlock::Answer(answer)) => builder.answer(ResultHeader { element, ..answer }),
        Some(ContentBlock::Thought(seal)) => builder.thought(seal, element),
        None => {}
    }
    builder.drop_texts();
    Ok(())
}

enum ContentBlock {
    Call(CallSite),
    Answer(ResultHeader),
    Thought(Option<NameRef>),
}

/// Reads `{"reasoningText": {"text", "signature"}}` or `{"redactedContent"}`: what seals it.
fn reasoning(reader: &mut Reader<'_>) -> Result<Option<NameRef>, Refusal> {
    let mut seal = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "reasoningText" => reader.object(|reader, key| match &*key.name {
            "signature" => seal.set(&key, read_name(reader)?),
            _ => reader.skip(),
        }),
        "redactedContent" => seal.set(&key, read_name(reader)?),
        _ => reader.skip(),
    })?;
    Ok(seal.take())
}

/// Reads `{"text": {"text": …}}`, which is text that a guardrail looks at.
fn guard_content<'a>(
    reader: &mut Reader<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<(), Refusal> {
    reader.object(|reader, key| match &*key.name {
        "text" => {
            let mut text = Slot::default();
            reader.object(|reader, key| match &*key.name {
                "text" => text.set(&key, reader.value()?.content()),
                _ => reader.skip(),
            })?;
            builder.say(text.take());
            Ok(())
        }
        _ => reader.skip(),
    })
}

fn tool_use(reader: &mut Reader<'_>) -> Result<CallSite, Refusal> {
    let (mut id, mut name, mut input) = (Slot::default(), Slot::default(), Slot::default());
    let mut kind = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "toolUseId" => id.set(&key, read_name(reader)?),
        "name" => name.set(&key, read_name(reader)?),
        "input" => input.set(&key, call_index::arguments(reader)?),
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
fn audience(kind: Option<Cow<'_, str>>) -> ResultAudience {
    if kind.is_some() { ResultAudience::Provider } else { ResultAudience::Model }
}

/// Reads a result; its texts are noted already.
fn tool_result<'a>(
    reader: &mut Reader<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<ResultHeader, Refusal> {
    let (mut id, mut status, mut kind) = (Slot::default(), Slot::default(), Slot::default());
    let mut content = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "toolUseId" => id.set(&key, read_name(reader)?),
        "status" => status.set(&key, reader.text()?),
        "type" => kind.set(&key, reader.text()?),
        "content" => {
            content.mark(&key)?;
            reader.array(|reader| part(reader, builder)).map(|_| ())
        }
        _ => reader.skip(),
    })?;
    Ok(ResultHeader {
        call_id: id.take(),
        tool_name: None,
        is_error: status.take().as_deref() == Some("error"),
        audience: audience(kind.take()),
        element: None,
    })
}

/// Reads `{"text": …}` or `{"json": …}`.
fn part<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let mut once = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "text" => {
            once.mark(&key)?;
            builder.text(reader)
        }
        "json" => {
            once.mark(&key)?;
            let value = reader.value()?;
            if let Kind::Object | Kind::Array | Kind::String = value.kind {
                builder.add_text(value.span, ResultShape::JsonBlock { key: key.start });
            }
            Ok(())
        }
        "document" | "searchResult" if builder.wants_texts => {
            builder.enclose(attachment(reader)?);
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
