//! Claude Code: `~/.claude/projects/PROJECT/SESSION.jsonl`, and a file for each subagent of newer versions.
//!
//! A line is an entry with its own id and that of the entry before it. An answer of the model is several entries, one a
//! block, that share the answer's id and repeat its usage. Subagents of older versions are in between, `isSidechain`.
//! An entry may be written several times, and a session that is resumed or forked may begin with copies of another's.

use super::calls::SeenCalls;
use super::timestamp;
use super::{EventSink, LogReader, not_json};
use crate::transcript::{LogEvent, MAIN, MessageAuthor, MessagePart, ThreadId};
use crate::usage::UsageCharge;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Entries that are remembered: going back further, or a copy that comes later, is not seen.
const REMEMBERED: usize = 1 << 18;

/// Claude Code's transcripts.
#[derive(Default)]
pub(super) struct ClaudeCode {
    calls: SeenCalls,
    model: Option<String>,
    threads: HashMap<ThreadId, ThreadPlace>,
    /// Where in which conversation an entry is.
    entries: HashMap<u64, (ThreadId, usize)>,
    /// Messages that were told, also those before a summary.
    told: HashSet<u64>,
}

/// How far a conversation is.
#[derive(Default)]
struct ThreadPlace {
    messages: usize,
    /// How many messages there were after the last answer.
    answered: usize,
    /// The id of the last answer.
    answer: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClaudeEntry {
    #[serde(rename = "type")]
    kind: Option<String>,
    subtype: Option<String>,
    uuid: Option<String>,
    parent_uuid: Option<String>,
    agent_id: Option<String>,
    is_sidechain: Option<bool>,
    is_meta: Option<bool>,
    is_api_error_message: Option<bool>,
    request_id: Option<String>,
    message: Option<Value>,
    #[serde(default)]
    timestamp: Value,
}

/// What of an entry tells the request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestIds<'l> {
    #[serde(borrow)]
    uuid: Option<Cow<'l, str>>,
    #[serde(borrow)]
    request_id: Option<Cow<'l, str>>,
    #[serde(borrow)]
    message: Option<AnswerId<'l>>,
}

#[derive(Deserialize)]
struct AnswerId<'l> {
    #[serde(borrow)]
    id: Option<Cow<'l, str>>,
}

/// The id of the request that a line has an answer to, if it is an answer.
pub(super) fn request(line: &[u8]) -> Option<u64> {
    // Most of a log is results, which need not be parsed.
    memchr::memmem::find(line, b"\"assistant\"")?;
    let RequestIds { uuid, request_id, message } = serde_json::from_slice(line).ok()?;
    request_of(message?.id.as_deref(), request_id.as_deref(), uuid.as_deref())
}

/// Who answers may give many answers the same id, so that alone tells nothing.
fn request_of(answer: Option<&str>, request: Option<&str>, entry: Option<&str>) -> Option<u64> {
    Some(hash(&(answer?, request.or(entry)?)))
}

impl LogReader for ClaudeCode {
    fn line(&mut self, line: &[u8], tell: EventSink<'_>) -> Result<(), String> {
        let entry: ClaudeEntry = serde_json::from_slice(line).map_err(|error| not_json(&error))?;
        if self.is_told(&entry) {
            return Ok(());
        }
        timestamp::tell(&entry.timestamp, tell);
        let thread = self.thread(&entry);
        match entry.kind.as_deref() {
            Some("user") => self.user(&entry, thread, tell),
            Some("assistant") => self.assistant(&entry, thread, tell),
            Some("system") if entry.subtype.as_deref() == Some("compact_boundary") => {
                self.threads.insert(thread, ThreadPlace::default());
                self.entries.retain(|_, (of, _)| *of != thread);
                tell(LogEvent::Forgotten { thread });
            }
            _ => {}
        }
        if let Some(uuid) = &entry.uuid {
            if self.entries.len() >= REMEMBERED {
                self.entries.clear();
            }
            let messages = self.threads.get(&thread).map_or(0, |place| place.messages);
            self.entries.insert(hash(uuid), (thread, messages));
        }
        Ok(())
    }
}

impl ClaudeCode {
    /// Is it a copy of a message that was told?
    fn is_told(&mut self, entry: &ClaudeEntry) -> bool {
        let is_message = matches!(entry.kind.as_deref(), Some("user" | "assistant"));
        let Some(uuid) = entry.uuid.as_ref().filter(|_| is_message) else { return false };
        if self.told.len() >= REMEMBERED {
            self.told.clear();
        }
        !self.told.insert(hash(uuid))
    }

