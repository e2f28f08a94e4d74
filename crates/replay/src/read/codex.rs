//! Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, items of the Responses API with what happened around them.

use super::calls::SeenCalls;
use super::timestamp;
use super::{EventSink, LogReader, not_json};
use crate::transcript::{LogEvent, LogMessage, MAIN, MessageAuthor, MessagePart};
use crate::usage::UsageCharge;
use serde_json::Value;

/// Codex's rollouts.
#[derive(Default)]
pub(super) struct Codex {
    calls: SeenCalls,
    model: Option<String>,
    is_answering: bool,
    messages: usize,
    /// How many messages there were before each turn of the user.
    turns: Vec<usize>,
    /// What was charged in total, to know a figure that is told again.
    charged: Value,
}

impl LogReader for Codex {
    fn line(&mut self, line: &[u8], tell: EventSink<'_>) -> Result<(), String> {
        let line: Value = serde_json::from_slice(line).map_err(|error| not_json(&error))?;
        let payload = &line["payload"];
        timestamp::tell(&line["timestamp"], tell);
        match line["type"].as_str() {
            Some("response_item") => self.item(payload, tell),
            Some("session_meta") => self.instructions(payload, tell),
            Some("turn_context") => self.model(payload, tell),
            Some("compacted") => self.compact(payload, tell),
            Some("event_msg") => self.event(payload, tell),
            // Before they had types, lines were the items themselves.
            Some(_) if payload.is_null() => self.item(&line, tell),
            None => self.instructions(&line, tell),
            Some(_) => {}
        }
        Ok(())
    }
}

impl Codex {
    /// An item of the conversation.
    fn item(&mut self, item: &Value, tell: EventSink<'_>) {
        let (call, kind) = (item["call_id"].as_str(), item["type"].as_str().unwrap_or_default());
        match kind {
            "message" if item["role"] == "assistant" => {
                let parts = self.calls.content(&item["content"]);
                self.answer(parts, tell);
            }
            "message" => {
                let parts = self.calls.content(&item["content"]);
                if item["role"] == "user" && self.is_answering {
                    self.turns.push(self.messages);
                }
                self.say(parts, tell);
            }
            "reasoning" => {
                let parts = self.calls.content(&item["summary"]);
                self.answer(parts, tell);
            }
            "local_shell_call" => {
                let part = self.calls.call(&item["call_id"], &"shell".into(), &item["action"]);
                self.answer(vec![part], tell);
            }
            _ if kind.ends_with("_call") => {
                let arguments = ["arguments", "input", "action"].map(|name| &item[name]);
                let arguments = arguments.into_iter().find(|value| !value.is_null());
                let arguments = arguments.unwrap_or(&Value::Null);
                let part = self.calls.call(&item["call_id"], &item["name"], arguments);
                self.answer(vec![part], tell);
            }
            _ if kind.ends_with("_output") => {
                let parts = self.calls.result_of(call, &item["output"], false);
                self.say(parts, tell);
            }
            _ => {}
        }
    }

    /// The model said something; all of that until another author does is one answer.
    fn answer(&mut self, parts: Vec<MessagePart>, tell: EventSink<'_>) {
        let author =
            if self.is_answering { MessageAuthor::ModelAgain } else { MessageAuthor::Model };
        self.is_answering = true;
        self.messages += 1;
        tell(LogEvent::in_main(LogMessage { author, parts }));
    }

    fn say(&mut self, parts: Vec<MessagePart>, tell: EventSink<'_>) {
        self.is_answering = false;
        self.messages += 1;
        tell(LogEvent::in_main(LogMessage { author: MessageAuthor::Client, parts }));
    }

    fn instructions(&mut self, meta: &Value, tell: EventSink<'_>) {
        let texts = [&meta["instructions"], &meta["base_instructions"]["text"]];
        let texts = texts.into_iter().filter_map(Value::as_str).filter(|text| !text.is_empty());
        let parts: Vec<MessagePart> =
            texts.map(|text| MessagePart::Text(text.to_owned())).collect();
        if !parts.is_empty() && self.messages == 0 {
            self.say(parts, tell);
        }
    }

