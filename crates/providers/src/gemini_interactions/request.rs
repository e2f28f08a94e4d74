//! Google's Interactions: `input[]` with calls and their results as steps of their own.
//!
//! A request that goes on from an interaction which the provider keeps (`previous_interaction_id`) has only the new
//! results: their calls are not in the body, and who answers what is told by the name in the result.

use crate::gemini;
use crate::json::{Key, Kind, Reader};
use crate::refusal::Refusal;
use crate::request::boolean;
use crate::request::builder::{RequestBuilder, ResultHeader};
use crate::request::call_index;
use crate::request::choice;
use crate::request::name_ref::read_name;
use crate::request::sites::{CallSite, ResultAudience};
use crate::request::slot::Slot;

/// Reads a member at the top of the body.
pub(crate) fn read_member<'a>(
    reader: &mut Reader<'a>,
    key: &Key<'a>,
    builder: &mut RequestBuilder<'a>,
) -> Result<(), Refusal> {
    match &*key.name {
        "input" => {
            builder.messages.mark(key)?;
            match reader.peek() {
                b'{' => step(reader, builder),
                b'[' => builder.turns(reader, step),
                _ if builder.wants_texts => builder.statement(reader, "text", "user"),
                _ => reader.skip(),
            }
        }
        "system_instruction" if builder.wants_texts => builder.statement(reader, "text", "system"),
        "tools" => builder.tools(reader, key),
        "tool_choice" => builder.restrict_tools(choice::is_restricted(reader)?),
        "background" => {
            builder.is_background |= boolean(reader)? == Some(true);
            Ok(())
        }
        // An agent works at the provider, over as many turns as it takes: what comes of it is not waited for.
        "agent" => {
            builder.is_background |= reader.value()?.kind != Kind::Null;
            Ok(())
        }
        _ => reader.skip(),
    }
}

fn step<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let (mut kind, mut id, mut call_id) = (Slot::default(), Slot::default(), Slot::default());
    let (mut name, mut arguments) = (Slot::default(), Slot::default());
    let (mut result, mut is_error) = (Slot::default(), Slot::default());
    let (mut signature, mut content, mut text) =
        (Slot::default(), Slot::default(), Slot::default());
    let mut has_error = false;
    reader.object(|reader, key| match &*key.name {
        "type" => kind.set(&key, reader.text()?),
        "id" => id.set(&key, read_name(reader)?),
        "call_id" => call_id.set(&key, read_name(reader)?),
        "name" => name.set(&key, read_name(reader)?),
        "arguments" => arguments.set(&key, call_index::arguments(reader)?),
        "signature" => signature.set(&key, read_name(reader)?),
        "is_error" => is_error.set(&key, boolean(reader)?),
        "result" => {
            result.mark(&key)?;
            match reader.peek() {
                // What a function of the client returns, as generateContent has it.
                b'{' => {
                    has_error = gemini::read_response(reader, builder)?;
                    Ok(())
                }
                _ => builder.texts(reader, "text"),
            }
        }
        "content" if builder.wants_texts => {
            content.mark(&key)?;
            builder.message_texts(reader, "text")
        }
        // A content in place of a step.
        "text" if builder.wants_texts => text.set(&key, reader.value()?.content()),
        _ => reader.skip(),
    })?;
    let element = reader.last_object();
    let kind = kind.take().unwrap_or_default();
    let role = match &*kind {
        "function_call" => {
            builder.call(CallSite {
                id: id.take(),
                name: name.take(),
                arguments: arguments.take(),
                element,
                audience: ResultAudience::Model,
            });
            ""
        }
        "function_result" => {
            builder.answer(ResultHeader {
                call_id: call_id.take(),
                tool_name: name.take(),
                is_error: is_error.take() == Some(true) || has_error,
                audience: ResultAudience::Model,
                element,
            });
            "tool"
        }
        "thought" => {
            builder.model_speaks();
            builder.thought(signature.take(), element);
            ""
        }
        "model_output" => "model",
        "text" => {
            builder.say(text.take());
            "user"
        }
        "user_input" => "user",
        // What the provider's own tools did.
        kind if kind.ends_with("_call") => {
            builder.model_speaks();
            ""
        }
        _ => "",
    };
    builder.drop_texts();
    builder.end_message(role);
    Ok(())
}
