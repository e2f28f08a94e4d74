//! The system prompt: what a request says before the conversation begins.

use super::Request;
use super::slot::Slot;
use crate::api::SystemPrompt;
use crate::dialect::Dialect;
use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use std::ops::Range;

impl Request<'_> {
    /// Where the system prompt stands in the body that this was read from: a member of its own, or the messages of the
    /// system before anybody else speaks. What a system says later is no part of it, or it would not stay the same while
    /// the conversation grows.
    ///
    /// The turns are not read again: reading all of a body a second time took a tenth of what a repeated request takes.
    #[must_use]
    pub fn system_prompt(&self, body: &[u8], dialect: Dialect) -> Vec<Range<usize>> {
        let list = self.list.as_ref();
        let turns = list.and_then(|list| Some(list.start..list.start + list.marks.last()?.end));
        let place = &dialect.profile().system_prompt;
        let mut walk = PromptWalk { place, turns, spans: Vec::new() };
        let read = Reader::new(body).and_then(|mut reader| {
            reader.object(|reader, key| walk.member(reader, &key))?;
            reader.finish()
        });
        if read.is_ok() { walk.spans } else { Vec::new() }
    }
}

/// Looks for the system prompt.
struct PromptWalk<'p> {
    place: &'p SystemPrompt,
    /// The turns that were read, from the bracket of their list to the end of the last one.
    turns: Option<Range<usize>>,
    spans: Vec<Range<usize>>,
}

impl PromptWalk<'_> {
    fn member(&mut self, reader: &mut Reader<'_>, key: &Key<'_>) -> Result<(), Refusal> {
        let is_among = |names: &[&str]| names.contains(&&*key.name);
        if is_among(self.place.members) {
            self.spans.push(reader.value()?.span);
            return Ok(());
        }
        if is_among(self.place.wrappers) {
            return reader.object(|reader, key| self.member(reader, &key));
        }
        let start = reader.upcoming();
        if is_among(self.place.messages) {
            self.spans
                .extend(leading(reader.spelling(start..start + reader.rest(start).len()), start));
        }
        match self.turns.clone().filter(|turns| turns.start == start) {
            Some(turns) => reader.array_from(turns.end, |reader| reader.skip()),
            None => reader.skip(),
        }
    }
}

/// The messages of the system with which a list begins: `text` begins with the list, which starts there in the body.
fn leading(text: &str, start: usize) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    // The walk ends at the first message with another role: the error only stops it.
    let _ = Reader::over(text).array(|reader| {
        let mut role = Slot::default();
        reader.object(|reader, key| match &*key.name {
            "role" => role.set(&key, reader.text()?),
            _ => reader.skip(),
        })?;
        match (role.take().as_deref(), reader.last_object()) {
            (Some("system" | "developer"), Some(element)) => {
                spans.push(element.start + start..element.end + start);
                Ok(())
            }
            _ => Err(Refusal::NotJson { at: start }),
        }
    });
    spans
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
            (Dialect::Anthropic, r#"{"messages":[{"role":"user"}],"system":"a"}"#, &["\"a\""]),
        ] {
            let request = Request::read(body.as_bytes(), dialect).unwrap();
            let spans = request.system_prompt(body.as_bytes(), dialect);
            assert_eq!(spans.len(), texts.len(), "{dialect:?} {body}");
            for (span, text) in spans.into_iter().zip(texts) {
                assert!(body[span].contains(text), "{dialect:?} {body}");
            }
        }
    }
}
