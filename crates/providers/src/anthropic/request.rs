//! Anthropic Messages: `messages[].content[]` with `tool_use` and `tool_result` blocks.

use crate::earlier_reading::NoEarlierReading;
use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use crate::request::boolean;
use crate::request::builder::{RequestBuilder, ResultHeader, each_text};
use crate::request::call_index;
use crate::request::choice;
use crate::request::name_ref::read_name;
use crate::request::result::ResultShape;
use crate::request::sites::{CallSite, ResultAudience};
use crate::request::slot::Slot;
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
        "tools" => builder.tools(reader, key),
        "tool_choice" => builder.restrict_tools(choice::is_restricted(reader)?),
        "system" if builder.wants_texts => builder.statement(reader, "text", "system"),
        "anthropic_version" => {
            builder.has_version = true;
            reader.skip()
        }
        _ => reader.skip(),
    }
}

fn message<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let (mut role, mut content) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "role" => role.set(&key, reader.text()?),
        "content" => {
            content.mark(&key)?;
            if reader.peek() != b'[' && builder.wants_texts {
                return builder.message_texts(reader, "text");
            }
            reader.array(|reader| block(reader, builder)).map(|_| ())
        }
        _ => reader.skip(),
    })?;
    builder.end_message(&role.take().unwrap_or_default());
    Ok(())
}

fn block<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let (mut kind, mut content, mut text) = (Slot::default(), Slot::default(), Slot::default());
    let (mut id, mut name, mut input, mut caller) =
        (Slot::default(), Slot::default(), Slot::default(), Slot::default());
    let (mut tool_use_id, mut is_error) = (Slot::default(), Slot::default());
    let (mut signature, mut data) = (Slot::default(), Slot::default());
    let mut attached = Vec::new();
    reader.object(|reader, key| match &*key.name {
        "type" => kind.set(&key, reader.text()?),
        "signature" => signature.set(&key, read_name(reader)?),
        "data" => data.set(&key, read_name(reader)?),
        "id" => id.set(&key, read_name(reader)?),
        "name" => name.set(&key, read_name(reader)?),
        "input" => input.set(&key, call_index::arguments(reader)?),
        "caller" => caller.set(&key, call_index::is_direct(reader)?),
        "tool_use_id" => tool_use_id.set(&key, read_name(reader)?),
        "is_error" => is_error.set(&key, boolean(reader)?),
        "content" => {
            content.mark(&key)?;
            contents(reader, builder)
        }
        "source" | "title" | "context" if builder.wants_texts => {
            document(reader, &key, &mut attached)
        }
        "text" if builder.wants_texts => text.set(&key, reader.value()?.content()),
        _ => reader.skip(),
    })?;
    // Where a program calls, it also reads.
    let is_programs = caller.take() == Some(false);
    let audience = if is_programs { ResultAudience::Program } else { ResultAudience::Model };
    let element = reader.last_object();
    match kind.take().as_deref() {
        Some("tool_use") => builder.call(CallSite {
            id: id.take(),
            name: name.take(),
            arguments: input.take(),
            element,
            audience,
        }),
        Some("text") => builder.say(text.take()),
        Some("tool_result") => builder.answer(ResultHeader {
            call_id: tool_use_id.take(),
            tool_name: None,
            is_error: is_error.take() == Some(true),
            audience,
            element,
        }),
        Some("thinking") => builder.thought(signature.take(), element),
        Some("redacted_thinking") => builder.thought(data.take(), element),
        Some("document") => builder.attach(attached),
        Some("search_result") => {
            builder.enclose(attached);
            builder.attach_texts();
        }
        _ => {}
    }
    builder.drop_texts();
    Ok(())
}

/// Reads the content of a result: a string or blocks, among which may be documents.
fn contents<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    if reader.peek() != b'[' || !builder.wants_texts {
        return builder.texts(reader, "text");
    }
    let read = reader.array(|reader| {
        let (mut kind, mut text, mut attached) = (Slot::default(), Slot::default(), Vec::new());
        reader.object(|reader, key| match &*key.name {
            "type" => kind.set(&key, reader.text()?),
            "text" => text.set(&key, builder.content(reader)?),
            "source" | "title" | "context" | "content" => document(reader, &key, &mut attached),
            _ => reader.skip(),
        })?;
        match kind.take().as_deref() {
            Some("text") => {
                text.take().into_iter().for_each(|span| builder.add_text(span, ResultShape::Text));
            }
            Some("document" | "search_result") => builder.enclose(attached),
            _ => {}
        }
        Ok(())
    });
    read.map(|_| ())
}

/// Reads a member of a document, or of a result of a search: where its texts are.
fn document(
    reader: &mut Reader<'_>,
    key: &Key<'_>,
    spans: &mut Vec<Range<usize>>,
) -> Result<(), Refusal> {
    match &*key.name {
        // Where a result of a search comes from is a string.
        "source" if reader.peek() == b'{' => {
            spans.extend(source(reader)?);
            Ok(())
        }
        "source" => reader.skip(),
        "content" => each_text(reader, "text", &NoEarlierReading, |span| spans.push(span)),
        _ => {
            spans.extend(reader.value()?.content());
            Ok(())
        }
    }
}

/// Reads where a document comes from; where its texts are, if they are here and not encoded.
fn source(reader: &mut Reader<'_>) -> Result<Vec<Range<usize>>, Refusal> {
    let (mut kind, mut data, mut content) = (Slot::default(), Vec::new(), Vec::new());
    reader.object(|reader, key| match &*key.name {
        "type" => kind.set(&key, reader.text()?),
        "data" => {
            data.extend(reader.value()?.content());
            Ok(())
        }
        "content" => each_text(reader, "text", &NoEarlierReading, |span| content.push(span)),
        _ => reader.skip(),
    })?;
    Ok(match kind.take().as_deref() {
        Some("text") => data,
        Some("content") => content,
        _ => Vec::new(),
    })
}
