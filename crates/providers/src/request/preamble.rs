//! The system prompt: what a request says before the conversation begins.

use super::slot::Slot;
use crate::api::SystemPrompt;
use crate::dialect::Dialect;
use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use std::ops::Range;

/// Where the system prompt stands: a member of its own, or the messages of the system before anybody else speaks. What a
/// system says later is no part of it, or it would not stay the same while the conversation grows.
#[must_use]
pub fn preamble(body: &[u8], dialect: Dialect) -> Vec<Range<usize>> {
    let (place, mut spans) = (&dialect.profile().system_prompt, Vec::new());
    let read = Reader::new(body).and_then(|mut reader| {
        reader.object(|reader, key| member(reader, &key, place, &mut spans))?;
        reader.finish()
    });
    if read.is_ok() { spans } else { Vec::new() }
}

fn member(
    reader: &mut Reader<'_>,
    key: &Key<'_>,
    place: &SystemPrompt,
    spans: &mut Vec<Range<usize>>,
) -> Result<(), Refusal> {
    let is_among = |names: &[&str]| names.contains(&&*key.name);
    if is_among(place.members) {
        spans.push(reader.value()?.span);
        Ok(())
    } else if is_among(place.wrappers) {
        reader.object(|reader, key| member(reader, &key, place, spans))
    } else if is_among(place.messages) {
        leading(reader, spans)
    } else {
        reader.skip()
    }
}

/// Reads a list of messages, of which the first ones may be the system's.
fn leading(reader: &mut Reader<'_>, spans: &mut Vec<Range<usize>>) -> Result<(), Refusal> {
    let mut is_over = false;
    let read = reader.array(|reader| {
        if is_over {
            return reader.skip();
        }
        let mut role = Slot::default();
        reader.object(|reader, key| match &*key.name {
            "role" => role.set(&key, reader.text()?),
            _ => reader.skip(),
        })?;
        match (role.take().as_deref(), reader.last_object()) {
            (Some("system" | "developer"), Some(element)) => spans.push(element),
            _ => is_over = true,
        }
        Ok(())
    });
    read.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_15_only_what_stands_before_the_conversation_is_the_system_prompt() {
        let chat = r#"{"messages":[{"role":"system","content":"a"},{"role":"developer","content":"b"},{"role":"user","content":"c"},{"role":"system","content":"d"}]}"#;
        let input = chat.replace("messages", r#"instructions":"e","input"#);
        for (dialect, body, texts) in [
            (Dialect::OpenAiChat, chat, &["\"a\"", "\"b\""][..]),
            (Dialect::Ollama, chat, &["\"a\"", "\"b\""]),
            (Dialect::OpenAiResponses, &*input, &["\"e\"", "\"a\"", "\"b\""]),
            (Dialect::Anthropic, r#"{"system":[{"text":"a"}],"messages":[]}"#, &["\"a\""]),
            (Dialect::BedrockConverse, r#"{"system":[{"text":"a"}]}"#, &["\"a\""]),
            (Dialect::Gemini, r#"{"request":{"systemInstruction":{"parts":[]}}}"#, &["parts"]),
            (Dialect::Gemini, r#"{"contents":[]}"#, &[]),
            (Dialect::Anthropic, r#"{"system":"a""#, &[]),
        ] {
            let spans = preamble(body.as_bytes(), dialect);
            assert_eq!(spans.len(), texts.len(), "{dialect:?} {body}");
            for (span, text) in spans.into_iter().zip(texts) {
                assert!(body[span].contains(text), "{dialect:?} {body}");
            }
        }
    }
}
