//! Sessions as Claude Code writes them, and their replay.

use serde_json::{Value, json};
use tokenforge_config::OldResults;
use tokenforge_engine::{Mode, Settings};
use tokenforge_ledger::ModelPrices;
use tokenforge_replay::account::{OldResultSums, ReplayAccount};
use tokenforge_replay::probes::Probe;
use tokenforge_replay::{ExpansionOffer, ReplayPlan, source};

/// A session's log.
#[derive(Default)]
pub(crate) struct SessionLog {
    lines: Vec<String>,
    /// Minutes since it began; none where it writes down no times.
    pub(crate) minutes: Option<u64>,
    turns: usize,
    parent: Option<String>,
}

/// A call and its result.
pub(crate) struct TurnText<'t> {
    pub(crate) tool: &'t str,
    pub(crate) arguments: Value,
    pub(crate) result: &'t str,
}

impl SessionLog {
    /// A log with times.
    pub(crate) fn timed() -> Self {
        let mut log = SessionLog { minutes: Some(0), ..SessionLog::default() };
        log.ask("Please begin.");
        log
    }

    /// A log without.
    pub(crate) fn untimed() -> Self {
        let mut log = SessionLog::default();
        log.ask("Please begin.");
        log
    }

    /// So many minutes pass until the client says something again.
    pub(crate) fn pause(&mut self, minutes: u64) {
        self.minutes = self.minutes.map(|now| now + minutes);
    }

    /// The user says something.
    pub(crate) fn ask(&mut self, text: &str) {
        self.entry("user", json!({"role": "user", "content": text}));
    }

    /// The user goes back to the entry with this name, and says something else.
    pub(crate) fn ask_after(&mut self, entry: &str, text: &str) {
        self.parent = Some(entry.to_owned());
        self.ask(text);
    }

    /// The name of the last entry.
    pub(crate) fn last_entry(&self) -> String {
        self.parent.clone().unwrap()
    }

    /// The model calls a tool and is answered. It was charged so much, if the log says so.
    pub(crate) fn turn(&mut self, turn: &TurnText<'_>, usage: Option<Value>) {
        let call = format!("t{}", self.turns);
        self.answer(
            json!([{"type": "tool_use", "id": call, "name": turn.tool, "input": turn.arguments}]),
            usage,
        );
        let result = json!([{"type": "tool_result", "tool_use_id": call, "content": turn.result}]);
        self.entry("user", json!({"role": "user", "content": result}));
    }

    /// The model says something.
    pub(crate) fn say(&mut self, text: &str) {
        self.answer(json!([{"type": "text", "text": text}]), None);
    }

    fn answer(&mut self, content: Value, usage: Option<Value>) {
        self.turns += 1;
        let mut message = json!({"id": format!("m{}", self.turns), "role": "assistant",
            "model": "claude-opus-4-5", "content": content});
        message["usage"] = usage.unwrap_or_default();
        self.entry("assistant", message);
    }

    fn entry(&mut self, kind: &str, message: Value) {
        let uuid = format!("e{}", self.lines.len());
        let mut entry = json!({"type": kind, "uuid": uuid, "parentUuid": self.parent, "sessionId": "s",
            "requestId": format!("r{}", self.turns), "message": message});
        if let Some(minutes) = self.minutes {
            let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
            entry["timestamp"] =
                json!(format!("2026-01-{:02}T{hours:02}:{minutes:02}:00.000Z", 1 + days));
        }
        self.lines.push(entry.to_string());
        self.parent = Some(uuid);
    }

    /// What a replay finds out about it.
    pub(crate) fn replay(&self, replay: &ReplayOptions) -> ReplayAccount {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("session.jsonl");
        std::fs::write(&file, self.lines.join("\n")).unwrap();
        let prices = ModelPrices::default();
        let plan = ReplayPlan {
            settings: Settings { mode: replay.mode, ..Settings::default() },
            counter: None,
            class: None,
            expansion: replay.expansion,
            old_results: replay.old_results,
            prices: &|model| prices.of(model),
        };
        let log = &source::at(&file)[0];
        let (mut sessions, skipped) =
            log.replay(&plan, replay.probes.clone(), &|_| false, &|_| {}).unwrap();
        assert_eq!((sessions.len(), skipped.count), (1, 0));
        sessions.remove(0).account
    }
}

/// How a log is replayed.
#[derive(Clone)]
pub(crate) struct ReplayOptions {
    pub(crate) mode: Mode,
    pub(crate) expansion: ExpansionOffer,
    pub(crate) old_results: OldResults,
    pub(crate) probes: Vec<Probe>,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        ReplayOptions {
            mode: Mode::Standard,
            expansion: ExpansionOffer::FromStart,
            old_results: OldResults::WhenCold,
            probes: Vec::new(),
        }
    }
}

/// What became of old results.
pub(crate) fn old_results(account: &ReplayAccount) -> OldResultSums {
    account.old_results.unwrap()
}
