//! opencode: a folder of files, one a message and one a part of it, or what `opencode export` prints.

use super::calls::SeenCalls;
use super::timestamp;
use super::{EventSink, UnreadableLog};
use crate::transcript::{LogEvent, LogMessage, MAIN, MessageAuthor, MessagePart};
use crate::usage::UsageCharge;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// A larger file is none of a message.
const LARGEST: u64 = 32 << 20;

/// The sessions in a storage folder: the folders that hold their messages. None if it is no such folder.
#[must_use]
pub fn sessions(storage: &Path) -> Vec<PathBuf> {
    let layouts = [storage.join("message"), storage.join("session").join("message")];
    let found = layouts.iter().flat_map(|folder| entries(folder));
    found.filter(|session| session.is_dir()).collect()
}

/// Reads a session, given by the folder of its messages.
///
/// # Errors
/// The folder cannot be read.
pub fn session(folder: &Path, tell: EventSink<'_>) -> Result<(), UnreadableLog> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    tell(LogEvent::Session { name });
    let mut state = OpencodeState::default();
    fs::read_dir(folder)?;
    for (line, file) in (1..).zip(entries(folder)) {
        let info = match document(&file) {
            Ok(info) => info,
            Err(error) => {
                tell(LogEvent::Skipped { line, reason: format!("message file: {error}") });
                continue;
            }
        };
        let files = parts_of(&file).map(|parts| entries(&parts)).unwrap_or_default();
        let parts: Vec<Value> = files.iter().filter_map(|part| document(part).ok()).collect();
        if parts.len() < files.len() {
            let reason = format!("{} of its parts cannot be read", files.len() - parts.len());
            tell(LogEvent::Skipped { line, reason });
        }
        state.message(&info, &parts, tell);
    }
    Ok(())
}

