//! The replay of a session, while its log is read.

use crate::account::{ReplayAccount, ReplayedSession};
use crate::conversation::ReplayedConversation;
use crate::declarations::DeclarationSums;
use crate::plan::ReplayPlan;
use crate::preamble_survey::Preambles;
use crate::probes::{Probe, TextAvailability};
use crate::read::LogOrigin;
use crate::transcript::{LogEvent, LogMessage, MAIN, ThreadId};
use std::collections::HashMap;

/// The text of results that is held at a time. No model reads as much: a conversation that is longer is taken apart.
const HELD_BYTES: usize = 16 << 20;

/// How many lines that could not be read are named.
const NAMED: usize = 3;

/// Replays the sessions of a log.
pub struct SessionReplay<'p> {
    plan: &'p ReplayPlan<'p>,
    probes: Vec<Probe>,
    is_copy: &'p dyn Fn(u64) -> bool,
    preambles: Preambles,
    /// The number of the current session: how many began before it.
    session: usize,
    current: Current<'p>,
    /// Is there anything in the current session?
    is_begun: bool,
    done: Vec<FinishedSession>,
    skipped: SkippedLines,
}

/// What is known of the session that is being read.
#[derive(Default)]
struct Current<'p> {
    name: Option<String>,
    model: Option<String>,
    first_model: Option<String>,
    tools: Option<String>,
    /// When what is read now was said, in seconds since 1970.
    time: Option<u64>,
    conversations: HashMap<ThreadId, ReplayedConversation<'p>>,
    account: ReplayAccount,
    /// How many messages the main conversation had so far.
    messages: usize,
}

/// A session that is over.
struct FinishedSession {
    name: Option<String>,
    model: Option<String>,
    account: ReplayAccount,
    tools: Option<String>,
}

/// Lines that could not be read.
#[derive(Debug, Default)]
pub struct SkippedLines {
    /// How many.
    pub count: usize,
    /// The first few, with their numbers.
    pub first: Vec<(usize, String)>,
}

impl<'p> SessionReplay<'p> {
    /// Replays as planned.
    #[must_use]
    pub fn new(plan: &'p ReplayPlan<'p>) -> Self {
        let current = Current { account: ReplayAccount::new(), ..Current::default() };
        SessionReplay {
            plan,
            probes: Vec::new(),
            is_copy: &|_| false,
            preambles: Preambles::default(),
            session: 0,
            current,
            is_begun: false,
            done: Vec::new(),
            skipped: SkippedLines::default(),
        }
    }

    /// And with what comes before the messages of its conversations.
    pub(crate) fn with_preambles(self, preambles: Preambles) -> Self {
        SessionReplay { preambles, ..self }
    }

    /// And charges nothing for requests, given by their ids, that are copies of those in another log.
    #[must_use]
    pub fn with_copies(self, is_copy: &'p dyn Fn(u64) -> bool) -> Self {
        SessionReplay { is_copy, ..self }
    }

    /// And looks for what later turns of the main conversation used.
    #[must_use]
    pub fn with_probes(self, mut probes: Vec<Probe>) -> Self {
        probes.sort_by_key(|probe| probe.used_at_msg);
        SessionReplay { probes, ..self }
    }

    /// Takes what a reader tells.
    pub fn take(&mut self, event: LogEvent) {
        match event {
            LogEvent::Session { name } => {
                self.end();
                self.session += 1;
                self.current.name = name;
                self.is_begun = true;
            }
            LogEvent::Time(time) => self.current.time = Some(time),
            LogEvent::Model(model) => self.model(model),
            LogEvent::Tools(tools) => self.current.tools = Some(tools),
            LogEvent::Message { thread, message } => self.message(thread, message),
            LogEvent::Usage { thread, usage } => {
                if let Some(conversation) = self.current.conversations.get_mut(&thread) {
                    conversation.charge(usage);
                }
            }
            LogEvent::Request { thread, id } => {
                let conversation = self.current.conversations.get_mut(&thread);
                if let Some(conversation) = conversation.filter(|_| (self.is_copy)(id)) {
                    conversation.mark_copied();
                }
            }
            LogEvent::Forgotten { thread } => self.forget(thread),
            LogEvent::Rewound { thread, messages } => {
                let Current { conversations, account, .. } = &mut self.current;
                if let Some(conversation) = conversations.get_mut(&thread) {
                    conversation.rewind(messages, account);
                }
            }
            LogEvent::Skipped { line, reason } => {
                self.current.account.skipped += 1;
                self.skipped.count += 1;
                if self.skipped.first.len() < NAMED {
                    self.skipped.first.push((line, reason));
                }
            }
        }
    }

