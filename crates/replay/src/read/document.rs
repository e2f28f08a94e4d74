//! One JSON document: a session, a list of messages or a list of sessions.

use super::messages::Messages;
use super::sessions::{RecordedSession, Sessions};
use super::{LogError, LogOrigin, LogReader, TellEvent};
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde_json::Value;
use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

/// A longer session is no session: it is read whole.
const LARGEST: u64 = 48 << 20;

/// Reads a JSON document: a session, a list of messages, or a list of sessions, of which one at a time is held.
pub(super) fn document(
    mut input: Box<dyn BufRead>,
    tell: TellEvent<'_>,
) -> Result<LogOrigin, LogError> {
    let first = first_byte(&mut *input)?;
    if first == Some(b'{') {
        let session: RecordedSession =
            serde_json::from_reader(input.take(LARGEST)).map_err(document_error)?;
        let client = if session.is_opencode() { LogOrigin::Opencode } else { LogOrigin::Messages };
        Sessions::default().session(session, tell);
        return Ok(client);
    }
    let left = Rc::new(Cell::new(LARGEST));
    let bounded = BufReader::new(BoundedRead { input, left: left.clone() });
    let mut elements = serde_json::Deserializer::from_reader(bounded);
    let (messages, sessions) = (Messages::default(), Sessions::default());
    let told = elements.deserialize_seq(Elements { tell, messages, sessions, left });
    told.map_err(document_error)?;
    Ok(LogOrigin::Messages)
}

fn document_error(error: serde_json::Error) -> LogError {
    match error.classify() {
        serde_json::error::Category::Data => LogError::Unknown,
        serde_json::error::Category::Io => LogError::Io(error.into()),
        _ => LogError::NotJson(error),
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
    tell: TellEvent<'t>,
    messages: Messages,
    sessions: Sessions,
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
            if !is_message && let Ok(session) = serde_json::from_value::<RecordedSession>(element) {
                is_any = true;
                self.sessions.session(session, self.tell);
            }
        }
        self.messages.end(self.tell);
        if is_any { Ok(()) } else { Err(serde::de::Error::custom("no message in it")) }
    }
}

/// Ends with an error when a single element takes more than is left.
struct BoundedRead {
    input: Box<dyn BufRead>,
    left: Rc<Cell<u64>>,
}

impl Read for BoundedRead {
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
    use crate::transcript::{Author, Event};

    fn read(text: &'static str) -> Result<Vec<Event>, LogError> {
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

    fn authors(events: &[Event]) -> Vec<Author> {
        let author = |event: &Event| match event {
            Event::Message { message, .. } => Some(message.author),
            _ => None,
        };
        events.iter().filter_map(author).collect()
    }

    fn sessions(events: &[Event]) -> usize {
        events.iter().filter(|event| matches!(event, Event::Session { .. })).count()
    }

    #[test]
    fn a_body_is_itself_a_request() {
        let asked = [Author::Client, Author::Model];
        let body = read(r#"{"model":"gpt-4o","messages":[{"role":"user","content":"a"}]}"#);
        assert_eq!(authors(&body.unwrap()), asked);
        assert_eq!(authors(&read(r#"[{"role":"user","content":"a"}]"#).unwrap()), asked);
        let log = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"user\",\"content\":\"b\"}";
        let mut events = Vec::new();
        super::super::transcript(&|| Ok(Box::new(log.as_bytes())), &mut |event| events.push(event))
            .unwrap();
        assert_eq!(authors(&events), [Author::Client, Author::Client, Author::Model]);
    }

    /// Three requests of a conversation, with the mark for the cache on whichever message is last.
    const GROWING: [&str; 3] = [
        r#"{"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}]}"#,
        r#"{"system":"s","messages":[{"role":"user","content":"go"},
            {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ls","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.rs","cache_control":{"type":"ephemeral"}}]}]}"#,
        r#"{"system":"s","messages":[{"role":"user","content":"go"},
            {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ls","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.rs"}]},
            {"role":"assistant","content":"one file"},{"role":"user","content":"thanks"}]}"#,
    ];

    #[test]
    fn the_growing_bodies_of_a_conversation_are_one_session() {
        use Author::{Client, Model, ModelAgain, System};
        let said = [System, Client, Model, ModelAgain, Client, Model, ModelAgain, Client, Model];
        let (mut lines, mut reader) = (Vec::new(), Sessions::default());
        for body in GROWING {
            reader.line(body.as_bytes(), &mut |event| lines.push(event)).unwrap();
        }
        assert_eq!((sessions(&lines), authors(&lines)), (1, said.to_vec()));
        let list = format!("[{}]", GROWING.join(","));
        assert_eq!(read(list.leak()).unwrap(), lines);
    }

    #[test]
    fn a_body_that_is_sent_again_is_the_same_request_and_another_one_is_another() {
        let list = |bodies: &[&str]| read(format!("[{}]", bodies.join(",")).leak()).unwrap();
        assert_eq!(list(&[GROWING[1], GROWING[1]]), list(&[GROWING[1]]));
        let other = r#"{"messages":[{"role":"user","content":"other"}]}"#;
        assert_eq!(sessions(&list(&[GROWING[0], other, GROWING[1]])), 3);
        let named = |id| format!(r#"{{"id":"{id}","messages":[{{"role":"user","content":"a"}}]}}"#);
        assert_eq!(sessions(&list(&[&named("1"), &named("2")])), 2);
    }

    #[test]
    fn what_is_no_session_is_said_to_be_none() {
        assert!(matches!(read("{\"a\":1}"), Err(LogError::Unknown)));
        assert!(matches!(read("[1,2]"), Err(LogError::Unknown)));
        assert!(matches!(read("{\"messages\":["), Err(LogError::NotJson(_))));
    }
}
