//! Google's generateContent: `contents[].parts[]` with `functionCall` and `functionResponse`.
//!
//! Google reads members in camel case and in snake case.

use super::tool_config;
use crate::json::{Key, Kind, Reader};
use crate::refusal::Refusal;
use crate::request::builder::{RequestBuilder, ResultHeader};
use crate::request::call_index;
use crate::request::head::generation_config;
use crate::request::name_ref::read_name;
use crate::request::result::ResultShape;
use crate::request::sites::CallSite;
use crate::request::slot::Slot;
use crate::request::tools::ToolList;
use std::borrow::Cow;

/// Reads a member at the top of the body.
pub(crate) fn read_member<'a>(
    reader: &mut Reader<'a>,
    key: &Key<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<(), Refusal> {
    match &*key.name {
        // Code Assist and countTokens wrap the request.
        "request" | "generateContentRequest" | "generate_content_request" => {
            reader.object(|reader, key| inner(reader, &key, builder))
        }
        _ => inner(reader, key, builder),
    }
}

fn inner<'a>(
    reader: &mut Reader<'a>,
    key: &Key<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<(), Refusal> {
    match &*key.name {
        "contents" => {
            builder.messages.mark(key)?;
            if reader.peek() == b'{' {
                return content(reader, builder);
            }
            builder.turns(reader, content)
        }
        "systemInstruction" | "system_instruction" if builder.wants_texts => {
            parts(reader, builder)?;
            builder.end_message("system");
            Ok(())
        }
        "generationConfig" | "generation_config" => {
            builder.choices.set(key, generation_config(reader)?.candidates)
        }
        "toolConfig" | "tool_config" => builder.restrict_tools(tool_config::is_restricted(reader)?),
        "tools" => {
            builder.tool_list.mark(key)?;
            reader.array(|reader| declarations(reader, builder)).map(|_| ())
        }
        _ => reader.skip(),
    }
}

fn content<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    builder.calls.begin_message();
    let role = parts(reader, builder)?;
    // A message without a role is the user's.
    builder.end_message(role.as_deref().unwrap_or("user"));
    Ok(())
}

/// Reads the parts of a content, and returns its role.
fn parts<'a>(
    reader: &mut Reader<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<Option<Cow<'a, str>>, Refusal> {
    let (mut role, mut parts) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "role" => role.set(&key, reader.text()?),
        "parts" => {
            parts.mark(&key)?;
            if reader.peek() == b'{' {
                return part(reader, builder, false);
            }
            reader.array(|reader| part(reader, builder, true)).map(|_| ())
        }
        _ => reader.skip(),
    })?;
    Ok(role.take())
}

fn part<'a>(
    reader: &mut Reader<'a>,
    builder: &mut RequestBuilder<'a>,
    is_listed: bool,
) -> Result<(), Refusal> {
    let (mut once, mut text) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "functionCall" | "function_call" => {
            once.set(&key, Some(ContentPart::Call(function_call(reader)?)))
        }
        "functionResponse" | "function_response" => {
            once.set(&key, Some(ContentPart::Answer(function_response(reader, builder)?)))
        }
        "text" if builder.wants_texts => text.set(&key, reader.value()?.content()),
        _ => reader.skip(),
    })?;
    builder.say(text.take());
    let element = reader.last_object().filter(|_| is_listed);
    match once.take() {
        Some(ContentPart::Call(call)) => builder.call(CallSite { element, ..call }),
        Some(ContentPart::Answer(answer)) => builder.answer(ResultHeader { element, ..answer }),
        None => {}
    }
    builder.drop_texts();
    Ok(())
}

enum ContentPart {
    Call(CallSite),
    Answer(ResultHeader),
}

fn function_call(reader: &mut Reader<'_>) -> Result<CallSite, Refusal> {
    let (mut id, mut name, mut args) = (Slot::default(), Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "id" => id.set(&key, read_name(reader)?),
        "name" => name.set(&key, read_name(reader)?),
        "args" => args.set(&key, call_index::arguments(reader)?),
        _ => reader.skip(),
    })?;
    Ok(CallSite { id: id.take(), name: name.take(), arguments: args.take(), ..CallSite::default() })
}

/// Reads a result; its texts are noted already.
fn function_response<'a>(
    reader: &mut Reader<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<ResultHeader, Refusal> {
    let (mut id, mut name, mut response) = (Slot::default(), Slot::default(), Slot::default());
    let mut is_error = false;
    reader.object(|reader, key| match &*key.name {
        "id" => id.set(&key, read_name(reader)?),
        "name" => name.set(&key, read_name(reader)?),
        "response" => {
            response.mark(&key)?;
            is_error = read_response(reader, builder)?;
            Ok(())
        }
        _ => reader.skip(),
    })?;
    Ok(ResultHeader {
        call_id: id.take(),
        tool_name: name.take(),
        is_error,
        ..ResultHeader::default()
    })
}

/// Reads what a function returned, an object: its members are the texts. Is it an error?
pub(crate) fn read_response<'a>(
    reader: &mut Reader<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<bool, Refusal> {
    let mut is_error = false;
    reader.object(|reader, key| {
        let value = reader.value()?;
        is_error |= key.name == "error" && value.kind != Kind::Null;
        match (value.content(), value.kind) {
            (Some(content), _) => builder.add_text(content, ResultShape::Text),
            (None, Kind::Object | Kind::Array) => builder.add_text(value.span, ResultShape::Value),
            _ => {}
        }
        Ok(())
    })?;
    Ok(is_error)
}

/// Reads an entry of `tools`. The last list of functions that is not empty is the list.
fn declarations<'a>(
    reader: &mut Reader<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<(), Refusal> {
    let mut once = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "functionDeclarations" | "function_declarations" => {
            once.mark(&key)?;
            let Some(mut tools) = ToolList::read(reader)? else { return Ok(()) };
            match builder.tools.take() {
                Some(earlier) if tools.count == 0 => tools = earlier,
                Some(earlier) => {
                    tools.count += earlier.count;
                    tools.names.extend(earlier.names.iter().cloned());
                    builder.further_tools.push(earlier);
                }
                None => {}
            }
            builder.tools = Some(tools);
            Ok(())
        }
        _ => reader.skip(),
    })
}
