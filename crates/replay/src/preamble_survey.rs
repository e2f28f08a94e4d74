//! The survey of preambles: what comes before the messages of each conversation of a log, found before it is replayed.
//!
//! A gateway reads them in the first request. Most logs do not have them, only the calls and the usage that follow, so a
//! log is read twice: once for this, and once to be replayed. Where no list of tools was recorded, the tools are those
//! that were called, and their size is what the first request was charged beyond its messages.

use crate::plan::ReplayPlan;
use crate::preamble::{Preamble, part_tokens, tool_tokens};
use crate::transcript::{LogEvent, LogMessage, MessageAuthor, MessagePart, ThreadId};
use crate::usage::UsageCharge;
use serde_json::Value;
use std::collections::HashMap;
use tokenforge_conversation::expand_payoff::runs_commands;
use tokenforge_engine::Settings;
use tokenforge_tokens::for_model;

/// The preambles of all conversations of a log, by session.
#[derive(Debug, Default)]
pub(crate) struct Preambles(Vec<HashMap<ThreadId, Preamble>>);

impl Preambles {
    /// Of a conversation of the session with this number. None where nothing was said in it.
    pub(crate) fn of(&self, session: usize, thread: ThreadId) -> Preamble {
        let session = self.0.get(session);
        session.and_then(|threads| threads.get(&thread)).copied().unwrap_or_default()
    }
}

/// Finds preambles while a log is read.
pub(crate) struct PreambleSurvey<'p> {
    plan: &'p ReplayPlan<'p>,
    settings: Settings,
    factor: f64,
    tools: Option<String>,
    conversations: HashMap<ThreadId, SurveyedConversation>,
    done: Preambles,
}

/// What was seen of a conversation.
#[derive(Debug, Default)]
struct SurveyedConversation {
    has_calls: bool,
    calls_shell: bool,
    /// Tokens of the system prompt, where the log has it.
    system: usize,
    /// Tokens of the other messages so far.
    messages: usize,
    /// Those of them that are in the request whose answer is being read.
    asked: usize,
    /// Tokens that the first usage has beyond them.
    beyond: Option<f64>,
}

impl<'p> PreambleSurvey<'p> {
    pub(crate) fn new(plan: &'p ReplayPlan<'p>) -> Self {
        PreambleSurvey {
            plan,
            settings: plan.settings_for(None),
            factor: 1.0,
            tools: None,
            conversations: HashMap::new(),
            done: Preambles::default(),
        }
    }

