//! OpenAI Responses: `input[]` with calls and their outputs as items of their own.

use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use crate::request::boolean;
use crate::request::builder::{RequestBuilder, ResultHeader};
use crate::request::call_index;
use crate::request::choice;
use crate::request::name_ref::{NameRef, read_name};
use crate::request::sites::{CallSite, ResultAudience};
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
        "input" => {
            builder.messages.mark(key)?;
            if reader.peek() != b'[' && builder.wants_texts {
                return builder.statement(reader, "input_text", "user");
            }
            builder.turns(reader, item)
        }
        "instructions" if builder.wants_texts => builder.statement(reader, "input_text", "system"),
        "tools" => builder.tools(reader, key),
        "tool_choice" => builder.restrict_tools(choice::is_restricted(reader)?),
        "background" => {
            builder.is_background |= boolean(reader)? == Some(true);
            Ok(())
        }
        _ => reader.skip(),
    }
}

fn item<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let (mut kind, mut id, mut call_id) = (Slot::default(), Slot::default(), Slot::default());
    let (mut name, mut arguments) = (Slot::default(), Slot::default());
    let (mut caller, mut environment) = (Slot::default(), Slot::default());
    let (mut output, mut status, mut tools) = (Slot::default(), Slot::default(), Slot::default());
    let (mut role, mut content, mut encrypted) =
        (Slot::default(), Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "type" => kind.set(&key, reader.text()?),
        "id" => id.set(&key, read_name(reader)?),
        "call_id" => call_id.set(&key, read_name(reader)?),
        "encrypted_content" => encrypted.set(&key, read_name(reader)?),
        "name" => name.set(&key, read_name(reader)?),
        "arguments" | "input" | "action" | "operation" => {
            arguments.set(&key, call_index::arguments(reader)?)
        }
        "caller" => caller.set(&key, call_index::is_direct(reader)?),
        "environment" => environment.set(&key, call_index::is_of_type(reader, "local")?),
        "role" => role.set(&key, reader.text()?),
        "content" if builder.wants_texts => {
            content.mark(&key)?;
            builder.message_texts(reader, "input_text")
        }
        "status" => status.set(&key, reader.text()?),
        "tools" => tools.set(&key, ToolList::read(reader)?),
        "output" => {
            output.mark(&key)?;
            outputs(reader, builder)
        }
        _ => reader.skip(),
    })?;
    // Where a program calls, it also reads; what ran at the provider is the provider's.
    let audience = match (caller.take(), environment.take()) {
        (_, Some(false)) => ResultAudience::Provider,
        (Some(false), _) => ResultAudience::Program,
        _ => ResultAudience::Model,
    };
    let element = reader.last_object();
    let kind = kind.take().unwrap_or_default();
    match &*kind {
        "function_call" | "custom_tool_call" | "local_shell_call" | "shell_call"
        | "apply_patch_call" => {
            builder.call(CallSite {
                id: call_id.take(),
                name: name.take().or(own_name(&kind)),
                arguments: arguments.take(),
                element,
                audience,
            });
            if let ("local_shell_call", Some(id)) = (&*kind, id.take()) {
                builder.calls.add_alias(&id);
            }
        }
        "function_call_output"
        | "custom_tool_call_output"
        | "local_shell_call_output"
        | "shell_call_output"
        | "apply_patch_call_output" => {
            let of_shell = if kind == "local_shell_call_output" { id.take() } else { None };
            builder.answer(ResultHeader {
                call_id: call_id.take().or(of_shell),
                tool_name: None,
                is_error: status.take().as_deref() == Some("failed"),
                audience,
                element,
            });
        }
        "additional_tools" => builder.item_tools(tools.take()),
        // What the provider's own tools did, and why.
        "reasoning" => {
            builder.model_speaks();
            // Clients that keep nothing at the provider leave ids out.
            builder.thought(encrypted.take().or(id.take()), element);
        }
        kind if kind.ends_with("_call") => builder.model_speaks(),
        _ => {}
    }
    builder.drop_texts();
    let role = match &*kind {
        "message" | "" => role.take().unwrap_or_default(),
        kind if kind.ends_with("_call_output") => Cow::Borrowed("tool"),
        _ => Cow::default(),
    };
    builder.end_message(&role);
    Ok(())
}

/// What the provider's tools that run at the client are called.
fn own_name(kind: &str) -> Option<NameRef> {
    Some(NameRef::Fixed(match kind {
        "local_shell_call" => "local_shell",
        "shell_call" => "shell",
        "apply_patch_call" => "apply_patch",
        _ => return None,
    }))
}

/// Reads an output: a string, or a list of texts and images, or one of what commands printed.
fn outputs<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    if reader.peek() != b'[' {
        return builder.text(reader);
    }
    reader.array(|reader| part(reader, builder)).map(|_| ())
}

/// Reads `{"type": "input_text", "text"}`, or `{"stdout", "stderr", "outcome"}`.
fn part<'a>(reader: &mut Reader<'a>, builder: &mut RequestBuilder<'a>) -> Result<(), Refusal> {
    let (mut kind, mut text) = (Slot::default(), Slot::default());
    let (mut stdout, mut stderr) = (Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "type" => kind.set(&key, reader.text()?),
        "text" => text.set(&key, reader.value()?.content()),
        "stdout" => stdout.set(&key, reader.value()?.content()),
        "stderr" => stderr.set(&key, reader.value()?.content()),
        _ => reader.skip(),
    })?;
    let spans = match kind.take().as_deref() {
        Some("input_text") => [text.take(), None],
        Some(_) => [None, None],
        None => [stdout.take(), stderr.take()],
    };
    let mut spans: Vec<_> = spans.into_iter().flatten().collect();
    spans.sort_by_key(|span| span.start);
    for span in spans {
        builder.add_text(span, crate::request::ResultShape::Text);
    }
    Ok(())
}
