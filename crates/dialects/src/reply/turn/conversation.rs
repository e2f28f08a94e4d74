//! Where a request's conversation ends.

use crate::dialect::Dialect;
use crate::json::{Kind, Reader, Value};
use crate::splice::Splice;
use std::borrow::Cow;

/// Appends elements to the conversation of a request.
pub(super) fn append(body: &[u8], dialect: Dialect, said: &str) -> Option<Splice<'static>> {
    let List { value, is_empty } = list(body, dialect)?;
    match value.kind {
        Kind::Array => {
            let end = value.span.end - 1;
            let comma = if is_empty { "" } else { "," };
            Some(Splice { range: end..end, with: Cow::Owned(format!("{comma}{said}")) })
        }
        // A text alone stands for one message of the user.
        Kind::String if dialect == Dialect::OpenAiResponses => {
            let text = str::from_utf8(body.get(value.span.clone())?).ok()?;
            let with = format!(r#"[{{"role":"user","content":{text}}},{said}]"#);
            Some(Splice { range: value.span, with: Cow::Owned(with) })
        }
        _ => None,
    }
}

/// The conversation.
struct List {
    value: Value,
    is_empty: bool,
}

fn list(body: &[u8], dialect: Dialect) -> Option<List> {
    let name = match dialect {
        Dialect::OpenAiResponses => "input",
        Dialect::Gemini => "contents",
        _ => "messages",
    };
    let mut found = None;
    let mut reader = Reader::new(body).ok()?;
    reader
        .object(|reader, key| {
            if key.name != name {
                return reader.skip();
            }
            let mut is_empty = true;
            let value = if reader.peek() == b'[' {
                let mut each = |reader: &mut Reader<'_>| {
                    is_empty = false;
                    reader.skip()
                };
                reader.array(&mut each)?.map(|span| Value { kind: Kind::Array, span })
            } else {
                Some(reader.value()?)
            };
            found = value.map(|value| List { value, is_empty });
            Ok(())
        })
        .ok()?;
    reader.finish().ok()?;
    found
}
