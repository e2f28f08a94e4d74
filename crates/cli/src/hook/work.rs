//! Texts of results made smaller, by the engine that the gateway has too.

use super::asked::{Answered, Asked};
use super::books::Books;
use crate::data;
use crate::engine::TENANT;
use crate::settings::{self, Source};
use std::borrow::Cow;
use std::time::{Duration, Instant};
use tokenforge_config::Overrides;
use tokenforge_engine::reference::{ExpandHint, ReferenceSecret};
use tokenforge_engine::{
    CompressedOutput, DEFAULT_MAX_OUTPUT_BYTES, Deadline, Engine, History, Mode, Output, Settings,
    Vault,
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
pub(crate) struct Workshop {
    settings: Settings,
    books: Books,
    /// Where originals are kept, if they can be: without, nothing is left out.
    vault: Option<(DiskStore, ReferenceSecret)>,
}

impl Workshop {
    /// As the user's own settings say. Those of a project are not read: it may be anybody's.
    pub(super) fn alone() -> Option<Self> {
        let file = settings::users_file();
        let settings = Source { file, flags: Overrides::default() }.load().ok()?;
        let workshop = Self::new(&settings);
        Some(Workshop { books: workshop.books.estimating(), ..workshop })
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
        let books = Books::new(&settings.ledger, engine.counter);
        Workshop { settings: engine, books, vault }
    }

    /// What to show instead of each text.
    pub(crate) fn answer(&self, asked: &Asked) -> Answered {
        if matches!(self.settings.mode, Mode::Disabled | Mode::Observe) {
            return Answered { texts: vec![None; asked.texts.len()] };
        }
        let started = Instant::now();
        let expired = Deadline::new(move || started.elapsed() >= PATIENCE);
        let arguments = match &asked.arguments {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        };
        let make = |text: &String| {
            let output = Output {
                text,
                tool: &asked.tool,
                arguments: &arguments,
                call: None,
                is_error: asked.is_error,
            };
            let made = self.made(&output, asked, &expired);
            let outcome = self.books.outcome(&output, asked.shown_bytes, &made);
            (made.text, outcome)
        };
        let (texts, outcomes) = asked.texts.iter().map(make).unzip();
        self.books.write(asked, outcomes);
        Answered { texts }
    }

    fn made(&self, output: &Output<'_>, asked: &Asked, expired: &Deadline) -> Made {
        let vault = self.vault.as_ref().filter(|_| asked.can_expand);
        let limit = self.settings.max_output_bytes;
        // What can be fetched back is cut where the agent would cut it for good.
        let most = || {
            let shown = asked.shown_bytes.unwrap_or(usize::MAX);
            limit.unwrap_or(DEFAULT_MAX_OUTPUT_BYTES).min(shown)
        };
        let settings = Settings {
            expand_hint: Some(ExpandHint::Command),
            max_output_bytes: if vault.is_some() { Some(most()) } else { limit },
            ..self.settings.clone()
        };
        let engine = Engine::new(&settings).with_deadline(expired);
        if output.text.len() < FLOOR_BYTES {
            return match engine.redacted_text(output) {
                Cow::Owned(text) => Made { text: Some(text), ..Made::default() },
                Cow::Borrowed(_) => Made::default(),
            };
        }
        let compressed = compressed(&engine, output, vault, limit);
        let applied = compressed.steps.iter().filter(|step| step.is_applied());
        let stages = applied.map(|step| step.stage).collect();
        let tokens = compressed.counted;
        let is_redacted = !compressed.redacted.is_empty();
        // Where the agent shows less of it than we would, it is better left to the agent.
        let fits = |text: &String| {
            let most = asked.shown_bytes.map(|shown| shown + MARGIN_BYTES);
            is_redacted || most.is_none_or(|most| text.len() <= most)
        };
        match compressed.replacement.filter(fits) {
            Some(text) => Made { text: Some(text), stages, tokens },
            None => Made::default(),
        }
    }
}

/// What was made of a text.
#[derive(Default)]
pub(super) struct Made {
    /// `None`: it stays as it is.
    pub(super) text: Option<String>,
    pub(super) stages: Vec<&'static str>,
    /// Those of the text as it came, and as it goes on, where they were counted.
    pub(super) tokens: Option<(usize, usize)>,
}

/// What is left out is stored first; where it cannot be, nothing is left out but what exceeds the user's own limit.
fn compressed(
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
        store.put(EntryKind::Original, TENANT, &id, original.text.as_bytes())
    });
    match stored {
        Some(Err(_)) => {
            let whole = Settings { max_output_bytes: limit, ..engine.settings().clone() };
            Engine::new(&whole).compress(output, &history)
        }
        _ => compressed,
    }
}