    /// The conversation that an entry belongs to. Subagents have a name, or begin where no entry is before them.
    fn thread(&self, entry: &ClaudeEntry) -> ThreadId {
        if entry.is_sidechain != Some(true) {
            return MAIN;
        }
        if let Some(agent) = &entry.agent_id {
            return hash(agent);
        }
        let parent = entry.parent_uuid.as_ref().and_then(|uuid| self.entries.get(&hash(uuid)));
        match parent {
            Some((thread, _)) if *thread != MAIN => *thread,
            _ => entry.uuid.as_deref().map_or(1, hash),
        }
    }

    fn user(&mut self, entry: &ClaudeEntry, thread: ThreadId, tell: EventSink<'_>) {
        let Some(message) = &entry.message else { return };
        let mut message = self.calls.message(message);
        message.author = MessageAuthor::Client;
        if message.parts.is_empty() {
            return;
        }
        let is_prompt = !message.parts.iter().any(|part| matches!(part, MessagePart::Result(_)));
        if is_prompt && entry.is_meta != Some(true) {
            self.rewind(entry, thread, tell);
        }
        self.threads.entry(thread).or_default().messages += 1;
        tell(LogEvent::Message { thread, message });
    }

    /// A prompt that follows an entry from before the last answer is one that the user went back for.
    fn rewind(&mut self, entry: &ClaudeEntry, thread: ThreadId, tell: EventSink<'_>) {
        let parent = entry.parent_uuid.as_ref().and_then(|uuid| self.entries.get(&hash(uuid)));
        let (Some((of, messages)), Some(place)) = (parent, self.threads.get_mut(&thread)) else {
            return;
        };
        if *of == thread && *messages < place.answered {
            *place = ThreadPlace { messages: *messages, ..ThreadPlace::default() };
            tell(LogEvent::Rewound { thread, messages: *messages });
        }
    }

    fn assistant(&mut self, entry: &ClaudeEntry, thread: ThreadId, tell: EventSink<'_>) {
        let Some(body) = &entry.message else { return };
        let model = body["model"].as_str();
        // What the client itself said in the model's place was no request.
        if entry.is_api_error_message == Some(true) || model == Some("<synthetic>") {
            return;
        }
        if let Some(model) = model.filter(|model| Some(*model) != self.model.as_deref()) {
            self.model = Some(model.to_owned());
            tell(LogEvent::Model(model.to_owned()));
        }
        let mut message = self.calls.message(body);
        let place = self.threads.entry(thread).or_default();
        let id = body["id"].as_str();
        let is_again = id.is_some() && id == place.answer.as_deref();
        message.author = if is_again { MessageAuthor::ModelAgain } else { MessageAuthor::Model };
        place.answer = id.map(str::to_owned);
        place.messages += 1;
        place.answered = place.messages;
        tell(LogEvent::Message { thread, message });
        let request = request_of(id, entry.request_id.as_deref(), entry.uuid.as_deref());
        if let Some(id) = request.filter(|_| !is_again) {
            tell(LogEvent::Request { thread, id });
        }
        if let Some(usage) = UsageCharge::read(&body["usage"]) {
            tell(LogEvent::Usage { thread, usage });
        }
    }
}