    fn model(&mut self, context: &Value, tell: EventSink<'_>) {
        let model = context["model"].as_str().filter(|model| Some(*model) != self.model.as_deref());
        if let Some(model) = model {
            self.model = Some(model.to_owned());
            tell(LogEvent::Model(model.to_owned()));
        }
    }

    /// A summary, or the items that are left, take the place of all so far.
    fn compact(&mut self, payload: &Value, tell: EventSink<'_>) {
        tell(LogEvent::Forgotten { thread: MAIN });
        self.messages = 0;
        self.turns.clear();
        self.is_answering = false;
        match payload["replacement_history"].as_array() {
            Some(items) => {
                for item in items {
                    // What is left of answers was charged for when it was new.
                    self.is_answering = true;
                    self.item(item, tell);
                }
                self.is_answering = false;
            }
            None => {
                let parts = self.calls.content(&payload["message"]);
                self.say(parts, tell);
            }
        }
    }

    fn event(&mut self, event: &Value, tell: EventSink<'_>) {
        match event["type"].as_str() {
            Some("token_count") => {
                let info = &event["info"];
                let total = &info["total_token_usage"];
                if total.is_null() || *total != self.charged {
                    self.charged = total.clone();
                    if let Some(usage) = UsageCharge::read(&info["last_token_usage"]) {
                        tell(LogEvent::Usage { thread: MAIN, usage });
                    }
                }
            }
            Some("thread_rolled_back") => {
                let turns = event["num_turns"].as_u64().unwrap_or_default() as usize;
                let left = self.turns.len().checked_sub(turns).filter(|_| turns > 0);
                if let Some(messages) = left.and_then(|left| self.turns.get(left)).copied() {
                    self.turns.truncate(self.turns.len() - turns);
                    self.messages = messages;
                    tell(LogEvent::Rewound { thread: MAIN, messages });
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(log: &str) -> Vec<LogEvent> {
        let mut events = Vec::new();
        let mut reader = Codex::default();
        for line in log.lines() {
            reader.line(line.trim().as_bytes(), &mut |event| events.push(event)).unwrap();
        }
        events
    }

    const ROLLOUT: &str = r#"{"type":"session_meta","payload":{"id":"s","base_instructions":{"text":"Be brief."}}}
        {"type":"turn_context","payload":{"model":"gpt-5-codex"}}
        {"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look"}]}}
        {"type":"response_item","payload":{"type":"reasoning","summary":[],"encrypted_content":"x"}}
        {"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}
        {"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"a.rs"}}
        {"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9},"last_token_usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2}}}}
        {"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9},"last_token_usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2}}}}
        {"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one file"}]}}"#;

    #[test]
    fn items_become_requests_with_results_paired_to_calls() {
        let events = events(ROLLOUT);
        let messages: Vec<&LogMessage> = events
            .iter()
            .filter_map(|event| match event {
                LogEvent::Message { message, .. } => Some(message),
                _ => None,
            })
            .collect();
        let requests =
            messages.iter().filter(|message| message.author == MessageAuthor::Model).count();
        assert_eq!(requests, 2);
        let results = messages.iter().flat_map(|message| &message.parts);
        let result = results.into_iter().find_map(|part| match part {
            MessagePart::Result(result) => Some((result.tool.as_str(), result.text.as_str())),
            _ => None,
        });
        assert_eq!(result, Some(("exec_command", "a.rs")));
    }

    #[test]
    fn a_figure_that_is_told_again_is_charged_once() {
        let usages: Vec<_> = events(ROLLOUT)
            .into_iter()
            .filter(|event| matches!(event, LogEvent::Usage { .. }))
            .collect();
        let usage =
            UsageCharge { input: 5.0, cache_read: 4.0, output: 2.0, ..UsageCharge::default() };
        assert_eq!(usages, [LogEvent::Usage { thread: MAIN, usage }]);
    }

    #[test]
    fn a_summary_takes_the_place_of_all_before_it() {
        let events = events(
            r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look"}]}}
               {"type":"compacted","payload":{"message":"so far"}}"#,
        );
        let summary = LogMessage {
            author: MessageAuthor::Client,
            parts: vec![MessagePart::Text("so far".to_owned())],
        };
        assert_eq!(events[1..], [LogEvent::Forgotten { thread: MAIN }, LogEvent::in_main(summary)]);
    }
}
