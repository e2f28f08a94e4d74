//! Decision points of recorded sessions: what a model was shown each time that it acted, as it was and as a gateway would
//! have forwarded it, and what it did.
//!
//! Whether old results would have been left out depends on a clock and a provider's cache, so here they stay.

use crate::conversation::forwarded_output;
use crate::own_notation;
use crate::plan::ReplayPlan;
use crate::read::UnreadableLog;
use crate::source::LogSource;
use crate::transcript::{LogEvent, LogMessage, MessageAuthor, MessagePart, ThreadId};
use std::collections::HashMap;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Mode, Settings, Vault};

/// No model reads more text in one request; a conversation that is longer gives no further decisions.
const LONGEST_CONTEXT: usize = 4 << 20;

/// A moment in which a model acted.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The number of the session in its log, from zero, and the conversation in it.
    pub session: (usize, ThreadId),
    /// What had been said.
    pub context: Vec<ContextTurn>,
    /// What the model did.
    pub action: ModelAction,
}

/// What an author said in a row, before a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextTurn {
    /// Who.
    pub author: MessageAuthor,
    /// What.
    pub parts: Vec<ContextPart>,
}

/// A part of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum ContextPart {
    /// A text.
    Text(String),
    /// A call of a tool.
    Call {
        /// The name of the tool.
        tool: String,
        /// Its arguments, as JSON.
        arguments: String,
    },
    /// What a tool answered.
    Result {
        /// As the tool gave it.
        original: String,
        /// As a gateway forwards it; nothing where that is the same.
        forwarded: Option<String>,
    },
}

/// What a model did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelAction {
    /// It called a tool; the first, where it called several.
    Call {
        /// The name of the tool.
        tool: String,
        /// Its arguments, as JSON.
        arguments: String,
    },
    /// It answered with this text.
    Answer(String),
}

impl Decision {
    /// Is anything that the model was shown compressed?
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        let mut parts = self.context.iter().flat_map(|turn| &turn.parts);
        parts.any(|part| matches!(part, ContextPart::Result { forwarded: Some(_), .. }))
    }
}

/// The decisions in a log, in their order, told one at a time: each holds a copy of all that was before it.
///
/// # Errors
/// It cannot be read, or its format is unknown.
pub fn tell_decisions(
    source: &LogSource,
    plan: &ReplayPlan<'_>,
    tell: &mut dyn FnMut(Decision),
) -> Result<(), UnreadableLog> {
    let mut reader =
        DecisionReader { plan, session: 0, model: None, conversations: HashMap::new(), tell };
    source.read_events(&mut |event| reader.take(event), &|_| {})?;
    reader.end();
    Ok(())
}

/// Reads decisions out of what a log tells.
struct DecisionReader<'r> {
    plan: &'r ReplayPlan<'r>,
    session: usize,
    model: Option<String>,
    conversations: HashMap<ThreadId, GrowingContext>,
    tell: &'r mut dyn FnMut(Decision),
}

/// A conversation so far.
struct GrowingContext {
    settings: Settings,
    key: ReferenceSecret,
    history: History,
    turns: Vec<ContextTurn>,
    /// How many messages went into the turns, by turn.
    messages: Vec<usize>,
    bytes: usize,
    /// The answer that is being read.
    answer: Vec<ContextPart>,
    is_answering: bool,
}