    /// Takes what a reader tells.
    pub(crate) fn take(&mut self, event: LogEvent) {
        match event {
            LogEvent::Session { .. } => self.end(),
            LogEvent::Model(model) => {
                self.settings = self.plan.settings_for(Some(&model));
                self.factor = for_model(&model).cost_factor;
            }
            LogEvent::Tools(tools) => self.tools = Some(tools),
            LogEvent::Message { thread, message } => {
                self.conversations.entry(thread).or_default().message(&message, &self.settings);
            }
            LogEvent::Usage { thread, usage } => {
                if let Some(seen) = self.conversations.get_mut(&thread) {
                    seen.charge(&usage, self.factor);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn finish(mut self) -> Preambles {
        self.end();
        self.done
    }

    /// The session is over.
    fn end(&mut self) {
        let (tools, settings) = (self.tools.take(), &self.settings);
        let seen = self.conversations.drain();
        let preambles =
            seen.map(|(thread, seen)| (thread, seen.preamble(tools.as_deref(), settings)));
        self.done.0.push(preambles.collect());
        (self.settings, self.factor) = (self.plan.settings_for(None), 1.0);
    }
}

impl SurveyedConversation {
    fn message(&mut self, message: &LogMessage, settings: &Settings) {
        if message.author == MessageAuthor::Model {
            self.asked = self.messages;
        }
        for part in &message.parts {
            if let MessagePart::Result(result) = part {
                self.has_calls = true;
                self.calls_shell |= runs_commands(&result.tool);
            }
            // Beyond the first usage, nothing is counted that is asked for.
            if self.beyond.is_none() {
                let tokens = part_tokens(part, settings);
                match message.author {
                    MessageAuthor::System => self.system += tokens,
                    _ => self.messages += tokens,
                }
            }
        }
    }

    fn charge(&mut self, usage: &UsageCharge, factor: f64) {
        let beyond = usage.total_input() / factor - self.asked as f64;
        self.beyond.get_or_insert(beyond.max(0.0));
    }

    fn preamble(&self, tools: Option<&str>, settings: &Settings) -> Preamble {
        let Some(tools) = tools else {
            // Without any usage the size of the tools is unknown, and nothing says that ours would have paid.
            return Preamble {
                has_tools: self.has_calls,
                has_shell: self.calls_shell,
                tokens: self.beyond.unwrap_or(self.system as f64),
            };
        };
        let list: Vec<Value> = serde_json::from_str(tools).unwrap_or_default();
        Preamble {
            has_tools: !list.is_empty(),
            has_shell: list.iter().any(is_loaded_shell),
            tokens: (tool_tokens(Some(tools), settings) + self.system) as f64,
        }
    }
}

/// Does this tool run commands, and does the model know of it from the start?
fn is_loaded_shell(tool: &Value) -> bool {
    let named =
        [&tool["name"], &tool["function"]["name"], &tool["toolSpec"]["name"], &tool["type"]];
    named.into_iter().find_map(Value::as_str).is_some_and(runs_commands)
        && tool["defer_loading"] != true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ExpansionOffer;
    use crate::transcript::{MAIN, ToolResult};
    use tokenforge_config::OldResults;

    fn survey(events: impl IntoIterator<Item = LogEvent>) -> Preambles {
        let plan = ReplayPlan {
            settings: Settings::default(),
            counter: None,
            class: None,
            expansion: ExpansionOffer::WhenItPays,
            old_results: OldResults::WhenCold,
            prices: &|_| None,
        };
        let mut survey = PreambleSurvey::new(&plan);
        events.into_iter().for_each(|event| survey.take(event));
        survey.finish()
    }

    fn said_event(author: MessageAuthor, part: MessagePart) -> LogEvent {
        LogEvent::in_main(LogMessage { author, parts: vec![part] })
    }

    fn result(tool: &str) -> LogEvent {
        let result = ToolResult { tool: tool.to_owned(), ..ToolResult::default() };
        said_event(MessageAuthor::Client, MessagePart::Result(result))
    }

    fn text(author: MessageAuthor, text: &str) -> LogEvent {
        said_event(author, MessagePart::Text(text.to_owned()))
    }

    fn usage(input: f64) -> LogEvent {
        LogEvent::Usage { thread: MAIN, usage: UsageCharge { input, ..UsageCharge::default() } }
    }

    #[test]
    fn l11_tools_that_were_not_recorded_are_those_that_are_called_later() {
        let ask = || text(MessageAuthor::Client, "go on");
        let answer = || text(MessageAuthor::Model, "yes");
        let session =
            |tool, input| [ask(), answer(), usage(input), result(tool), answer(), usage(9e9)];
        let settings = Settings::default();
        let pays = |preambles: &Preambles, session| preambles.of(session, MAIN).pays(&settings);

        let large = survey(session("Bash", 20_000.0));
        assert!(pays(&large, 0));
        assert!((19_990.0..20_000.0).contains(&large.of(0, MAIN).tokens), "less the question");
        assert!(!pays(&survey(session("Bash", 2_000.0)), 0), "the prompt is small");
        assert!(!pays(&survey(session("lookup", 20_000.0)), 0), "nothing runs commands");
        assert!(!pays(&survey([ask(), answer(), result("Bash")]), 0), "its size is unknown");
    }

    #[test]
    fn l11_a_list_of_tools_counts_with_the_system_prompt_and_without_what_is_deferred() {
        let settings = Settings::default();
        let tools = |deferred: bool| {
            LogEvent::Tools(format!(r#"[{{"name":"Bash","defer_loading":{deferred}}}]"#))
        };
        let prompt = || text(MessageAuthor::System, &"Be careful with files. ".repeat(2_000));
        let of = |tools: LogEvent, prompt: LogEvent| survey([tools, prompt]).of(0, MAIN);
        assert!(of(tools(false), prompt()).pays(&settings));
        assert!(!of(tools(true), prompt()).pays(&settings));
        assert!(
            !of(tools(false), text(MessageAuthor::Client, &"word ".repeat(9_000))).pays(&settings)
        );
        assert!(!of(LogEvent::Tools("[]".to_owned()), prompt()).has_tools);
    }

    #[test]
    fn sessions_of_one_log_are_told_apart() {
        let session = |name: &str| LogEvent::Session { name: Some(name.to_owned()) };
        let preambles =
            survey([session("a"), result("Bash"), session("b"), text(MessageAuthor::Client, "hi")]);
        let has_tools: Vec<bool> = (0..4).map(|at| preambles.of(at, MAIN).has_tools).collect();
        assert_eq!(has_tools, [false, true, false, false], "the first event begins the first");
    }
}