/// The messages of an export.
pub(super) fn messages(messages: &[Value], tell: EventSink<'_>) {
    let mut state = OpencodeState::default();
    for message in messages {
        let parts = message["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        state.message(&message["info"], parts, tell);
    }
}

/// The folder of a message's parts: beside `message/SESSION/MESSAGE.json` it is `part/MESSAGE`, or `part/SESSION/MESSAGE`.
fn parts_of(message: &Path) -> Option<PathBuf> {
    let (name, session) = (message.file_stem()?, message.parent()?);
    let root = session.parent()?.parent()?.join("part");
    let nested = root.join(session.file_name()?).join(name);
    Some(if nested.is_dir() { nested } else { root.join(name) })
}

fn document(path: &Path) -> io::Result<Value> {
    let mut text = Vec::new();
    File::open(path)?.take(LARGEST).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// What is in a folder, by name: ids grow with time.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[derive(Default)]
struct OpencodeState {
    calls: SeenCalls,
    model: Option<String>,
}

impl OpencodeState {
    fn message(&mut self, info: &Value, parts: &[Value], tell: EventSink<'_>) {
        timestamp::tell(&info["time"]["created"], tell);
        if info["role"] != "assistant" {
            let texts = parts.iter().filter_map(message_part).collect();
            return tell(LogEvent::in_main(LogMessage {
                author: MessageAuthor::Client,
                parts: texts,
            }));
        }
        // The answer of the agent that sums up is where the conversation begins anew.
        if info["summary"] == true {
            tell(LogEvent::Forgotten { thread: MAIN });
        }
        let model = info["modelID"].as_str().filter(|model| Some(*model) != self.model.as_deref());
        if let Some(model) = model {
            self.model = Some(model.to_owned());
            tell(LogEvent::Model(model.to_owned()));
        }
        let is_start = |part: &Value| part["type"] == "step-start";
        let steps: Vec<&[Value]> = parts.split(is_start).filter(|step| !step.is_empty()).collect();
        let is_one = steps.len() == 1;
        for step in steps {
            self.step(step, tell);
            let told = step.iter().filter(|part| part["type"] == "step-finish");
            let usage = told.filter_map(|part| UsageCharge::read(&part["tokens"])).next_back();
            let usage = usage.or_else(|| UsageCharge::read(&info["tokens"]).filter(|_| is_one));
            if let Some(usage) = usage {
                tell(LogEvent::Usage { thread: MAIN, usage });
            }
        }
    }

    /// An answer and the results of its calls.
    fn step(&mut self, parts: &[Value], tell: EventSink<'_>) {
        let (mut answer, mut results) = (Vec::new(), Vec::new());
        for part in parts {
            if part["type"] != "tool" {
                answer.extend(message_part(part));
                continue;
            }
            let (call, state) = (&part["callID"], &part["state"]);
            answer.push(self.calls.call(call, &part["tool"], &state["input"]));
            let is_error = state["status"] == "error";
            let output = if is_error { &state["error"] } else { &state["output"] };
            if output.is_string() {
                results.extend(self.calls.result_of(call.as_str(), output, is_error));
            }
        }
        tell(LogEvent::in_main(LogMessage { author: MessageAuthor::Model, parts: answer }));
        if !results.is_empty() {
            let ends = parts.iter().map(|part| &part["state"]["time"]["end"]);
            ends.for_each(|end| timestamp::tell(end, tell));
            tell(LogEvent::in_main(LogMessage { author: MessageAuthor::Client, parts: results }));
        }
    }
}

/// What a part says, if it says anything to the model.
fn message_part(part: &Value) -> Option<MessagePart> {
    match part["type"].as_str()? {
        "text" | "reasoning" => {
            part["text"].as_str().map(|text| MessagePart::Text(text.to_owned()))
        }
        "file" if part["mime"].as_str().is_some_and(|mime| mime.starts_with("image/")) => {
            Some(MessagePart::Image)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A message with one step of a tool call, as an export has it.
    fn example(tool: &str, output: &str) -> Value {
        json!({"info": {"id": "ses_1"}, "messages": [
            {"info": {"role": "user"}, "parts": [{"type": "text", "text": "look"}]},
            {"info": {"role": "assistant", "modelID": "claude-sonnet-4-5"}, "parts": [
                {"type": "step-start"},
                {"type": "tool", "callID": "c1", "tool": tool,
                 "state": {"status": "completed", "input": {"command": "ls"}, "output": output}},
                {"type": "step-finish", "tokens": {"input": 5, "output": 9, "cache": {"read": 50, "write": 20}}},
            ]},
            {"info": {"role": "assistant", "modelID": "claude-sonnet-4-5"}, "parts": [{"type": "text", "text": "done"}]},
        ]})
    }

    fn events_of(read: impl FnOnce(EventSink<'_>)) -> Vec<LogEvent> {
        let mut events = Vec::new();
        read(&mut |event| events.push(event));
        events
    }

    #[test]
    fn an_export_and_the_storage_tell_the_same() {
        let export = example("bash", "a.rs");
        let list = export["messages"].as_array().unwrap();
        let from_export = events_of(|tell| messages(list, tell));
        let folder = tempfile::tempdir().unwrap();
        for (number, message) in list.iter().enumerate() {
            let place = folder.path().join("message/ses_1");
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join(format!("msg_{number}.json")), message["info"].to_string())
                .unwrap();
            let place = folder.path().join(format!("part/msg_{number}"));
            fs::create_dir_all(&place).unwrap();
            for (part, value) in message["parts"].as_array().unwrap().iter().enumerate() {
                fs::write(place.join(format!("prt_{part}.json")), value.to_string()).unwrap();
            }
        }
        let found = sessions(folder.path());
        assert_eq!(found.len(), 1);
        let from_storage = events_of(|tell| session(&found[0], tell).unwrap());
        assert_eq!(from_storage[0], LogEvent::Session { name: Some("ses_1".to_owned()) });
        assert_eq!(from_storage[1..], from_export);
        let usage = UsageCharge {
            input: 5.0,
            cache_read: 50.0,
            cache_write: 20.0,
            output: 9.0,
            ..UsageCharge::default()
        };
        assert!(from_export.contains(&LogEvent::Usage { thread: MAIN, usage }));
    }
}