impl DecisionReader<'_> {
    fn take(&mut self, event: LogEvent) {
        match event {
            LogEvent::Session { .. } => {
                self.end();
                self.session += 1;
            }
            LogEvent::Model(model) => self.model = Some(model),
            LogEvent::Message { thread, message } => self.message(thread, message),
            LogEvent::Forgotten { thread } => {
                self.settle(thread);
                self.conversations.remove(&thread);
            }
            LogEvent::Rewound { thread, messages } => {
                self.settle(thread);
                if let Some(conversation) = self.conversations.get_mut(&thread) {
                    conversation.rewind(messages);
                }
            }
            LogEvent::Time(_)
            | LogEvent::Tools(_)
            | LogEvent::Usage { .. }
            | LogEvent::Request { .. }
            | LogEvent::Skipped { .. } => {}
        }
    }

    fn message(&mut self, thread: ThreadId, message: LogMessage) {
        if message.author != MessageAuthor::ModelAgain {
            self.settle(thread);
        }
        let conversation = self.conversations.entry(thread).or_insert_with(|| GrowingContext {
            settings: self.plan.settings_for(self.model.as_deref()),
            key: ReferenceSecret::from_bytes([7; 32]),
            history: History::default(),
            turns: Vec::new(),
            messages: Vec::new(),
            bytes: 0,
            answer: Vec::new(),
            is_answering: false,
        });
        conversation.say(message);
    }

    /// The answer that was being read is over: a decision, with what was before it.
    fn settle(&mut self, thread: ThreadId) {
        let Some(conversation) = self.conversations.get_mut(&thread) else { return };
        let Some(answer) = conversation.finish_answer() else { return };
        let context = conversation.turns.split_last().map_or(&[][..], |(_, before)| before);
        let is_asked = context.iter().any(|turn| turn.author == MessageAuthor::Client);
        if let Some(action) = ModelAction::of(&answer)
            && is_asked
            && conversation.bytes <= LONGEST_CONTEXT
        {
            let context = context.to_vec();
            (self.tell)(Decision { session: (self.session, thread), context, action });
        }
    }

    fn end(&mut self) {
        let mut threads: Vec<ThreadId> = self.conversations.keys().copied().collect();
        threads.sort_unstable();
        threads.into_iter().for_each(|thread| self.settle(thread));
        self.conversations.clear();
    }
}

impl GrowingContext {
    fn say(&mut self, message: LogMessage) {
        let parts: Vec<ContextPart> =
            message.parts.into_iter().filter_map(|part| self.part(part)).collect();
        self.bytes += parts.iter().map(ContextPart::bytes).sum::<usize>();
        match message.author {
            // In the middle of an answer; where results came in between, the model had not seen them.
            MessageAuthor::ModelAgain if self.is_answering => {
                self.answer.extend(parts);
                if let Some(count) = self.messages.last_mut() {
                    *count += 1;
                }
                return;
            }
            MessageAuthor::Model => {
                self.is_answering = true;
                self.answer = parts;
                self.turns.push(ContextTurn { author: MessageAuthor::Model, parts: Vec::new() });
            }
            author => self.turns.push(ContextTurn { author, parts }),
        }
        self.messages.push(1);
    }

    /// A part of a message, with what is forwarded for it.
    fn part(&mut self, part: MessagePart) -> Option<ContextPart> {
        let result = match part {
            MessagePart::Text(text) => return Some(ContextPart::Text(text)),
            MessagePart::Call { tool, arguments } => {
                return Some(ContextPart::Call { tool, arguments });
            }
            MessagePart::Image => return None,
            MessagePart::Result(result) => result,
        };
        // What Tokenforge wrote already stays as it is.
        let settings = if own_notation::is_in(&result.text) {
            &Settings { mode: Mode::Disabled, ..self.settings.clone() }
        } else {
            &self.settings
        };
        let engine = Engine::new(settings);
        let engine = if settings.mode.leaves_out() {
            engine.with_vault(Vault::for_reader(&self.key))
        } else {
            engine
        };
        let compressed = engine.compress(&forwarded_output(&result), &self.history);
        self.history.add(&forwarded_output(&result).tool_call(), compressed.text(&result.text));
        let forwarded = compressed.replacement;
        Some(ContextPart::Result { forwarded, original: result.text })
    }

    /// The parts of the answer that was being read; it is a turn of the context from now on.
    fn finish_answer(&mut self) -> Option<Vec<ContextPart>> {
        if !std::mem::take(&mut self.is_answering) {
            return None;
        }
        let answer = std::mem::take(&mut self.answer);
        if let Some(turn) = self.turns.last_mut() {
            turn.parts.clone_from(&answer);
        }
        Some(answer)
    }

    /// So many messages are left. What pointers lead to is read anew.
    fn rewind(&mut self, messages: usize) {
        let mut left = messages;
        let kept = self.messages.iter().take_while(|count| {
            let fits = **count <= left;
            left = left.saturating_sub(**count);
            fits
        });
        let kept = kept.count();
        self.turns.truncate(kept);
        self.messages.truncate(kept);
        self.bytes = self.turns.iter().flat_map(|turn| &turn.parts).map(ContextPart::bytes).sum();
        // A pointer must not lead to a result that is gone: results from here on are compressed as in a new conversation.
        self.history = History::default();
    }
}

