//! Lists of messages as the OpenAI or the Anthropic API takes them: a message a line, a session a line, or one document.

use super::calls::Calls;
use super::{Client, Reader, Tell, Unreadable, not_json, opencode};
use crate::transcript::{Author, Event, Message, Part};
use crate::usage::Usage;
use serde::Deserialize;
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde_json::Value;
use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

/// A longer session is no session: it is read whole.
const LARGEST: u64 = 48 << 20;

/// A message a line.
#[derive(Default)]
pub(super) struct Messages(Calls);

impl Reader for Messages {
    fn line(&mut self, line: &[u8], tell: Tell<'_>) -> Result<(), String> {
        let message: Value = serde_json::from_slice(line).map_err(|error| not_json(&error))?;
        self.message(&message, tell).ok_or_else(|| "is no message: it has no role".to_owned())
    }
}

impl Messages {
    fn message(&mut self, message: &Value, tell: Tell<'_>) -> Option<()> {
        message["role"].as_str()?;
        let is_answer = message["role"] == "assistant";
        tell(Event::said(self.0.message(message)));
        if let Some(usage) = Usage::read(&message["usage"]).filter(|_| is_answer) {
            tell(Event::Usage { thread: crate::transcript::MAIN, usage });
        }
        Some(())
    }
}

/// A session a line.
pub(super) struct Sessions;

impl Reader for Sessions {
    fn line(&mut self, line: &[u8], tell: Tell<'_>) -> Result<(), String> {
        let session: Session = serde_json::from_slice(line).map_err(|error| not_json(&error))?;
        session.tell(tell);
        Ok(())
    }
}

/// A recorded session, or the body of a request.
#[derive(Debug, Deserialize)]
struct Session {
    messages: Vec<Value>,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    model: Value,
    #[serde(default)]
    tools: Value,
    #[serde(default)]
    system: Value,
    #[serde(default)]
    usage: Value,
    /// In an export of opencode.
    #[serde(default)]
    info: Value,
}

impl Session {
    fn tell(self, tell: Tell<'_>) {
        let name = self.id.as_str().or_else(|| self.info["id"].as_str());
        tell(Event::Session { name: name.map(str::to_owned) });
        if self.is_opencode() {
            return opencode::messages(&self.messages, tell);
        }
        if let Some(model) = self.model.as_str() {
            tell(Event::Model(model.to_owned()));
        }
        if self.tools.is_array() {
            tell(Event::Tools(self.tools.to_string()));
        }
        let mut messages = Messages::default();
        let system: Vec<Part> = messages.0.content(&self.system);
        if !system.is_empty() {
            tell(Event::said(Message { author: Author::Client, parts: system }));
        }
        let usages = self.usage.as_array();
        let answers = || self.messages.iter().filter(|message| message["role"] == "assistant");
        // Only a list of as many as there are answers says which is whose.
        let mut usages =
            usages.filter(|usages| usages.len() == answers().count()).into_iter().flatten();
        for message in &self.messages {
            // What is no message is none that a model saw.
            let is_read = messages.message(message, tell).is_some();
            if is_read && message["role"] == "assistant" {
                let usage = usages.next().and_then(Usage::read);
                if let Some(usage) = usage {
                    tell(Event::Usage { thread: crate::transcript::MAIN, usage });
                }
            }
        }
    }

    fn is_opencode(&self) -> bool {
        self.messages.first().is_some_and(|message| message["parts"].is_array())
    }
}

/// Reads a JSON document: a session, a list of messages, or a list of sessions, of which one at a time is held.
pub(super) fn document(mut input: Box<dyn BufRead>, tell: Tell<'_>) -> Result<Client, Unreadable> {
    let first = first_byte(&mut *input)?;
    if first == Some(b'{') {
        let session: Session = serde_json::from_reader(input.take(LARGEST)).map_err(failed)?;
        let client = if session.is_opencode() { Client::Opencode } else { Client::Messages };
        session.tell(tell);
        return Ok(client);
    }
    let left = Rc::new(Cell::new(LARGEST));
    let bounded = BufReader::new(Bounded { input, left: left.clone() });
    let mut elements = serde_json::Deserializer::from_reader(bounded);
    let told = elements.deserialize_seq(Elements { tell, messages: Messages::default(), left });
    told.map_err(failed)?;
    Ok(Client::Messages)
}

fn failed(error: serde_json::Error) -> Unreadable {
    match error.classify() {
        serde_json::error::Category::Data => Unreadable::Unknown,
        serde_json::error::Category::Io => Unreadable::Io(error.into()),
        _ => Unreadable::NotJson(error),
    }
}

/// The first byte that is no space.
fn first_byte(input: &mut dyn BufRead) -> io::Result<Option<u8>> {
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let spaces = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if let Some(first) = bytes.get(spaces) {
            return Ok(Some(*first));
        }
        input.consume(spaces);
    }
}

/// The elements of a list, told as they are read.
struct Elements<'t> {
    tell: Tell<'t>,
    messages: Messages,
    left: Rc<Cell<u64>>,
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages or of sessions")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        let mut is_any = false;
        while let Some(element) = elements.next_element::<Value>()? {
            self.left.set(LARGEST);
            let is_message = self.messages.message(&element, self.tell).is_some();
            is_any |= is_message;
            if !is_message && let Ok(session) = serde_json::from_value::<Session>(element) {
                is_any = true;
                session.tell(self.tell);
            }
        }
        if is_any { Ok(()) } else { Err(serde::de::Error::custom("no message in it")) }
    }
}

/// Ends with an error when a single element takes more than is left.
struct Bounded {
    input: Box<dyn BufRead>,
    left: Rc<Cell<u64>>,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        match self.left.get().checked_sub(read as u64) {
            Some(left) => self.left.set(left),
            None => {
                return Err(io::Error::other(format!(
                    "a session of more than {} MB",
                    LARGEST >> 20
                )));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<Vec<Event>, Unreadable> {
        let mut events = Vec::new();
        document(Box::new(text.as_bytes()), &mut |event| events.push(event))?;
        Ok(events)
    }

    #[test]
    fn a_session_tells_its_model_tools_and_usage_in_time() {
        let events = read(
            r#"{"id":"s","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}],
                "model":"gpt-4o","tools":[{"name":"t"}],"usage":[{"prompt_tokens":12,"completion_tokens":1}]}"#,
        )
        .unwrap();
        assert_eq!(events[0], Event::Session { name: Some("s".to_owned()) });
        assert_eq!(events[1], Event::Model("gpt-4o".to_owned()));
        assert!(matches!(&events[2], Event::Tools(tools) if tools == r#"[{"name":"t"}]"#));
        assert!(matches!(events[5], Event::Usage { usage, .. } if usage.input == 12.0));
    }

    #[test]
    fn a_list_is_of_messages_or_of_sessions() {
        let messages =
            read(r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#);
        assert_eq!(messages.unwrap().len(), 2);
        let sessions = read(r#"[{"messages":[{"role":"user","content":"a"}]},{"messages":[]}]"#);
        let sessions = sessions.unwrap();
        let begun = sessions.iter().filter(|event| matches!(event, Event::Session { .. })).count();
        assert_eq!(begun, 2);
    }

    #[test]
    fn what_is_no_session_is_said_to_be_none() {
        assert!(matches!(read("{\"a\":1}"), Err(Unreadable::Unknown)));
        assert!(matches!(read("[1,2]"), Err(Unreadable::Unknown)));
        assert!(matches!(read("{\"messages\":["), Err(Unreadable::NotJson(_))));
    }
}