    /// The sessions of a log by this name, and what could not be read of it.
    #[must_use]
    pub fn finish(mut self, client: LogOrigin, file: &str) -> (Vec<ReplayedSession>, SkippedLines) {
        self.end();
        let stem = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        let session = |mut part: FinishedSession| {
            part.account.declarations = part.declarations(client, self.plan);
            ReplayedSession {
                name: part.name.unwrap_or_else(|| stem.clone().into_owned()),
                file: file.to_owned(),
                client,
                model: part.model,
                account: part.account,
            }
        };
        let sessions = self.done.into_iter().map(session).collect();
        (sessions, self.skipped)
    }

    fn model(&mut self, model: String) {
        for conversation in self.current.conversations.values_mut() {
            conversation.model(Some(&model));
        }
        self.current.first_model.get_or_insert_with(|| model.clone());
        self.current.model = Some(model);
    }

    fn message(&mut self, thread: ThreadId, message: LogMessage) {
        self.is_begun = true;
        let Current { conversations, account, model, tools, time, .. } = &mut self.current;
        let conversation = conversations.entry(thread).or_insert_with(|| {
            let preamble = self.preambles.of(self.session, thread);
            let new =
                ReplayedConversation::new(self.plan, model.as_deref(), tools.as_deref(), preamble);
            if self.probes.is_empty() { new } else { new.searchable() }
        });
        conversation.say(message, *time, account);
        let held: usize = conversations.values().map(ReplayedConversation::bytes).sum();
        if held > HELD_BYTES {
            self.take_apart();
        }
        if thread == MAIN {
            self.expect(self.current.messages);
            self.current.messages += 1;
        }
    }

    /// The message with this index, or one before it, used something.
    fn expect(&mut self, message: usize) {
        let Current { conversations, account, .. } = &mut self.current;
        let due = self.probes.iter().take_while(|probe| probe.used_at_msg <= message).count();
        for probe in self.probes.drain(..due) {
            match conversations.get_mut(&MAIN) {
                Some(conversation) => conversation.expect(probe.needle, account),
                None => account.probes.get_or_insert_default().count(TextAvailability::Lost),
            }
        }
    }

    /// Ends the longest conversation; what is said in it from now on is said in another.
    fn take_apart(&mut self) {
        let conversations = self.current.conversations.iter();
        let longest = conversations.max_by_key(|(_, conversation)| conversation.bytes());
        if let Some((&thread, _)) = longest {
            self.current.account.cut += 1;
            self.forget(thread);
        }
    }

    fn forget(&mut self, thread: ThreadId) {
        let Current { conversations, account, .. } = &mut self.current;
        if let Some(conversation) = conversations.remove(&thread) {
            conversation.finish(account);
        }
    }

    /// The session is over.
    fn end(&mut self) {
        if self.is_begun {
            self.expect(usize::MAX);
        }
        let threads: Vec<ThreadId> = self.current.conversations.keys().copied().collect();
        threads.into_iter().for_each(|thread| self.forget(thread));
        let ended = std::mem::take(&mut self.current);
        self.current.account = ReplayAccount::new();
        if std::mem::take(&mut self.is_begun) {
            let Current { name, first_model: model, mut account, tools, .. } = ended;
            account.without_tools = usize::from(tools.is_none());
            self.done.push(FinishedSession { name, model, account, tools });
        }
    }
}

impl FinishedSession {
    /// What its tool declarations cost; nothing where its log has no list of them.
    fn declarations(&self, client: LogOrigin, plan: &ReplayPlan<'_>) -> DeclarationSums {
        let Some(tools) = &self.tools else { return DeclarationSums::default() };
        let called = self.account.tools.keys().map(String::as_str).collect();
        let settings = plan.settings_for(self.model.as_deref());
        let (client, rate) = (client.agent_id(), self.account.front_rate);
        DeclarationSums::of_session(tools, client, &called, rate, &settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ExpansionOffer;
    use crate::preamble_survey::PreambleSurvey;
    use crate::transcript::{MessageAuthor, MessagePart, ToolResult};
    use crate::usage::UsageCharge;
    use tokenforge_config::{OldResults, Price};
    use tokenforge_engine::Settings;

    const PRICE: Price =
        Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75, cache_write_1h: 6.0 };

    fn plan() -> ReplayPlan<'static> {
        ReplayPlan {
            settings: Settings::default(),
            counter: None,
            class: None,
            expansion: ExpansionOffer::FromStart,
            old_results: OldResults::WhenCold,
            prices: &|_| None,
        }
    }