impl ContextPart {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Call { tool, arguments } => tool.len() + arguments.len(),
            Self::Result { original, .. } => original.len(),
        }
    }
}

impl ModelAction {
    /// What an answer does: its first call, or else what it says.
    fn of(answer: &[ContextPart]) -> Option<Self> {
        let call = answer.iter().find_map(|part| match part {
            ContextPart::Call { tool, arguments } => {
                Some(Self::Call { tool: tool.clone(), arguments: arguments.clone() })
            }
            _ => None,
        });
        let text = || {
            let texts: Vec<&str> = answer
                .iter()
                .filter_map(|part| match part {
                    ContextPart::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
                    _ => None,
                })
                .collect();
            (!texts.is_empty()).then(|| Self::Answer(texts.join("\n")))
        };
        call.or_else(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ExpansionOffer;
    use crate::source;
    use serde_json::{Value, json};
    use std::fs;
    use tokenforge_config::OldResults;

    fn decisions(log: &[Value], mode: Mode) -> Vec<Decision> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log.jsonl");
        let text: String = log.iter().map(|message| format!("{message}\n")).collect();
        fs::write(&file, text).unwrap();
        let plan = ReplayPlan {
            settings: Settings { mode, ..Settings::default() },
            counter: None,
            class: None,
            expansion: ExpansionOffer::FromStart,
            old_results: OldResults::Never,
            prices: &|_| None,
        };
        let mut found = Vec::new();
        for source in source::at(&file) {
            tell_decisions(&source, &plan, &mut |decision| found.push(decision)).unwrap();
        }
        found
    }

    fn call(id: &str, arguments: &Value) -> Value {
        let function = json!({"name": "list", "arguments": arguments.to_string()});
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]})
    }

    fn log() -> Vec<Value> {
        let rows: Vec<_> = (0..40)
            .map(|id| json!({"id": id, "state": "open", "title": format!("row {id}")}))
            .collect();
        vec![
            json!({"role": "user", "content": "What is open?"}),
            call("c1", &json!({"page": 1})),
            json!({"role": "tool", "tool_call_id": "c1", "content": serde_json::to_string_pretty(&rows).unwrap()}),
            call("c2", &json!({"page": 2})),
            json!({"role": "tool", "tool_call_id": "c2", "content": "[]"}),
            json!({"role": "assistant", "content": "All forty."}),
        ]
    }

    #[test]
    fn every_answer_is_a_decision_with_all_that_was_before_it() {
        let found = decisions(&log(), Mode::Lossless);
        let did: Vec<_> = found.iter().map(|decision| &decision.action).collect();
        let list = |page| ModelAction::Call {
            tool: "list".to_owned(),
            arguments: json!({ "page": page }).to_string(),
        };
        let answer = ModelAction::Answer("All forty.".to_owned());
        assert_eq!(did, [&list(1), &list(2), &answer]);
        let turns: Vec<_> = found.iter().map(|decision| decision.context.len()).collect();
        assert_eq!(turns, [1, 3, 5]);
        let compressed: Vec<_> = found.iter().map(Decision::is_compressed).collect();
        assert_eq!(compressed, [false, true, true]);
    }

    #[test]
    fn a_result_is_there_as_it_was_and_as_it_is_forwarded() {
        let found = decisions(&log(), Mode::Lossless);
        let mut parts = found[1].context.iter().flat_map(|turn| &turn.parts);
        let result = parts.find_map(|part| match part {
            ContextPart::Result { original, forwarded } => Some((original, forwarded.as_ref()?)),
            _ => None,
        });
        let (original, forwarded) = result.unwrap();
        assert_eq!(*original, log()[2]["content"].as_str().unwrap());
        assert!(forwarded.len() < original.len() / 2, "{forwarded}");
    }

    #[test]
    fn in_a_mode_that_does_nothing_nothing_is_compressed() {
        assert!(!decisions(&log(), Mode::Disabled).iter().any(Decision::is_compressed));
    }

    #[test]
    fn a_message_of_calls_and_text_is_a_call_and_an_empty_answer_is_none() {
        let mut log = log();
        log[1]["content"] = json!("I look.");
        log[5]["content"] = json!("  ");
        let found = decisions(&log, Mode::Lossless);
        assert_eq!(found.len(), 2);
        assert!(matches!(found[0].action, ModelAction::Call { .. }));
    }
}
