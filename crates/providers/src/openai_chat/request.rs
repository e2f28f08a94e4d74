//! OpenAI Chat Completions and Ollama: messages with `tool_calls`, and messages of the role `tool`.

use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use crate::request::builder::{RequestBuilder, ResultHeader};
use crate::request::call_index;
use crate::request::choice;
use crate::request::name_ref::{NameRef, read_name};
use crate::request::sites::CallSite;
use crate::request::slot::Slot;

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
        // What `tool_choice` was called before a message could have several calls.
        "tool_choice" | "function_call" => builder.restrict_tools(choice::is_restricted(reader)?),
        _ => reader.skip(),
    }
}

fn message<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    builder.calls.begin_message();
    let (mut role, mut content, mut tool_calls) =
        (Slot::default(), Slot::default(), Slot::default());
    let (mut call_id, mut name, mut tool_name) =
        (Slot::default(), Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "role" => role.set(&key, reader.text()?),
        "tool_call_id" => call_id.set(&key, read_name(reader)?),
        "name" => name.set(&key, read_name(reader)?),
        "tool_name" => tool_name.set(&key, read_name(reader)?),
        "content" => {
            content.mark(&key)?;
            builder.texts(reader, "text")
        }
        "tool_calls" => {
            tool_calls.mark(&key)?;
            reader.array(|reader| tool_call(reader, builder)).map(|_| ())
        }
        // What `tool_calls` was called before a message could have several.
        "function_call" => {
            let (name, arguments) = function(reader)?;
            if name.is_some() {
                builder.call(CallSite { name, arguments, ..CallSite::default() });
            }
            Ok(())
        }
        _ => reader.skip(),
    })?;
    match &*role.take().unwrap_or_default() {
        "tool" | "function" => builder.answer(ResultHeader {
            call_id: call_id.take(),
            tool_name: tool_name.take().or(name.take()),
            element: reader.last_object(),
            ..ResultHeader::default()
        }),
        role => {
            builder.say_texts();
            builder.end_message(role);
        }
    }
    builder.drop_texts();
    Ok(())
}

/// Reads `{"id", "type": "function", "function": {…}}`, or the same with `custom`.
fn tool_call<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let (mut id, mut call) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "id" => id.set(&key, read_name(reader)?),
        "function" | "custom" => call.set(&key, Some(function(reader)?)),
        _ => reader.skip(),
    })?;
    let (name, arguments) = call.take().unwrap_or_default();
    let (id, element) = (id.take(), reader.last_object());
    builder.call(CallSite { id, name, arguments, element, ..CallSite::default() });
    Ok(())
}

type Function = (Option<NameRef>, Option<crate::request::CallArguments>);

fn function(reader: &mut Reader<'_>) -> Result<Function, Refusal> {
    let (mut name, mut arguments) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "name" => name.set(&key, read_name(reader)?),
        "arguments" | "input" => arguments.set(&key, call_index::arguments(reader)?),
        _ => reader.skip(),
    })?;
    Ok((name.take(), arguments.take()))
}