fn hash(name: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish().max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(log: &str) -> Vec<LogEvent> {
        let mut events = Vec::new();
        let mut reader = ClaudeCode::default();
        for line in log.lines() {
            reader.line(line.trim().as_bytes(), &mut |event| events.push(event)).unwrap();
        }
        events
    }

    fn authors(events: &[LogEvent]) -> Vec<(bool, MessageAuthor)> {
        let message = |event: &LogEvent| match event {
            LogEvent::Message { thread, message } => Some((*thread == MAIN, message.author)),
            _ => None,
        };
        events.iter().filter_map(message).collect()
    }

    #[test]
    fn the_blocks_of_an_answer_are_one_answer() {
        let events = events(
            r#"{"type":"user","uuid":"1","message":{"role":"user","content":"list"}}
               {"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m1","role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"I look."}],"usage":{"input_tokens":3,"output_tokens":1}}}
               {"type":"assistant","uuid":"3","parentUuid":"2","message":{"id":"m1","role":"assistant","model":"claude-opus-4-5","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":3,"output_tokens":20}}}
               {"type":"user","uuid":"4","parentUuid":"3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.rs"}]},"toolUseResult":{"stdout":"a.rs"}}
               {"type":"assistant","uuid":"5","parentUuid":"4","message":{"id":"m2","role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"done"}]}}"#,
        );
        let said = [
            MessageAuthor::Client,
            MessageAuthor::Model,
            MessageAuthor::ModelAgain,
            MessageAuthor::Client,
            MessageAuthor::Model,
        ];
        assert_eq!(authors(&events), said.map(|author| (true, author)));
        let usages = events.iter().filter(|event| matches!(event, LogEvent::Usage { .. })).count();
        assert_eq!(usages, 2);
    }

    #[test]
    fn an_entry_that_is_written_again_is_told_once() {
        let log = r#"{"type":"user","uuid":"1","message":{"role":"user","content":"one"}}
               {"type":"assistant","uuid":"2","parentUuid":"1","requestId":"r1","message":{"id":"m1","role":"assistant","content":[],"usage":{"input_tokens":3}}}"#;
        let once = events(log);
        assert_eq!(events(&format!("{log}\n{log}")), once);
        let summary = r#"{"type":"system","subtype":"compact_boundary","uuid":"3"}"#;
        let events = events(&format!("{log}\n{summary}\n{log}"));
        assert_eq!(events[..once.len()], once);
        assert_eq!(events[once.len()..], [LogEvent::Forgotten { thread: MAIN }]);
    }

    #[test]
    fn a_request_is_known_by_what_its_copy_has_too() {
        let entry = |uuid: &str, session: &str, request: &str| {
            format!(
                r#"{{"type":"assistant","uuid":"{uuid}","sessionId":"{session}",{request}"message":{{"id":"m1","role":"assistant","content":[]}}}}"#
            )
        };
        let told = |line: &str| {
            let ids = events(line).into_iter().filter_map(|event| match event {
                LogEvent::Request { id, .. } => Some(id),
                _ => None,
            });
            let ids: Vec<u64> = ids.collect();
            assert_eq!(ids, [request(line.as_bytes()).unwrap()]);
            ids[0]
        };
        let named = told(&entry("1", "a", r#""requestId":"r1","#));
        assert_eq!(told(&entry("2", "b", r#""requestId":"r1","#)), named);
        assert_ne!(told(&entry("1", "a", r#""requestId":"r2","#)), named);
        assert_eq!(told(&entry("1", "a", "")), told(&entry("1", "b", "")));
        assert_ne!(told(&entry("1", "a", "")), told(&entry("2", "a", "")));
        assert_eq!(request(br#"{"type":"user","uuid":"1","message":{"role":"user"}}"#), None);
    }

    #[test]
    fn subagents_have_conversations_of_their_own() {
        let events = events(
            r#"{"type":"user","uuid":"1","message":{"role":"user","content":"go"}}
               {"type":"user","uuid":"s1","isSidechain":true,"message":{"role":"user","content":"sub"}}
               {"type":"assistant","uuid":"s2","parentUuid":"s1","isSidechain":true,"message":{"id":"m1","role":"assistant","content":[]}}
               {"type":"user","uuid":"a1","isSidechain":true,"agentId":"x","message":{"role":"user","content":"sub"}}
               {"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m2","role":"assistant","content":[]}}"#,
        );
        let threads: Vec<ThreadId> = events
            .iter()
            .filter_map(|event| match event {
                LogEvent::Message { thread, .. } => Some(*thread),
                _ => None,
            })
            .collect();
        assert_eq!((threads[0], threads[4]), (MAIN, MAIN));
        assert_eq!(threads[1], threads[2]);
        assert!(threads[1] != MAIN && threads[3] != MAIN && threads[1] != threads[3]);
    }

    #[test]
    fn a_prompt_that_goes_back_takes_back_what_came_after() {
        let events = events(
            r#"{"type":"user","uuid":"1","message":{"role":"user","content":"one"}}
               {"type":"assistant","uuid":"2","parentUuid":"1","message":{"id":"m1","role":"assistant","content":[]}}
               {"type":"user","uuid":"3","parentUuid":"2","message":{"role":"user","content":"two"}}
               {"type":"assistant","uuid":"4","parentUuid":"3","message":{"id":"m2","role":"assistant","content":[]}}
               {"type":"user","uuid":"5","parentUuid":"2","message":{"role":"user","content":"two, otherwise"}}"#,
        );
        assert!(events.contains(&LogEvent::Rewound { thread: MAIN, messages: 2 }));
    }

    #[test]
    fn a_summary_takes_the_place_of_all_before_it() {
        let events = events(
            r#"{"type":"user","uuid":"1","message":{"role":"user","content":"one"}}
               {"type":"system","subtype":"compact_boundary","uuid":"2","parentUuid":null}
               {"type":"user","uuid":"3","parentUuid":"2","isCompactSummary":true,"message":{"role":"user","content":"so far"}}"#,
        );
        assert_eq!(events.get(1), Some(&LogEvent::Forgotten { thread: MAIN }));
    }
}
