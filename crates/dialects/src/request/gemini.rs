//! Google's generateContent: `contents[].parts[]` with `functionCall` and `functionResponse`.
//!
//! Google reads members in camel case and in snake case.

use super::calls::{self, Call};
use super::found::{Answer, Found};
use super::result::Shape;
use super::slot::Slot;
use super::tools::Tools;
use crate::json::{Key, Kind, Reader};
use crate::refusal::Refusal;

/// Reads a member at the top of the body.
pub(super) fn member<'a>(
    reader: &mut Reader<'a>,
    key: &Key<'a>,
    found: &mut Found<'a>,
) -> Result<(), Refusal> {
    match &*key.name {
        // Code Assist and countTokens wrap the request.
        "request" | "generateContentRequest" | "generate_content_request" => {
            reader.object(|reader, key| inner(reader, &key, found))
        }
        _ => inner(reader, key, found),
    }
}

fn inner<'a>(reader: &mut Reader<'a>, key: &Key<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    match &*key.name {
        "contents" => {
            found.messages.mark(key)?;
            if reader.peek() == b'{' {
                return content(reader, found);
            }
            reader.array(|reader| content(reader, found)).map(|_| ())
        }
        "tools" => {
            found.tool_list.mark(key)?;
            reader.array(|reader| declarations(reader, found)).map(|_| ())
        }
        _ => reader.skip(),
    }
}

fn content<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    found.calls.message();
    let mut parts = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "parts" => {
            parts.mark(&key)?;
            if reader.peek() == b'{' {
                return part(reader, found);
            }
            reader.array(|reader| part(reader, found)).map(|_| ())
        }
        _ => reader.skip(),
    })
}

fn part<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let mut once = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "functionCall" | "function_call" => {
            once.mark(&key)?;
            function_call(reader, found)
        }
        "functionResponse" | "function_response" => {
            once.mark(&key)?;
            function_response(reader, found)
        }
        _ => reader.skip(),
    })
}

fn function_call<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let (mut id, mut name, mut args) = (Slot::default(), Slot::default(), Slot::default());
    reader.object(|reader, key| match &*key.name {
        "id" => id.set(&key, reader.text()?),
        "name" => name.set(&key, reader.text()?),
        "args" => args.set(&key, calls::arguments(reader)?),
        _ => reader.skip(),
    })?;
    let call = Call { name: name.take(), arguments: args.take(), is_direct: true };
    found.calls.add(id.take(), call);
    Ok(())
}

fn function_response<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let (mut id, mut name, mut response) = (Slot::default(), Slot::default(), Slot::default());
    let mut is_error = false;
    reader.object(|reader, key| match &*key.name {
        "id" => id.set(&key, reader.text()?),
        "name" => name.set(&key, reader.text()?),
        "response" => {
            response.mark(&key)?;
            reader.object(|reader, key| {
                let value = reader.value()?;
                is_error |= key.name == "error" && value.kind != Kind::Null;
                match (value.content(), value.kind) {
                    (Some(content), _) => found.add_text(content, Shape::Text),
                    (None, Kind::Object | Kind::Array) => found.add_text(value.span, Shape::Value),
                    _ => {}
                }
                Ok(())
            })
        }
        _ => reader.skip(),
    })?;
    found.answer(Answer { call_id: id.take(), tool_name: name.take(), is_error });
    Ok(())
}

/// Reads an entry of `tools`. The last of those that declare functions is the list.
fn declarations<'a>(reader: &mut Reader<'a>, found: &mut Found<'a>) -> Result<(), Refusal> {
    let mut once = Slot::default();
    reader.object(|reader, key| match &*key.name {
        "functionDeclarations" | "function_declarations" => {
            once.mark(&key)?;
            let Some(mut tools) = Tools::read(reader)? else { return Ok(()) };
            if let Some(earlier) = found.tools.take() {
                tools.count += earlier.count;
                tools.names.extend(earlier.names);
            }
            found.tools = Some(tools);
            Ok(())
        }
        _ => reader.skip(),
    })
}
