//! OpenAI Chat Completions and Ollama: messages with `tool_calls`, and messages of the role `tool`.

use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use crate::request::calls;
use crate::request::choice;
use crate::request::found::{Answer, Found};
use crate::request::sites::CallSite;
use crate::request::slot::Slot;
use crate::request::word::{Word, word};

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
        "tools" => found.tools(reader, key),
        // What `tool_choice` was called before a message could have several calls.
        "tool_choice" | "function_call" => found.restrict_tools(choice::is_restricted(reader)?),
        _ => reader.skip(),
    }
}

fn message<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    found.calls.message();
    let (mut role, mut content, mut tool_calls) =
        (Slot::default(), Slot::default(), Slot::default());
    let (mut call_id, mut name, mut tool_name) =
        (Slot::default(), Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "role" => role.set(&key, reader.text()?),
        "tool_call_id" => call_id.set(&key, word(reader)?),
        "name" => name.set(&key, word(reader)?),
        "tool_name" => tool_name.set(&key, word(reader)?),
        "content" => {
            content.mark(&key)?;
            found.texts(reader, "text")
        }
        "tool_calls" => {
            tool_calls.mark(&key)?;
            reader.array(|reader| tool_call(reader, found)).map(|_| ())
        }
        // What `tool_calls` was called before a message could have several.
        "function_call" => {
            let (name, arguments) = function(reader)?;
            if name.is_some() {
                found.call(CallSite { name, arguments, ..CallSite::default() });
            }
            Ok(())
        }
        _ => reader.skip(),
    })?;
    match &*role.take().unwrap_or_default() {
        "tool" | "function" => found.answer(Answer {
            call_id: call_id.take(),
            tool_name: tool_name.take().or(name.take()),
            element: reader.last_object(),
            ..Answer::default()
        }),
        role => {
            found.say_texts();
            found.said_by(role);
        }
    }
    found.drop_texts();
    Ok(())
}

/// Reads `{"id", "type": "function", "function": {…}}`, or the same with `custom`.
fn tool_call<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let (mut id, mut call) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "id" => id.set(&key, word(reader)?),
        "function" | "custom" => call.set(&key, Some(function(reader)?)),
        _ => reader.skip(),
    })?;
    let (name, arguments) = call.take().unwrap_or_default();
    let (id, element) = (id.take(), reader.last_object());
    found.call(CallSite { id, name, arguments, element, ..CallSite::default() });
    Ok(())
}

type Function = (Option<Word>, Option<crate::request::Arguments>);

fn function(reader: &mut Reader<'_>) -> Result<Function, Refusal> {
    let (mut name, mut arguments) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "name" => name.set(&key, word(reader)?),
        "arguments" | "input" => arguments.set(&key, calls::arguments(reader)?),
        _ => reader.skip(),
    })?;
    Ok((name.take(), arguments.take()))
}
