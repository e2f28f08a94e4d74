//! Texts of results made smaller, by the engine that the gateway has too.

use super::hook_ledger::HookLedger;
use super::question::{HookAnswer, HookQuestion};
use crate::data;
use crate::engine::TENANT;
use crate::settings::{self, SettingsSource};
use std::borrow::Cow;
use std::time::{Duration, Instant};
use tokenforge_config::Overrides;
use tokenforge_engine::reference::{ExpandHint, ReferenceSecret};
use tokenforge_engine::{
    CompressedOutput, Deadline, Engine, History, Mode, Output, Settings, Vault,
};
use tokenforge_store::{DiskStore, EntryKind, Store};

/// Smaller texts are only redacted, by which nothing has to be counted: a table of a vocabulary takes longer to make
/// than a tool often takes to run, and so few tokens are not worth it.
const FLOOR_BYTES: usize = 1024;

/// What a marker, its hint and the notes of a cap may add to a text that was cut to a size.
const MARGIN_BYTES: usize = 400;

/// No stage begins after this.
const PATIENCE: Duration = Duration::from_secs(3);

/// Makes texts smaller.
pub(crate) struct HookEngine {
    settings: Settings,
    ledger: HookLedger,
    /// Where originals are kept, if they can be: without, nothing is left out.
    vault: Option<(DiskStore, ReferenceSecret)>,
}

impl HookEngine {
    /// As the user's own settings say. Those of a project are not read: it may be anybody's.
    pub(super) fn alone() -> Option<Self> {
        let file = settings::users_file();
        let settings = SettingsSource { file, flags: Overrides::default() }.load().ok()?;
        let alone = Self::new(&settings);
        Some(HookEngine { ledger: alone.ledger.estimating(), ..alone })
    }

    /// As these settings say.
    pub(crate) fn new(settings: &tokenforge_config::Settings) -> Self {
        let tool_output = &settings.tool_output;
        let mut engine = tool_output.engine_settings();
        engine.redact_secrets |= settings.redact_secrets;
        let vault = || {
            let store = data::store().ok()?;
            let key = ReferenceSecret::from_bytes(store.key().ok()?);
            Some((store, key))
        };
        let vault = if tool_output.enable_expand_context { vault() } else { None };
        let ledger = HookLedger::new(&settings.ledger, engine.counter);
        HookEngine { settings: engine, ledger, vault }
    }

    /// What to show instead of each text.
    pub(crate) fn answer(&self, question: &HookQuestion) -> HookAnswer {
        if matches!(self.settings.mode, Mode::Disabled | Mode::Observe) {
            return HookAnswer { texts: vec![None; question.texts.len()] };
        }
        let started = Instant::now();
        let expired = Deadline::new(move || started.elapsed() >= PATIENCE);
        let arguments = match &question.arguments {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        };
        let make = |text: &String| {
            let output = Output {
                text,
                tool: &question.tool,
                arguments: &arguments,
                call: None,
                is_error: question.is_error,
            };
            let result = self.shorten(&output, question, &expired);
            let outcome = self.ledger.outcome(&output, question.shown_bytes, &result);
            (result.text, outcome)
        };
        let (texts, outcomes) = question.texts.iter().map(make).unzip();
        self.ledger.write(question, outcomes);
        HookAnswer { texts }
    }

    fn shorten(
        &self,
        output: &Output<'_>,
        question: &HookQuestion,
        expired: &Deadline,
    ) -> HookResult {
        let vault = self.vault.as_ref().filter(|_| question.can_expand);
        let limit = self.settings.max_output_bytes;
        // What can be fetched back is cut where the agent would cut it for good.
        let shown = question.shown_bytes.filter(|_| vault.is_some());
        let settings = Settings {
            expand_hint: Some(ExpandHint::Command),
            max_output_bytes: limit.into_iter().chain(shown).min(),
            ..self.settings.clone()
        };
        let engine = Engine::new(&settings).with_deadline(expired);
        if output.text.len() < FLOOR_BYTES {
            return match engine.redacted_text(output) {
                Cow::Owned(text) => HookResult { text: Some(text), ..HookResult::default() },
                Cow::Borrowed(_) => HookResult::default(),
            };
        }
        let compressed = compress_and_store(&engine, output, vault, limit);
        let applied = compressed.steps.iter().filter(|step| step.is_applied());
        let stages = applied.map(|step| step.stage).collect();
        let tokens = compressed.counted;
        let is_redacted = !compressed.redacted.is_empty();
        // Where the agent shows less of it than we would, it is better left to the agent.
        let fits = |text: &String| {
            let most = question.shown_bytes.map(|shown| shown + MARGIN_BYTES);
            is_redacted || most.is_none_or(|most| text.len() <= most)
        };
        match compressed.replacement.filter(fits) {
            Some(text) => HookResult { text: Some(text), stages, tokens },
            None => HookResult::default(),
        }
    }
}

/// What was made of a text.
#[derive(Default)]
pub(super) struct HookResult {
    /// `None`: it stays as it is.
    pub(super) text: Option<String>,
    pub(super) stages: Vec<&'static str>,
    /// Those of the text as it came, and as it goes on, where they were counted.
    pub(super) tokens: Option<(usize, usize)>,
}

/// What is left out is stored first; where it cannot be, nothing is left out but what exceeds the user's own limit.
fn compress_and_store(
    engine: &Engine<'_>,
    output: &Output<'_>,
    vault: Option<&(DiskStore, ReferenceSecret)>,
    limit: Option<usize>,
) -> CompressedOutput {
    let history = History::default();
    let Some((store, key)) = vault else { return engine.compress(output, &history) };
    let lossy = engine.with_vault(Vault::for_reader(key));
    let compressed = lossy.compress(output, &history);
    let stored = compressed.original.as_ref().map(|original| {
        let id = original.reference.to_string();
        store.put(EntryKind::Original, TENANT, &id, original.text(output.text).as_bytes())
    });
    match stored {
        Some(Err(_)) => {
            let whole = Settings { max_output_bytes: limit, ..engine.settings().clone() };
            Engine::new(&whole).compress(output, &history)
        }
        _ => compressed,
    }
}