    fn rows(count: usize) -> String {
        let row = |id| format!(r#"{{"id": {id}, "state": "open", "title": "row number {id}"}}"#);
        format!("[{}]", (0..count).map(row).collect::<Vec<_>>().join(", "))
    }

    fn result(call: &str, text: String) -> LogEvent {
        let (call, tool) = (Some(call.to_owned()), "list".to_owned());
        let result = ToolResult { call, tool, text, ..ToolResult::default() };
        LogEvent::in_main(LogMessage {
            author: MessageAuthor::Client,
            parts: vec![MessagePart::Result(result)],
        })
    }

    fn answer() -> LogEvent {
        let parts = vec![MessagePart::Text("I see.".to_owned())];
        LogEvent::in_main(LogMessage { author: MessageAuthor::Model, parts })
    }

    fn replay_events(events: impl IntoIterator<Item = LogEvent>) -> Vec<ReplayedSession> {
        let plan = plan();
        let events: Vec<LogEvent> = events.into_iter().collect();
        let mut survey = PreambleSurvey::new(&plan);
        events.iter().cloned().for_each(|event| survey.take(event));
        let mut replay = SessionReplay::new(&plan).with_preambles(survey.finish());
        events.into_iter().for_each(|event| replay.take(event));
        replay.finish(LogOrigin::Messages, "log.json").0
    }

    #[test]
    fn a_result_is_paid_once_as_a_write_and_then_as_reads() {
        let sessions = replay_events([result("c1", rows(50)), answer(), answer(), answer()]);
        let account = &sessions[0].account;
        let saved = account.results.tokens_in as f64 - account.results.tokens_out as f64;
        assert!(saved > 100.0, "{saved}");
        assert_eq!((account.requests, account.logged), (3, 0));
        let dollars = saved * (PRICE.cache_write + 2.0 * PRICE.cache_read) / 1e6;
        assert!((account.results.cost_saved - dollars).abs() < 1e-9);
        // All that our tool costs beside that is paid once as a write and then as reads too.
        let own_tool = dollars - account.cost_saved();
        assert!(own_tool > 0.0 && own_tool < 0.01, "{own_tool}");
        assert_eq!(account.prefix_stability, 1.0);
    }

    #[test]
    fn what_the_log_says_was_charged_goes_before_what_we_think() {
        let usage = UsageCharge {
            input: 10.0,
            cache_write: 90_000.0,
            output: 77.0,
            ..UsageCharge::default()
        };
        let charged = LogEvent::Usage { thread: MAIN, usage };
        let sessions = replay_events([result("c1", rows(50)), answer(), charged, answer()]);
        let account = &sessions[0].account;
        assert_eq!((account.requests, account.logged), (2, 1));
        assert!(account.before.tokens.cache_write >= 90_000.0);
    }

    #[test]
    fn a_request_is_charged_at_the_price_of_the_model_that_answered_it() {
        let dear = Price {
            input: 30.0,
            output: 150.0,
            cache_read: 3.0,
            cache_write: 37.5,
            cache_write_1h: 60.0,
        };
        let prices = move |model: &str| (model == "dear").then_some(dear);
        let plan = ReplayPlan { prices: &prices, ..plan() };
        let usage = UsageCharge { input: 1e6, ..UsageCharge::default() };
        let mut replay = SessionReplay::new(&plan);
        for model in ["cheap", "dear", "cheap"] {
            replay.take(LogEvent::Model(model.to_owned()));
            replay.take(answer());
            replay.take(LogEvent::Usage { thread: MAIN, usage });
        }
        let account = &replay.finish(LogOrigin::Messages, "log").0[0].account;
        assert_eq!((account.requests, account.unpriced), (3, 2));
        let charged = account.before.cost.input;
        assert!((charged - (2.0 * PRICE.input + dear.input)).abs() < 1e-9, "{charged}");
    }

    #[test]
    fn tools_and_stages_add_up_to_what_is_saved() {
        let sessions =
            replay_events([result("c1", rows(50)), answer(), result("c2", rows(50)), answer()]);
        let account = &sessions[0].account;
        let stages: i64 = account.stages.values().map(|stage| stage.tokens_saved).sum();
        let saved = account.results.tokens_in as i64 - account.results.tokens_out as i64;
        assert_eq!(stages, saved);
        let tools: f64 = account.tools.values().map(|tool| tool.cost_saved).sum();
        assert!((tools - account.results.cost_saved).abs() < 1e-12);
        assert!(account.stages.contains_key("earlier_results"), "{:?}", account.stages);
    }

    #[test]
    fn after_a_step_back_results_that_are_gone_are_not_pointed_to() {
        let back = LogEvent::Rewound { thread: MAIN, messages: 0 };
        let events = [result("c1", rows(50)), answer(), back, result("c2", rows(50)), answer()];
        let account = &replay_events(events)[0].account;
        assert!(!account.stages.contains_key("earlier_results"), "{:?}", account.stages);
        assert_eq!((account.results.count, account.requests), (2, 2));
    }

    #[test]
    fn d35_a_session_without_tools_does_not_pay_for_ours() {
        let said = || {
            let parts = vec![MessagePart::Text("Go on.".to_owned())];
            LogEvent::in_main(LogMessage { author: MessageAuthor::Client, parts })
        };
        // It has no results, so that no tool is known; or it says that it has none.
        let unlisted = replay_events([said(), answer(), said(), answer()]);
        let none = replay_events([
            LogEvent::Session { name: None },
            LogEvent::Tools("[]".to_owned()),
            result("c1", "no match".to_owned()),
            answer(),
        ]);
        for session in [&unlisted[0], &none[0]] {
            assert_eq!(session.account.before, session.account.after);
        }
        let listed = replay_events([
            LogEvent::Session { name: None },
            LogEvent::Tools(r#"[{"name":"Bash"}]"#.to_owned()),
            result("c1", "no match".to_owned()),
            answer(),
        ]);
        assert!(listed[0].account.cost_saved() < 0.0);
    }

    #[test]
    fn d34_what_tokenforge_wrote_is_not_promised_to_be_saved_again() {
        let ours = format!("<<<SHADOW:shadow_bupmiijpjuwo>>>\n{}", rows(50));
        let account = &replay_events([result("c1", ours), answer(), answer()])[0].account;
        assert_eq!((account.already, account.results.changed), (1, 0));
        assert_eq!(account.results.tokens_in, account.results.tokens_out);
        let account = &replay_events([result("c1", rows(50)), answer()])[0].account;
        assert_eq!((account.already, account.results.changed), (0, 1));
    }

    #[test]
    fn d30_what_is_kept_for_an_hour_is_charged_as_that_before_and_after() {
        let usage = UsageCharge {
            cache_write: 50_000.0,
            cache_write_1h: 50_000.0,
            ..UsageCharge::default()
        };
        let charged = LogEvent::Usage { thread: MAIN, usage };
        let account = &replay_events([result("c1", rows(50)), answer(), charged])[0].account;
        assert!((account.before.cost.cache_write - 0.3).abs() < 1e-9);
        let saved = account.before.tokens.cache_write - account.after.tokens.cache_write;
        let dollars = account.before.cost.cache_write - account.after.cost.cache_write;
        assert!(saved > 100.0 && (dollars - saved * 6.0 / 1e6).abs() < 1e-9, "{saved} {dollars}");
    }

    #[test]
    fn what_a_later_turn_used_is_looked_for_in_the_request_that_it_answered() {
        let probe = |needle: &str, used_at_msg| Probe { needle: needle.to_owned(), used_at_msg };
        let (plan, begin) = (plan(), LogEvent::Session { name: None });
        let probes = vec![probe("row number 7", 1), probe("row number 7", 3), probe("nowhere", 9)];
        let mut replay = SessionReplay::new(&plan).with_probes(probes);
        let events = [begin, answer(), answer(), result("c1", rows(50)), answer()];
        events.into_iter().for_each(|event| replay.take(event));
        let found = replay.finish(LogOrigin::Messages, "log").0[0].account.probes.unwrap();
        assert_eq!((found.total, found.lost, found.visible + found.decoded), (3, 2, 1));
    }

    #[test]
    fn a_log_may_hold_several_sessions() {
        let session = |name: &str| LogEvent::Session { name: Some(name.to_owned()) };
        let events = [session("a"), answer(), session("b"), answer(), answer()];
        let sessions = replay_events(events);
        let named: Vec<_> = sessions
            .iter()
            .map(|session| (session.name.as_str(), session.account.requests))
            .collect();
        assert_eq!(named, [("a", 1), ("b", 2)]);
    }

    #[test]
    fn a_conversation_that_no_model_could_read_is_taken_apart() {
        let long = "a line that says nothing new at all, and says it at length\n".repeat(100_000);
        let account =
            &replay_events((0..4).map(|n| result(&n.to_string(), long.clone())))[0].account;
        assert_eq!(account.cut, 1);
    }
}
