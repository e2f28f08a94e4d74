//! What every mode makes of a folder of recordings.

use crate::corpus::{Corpus, CorpusError};
use crate::plan::{ExpansionOffer, ReplayPlan};
use crate::report::{ModeReport, ReplayReport};
use crate::{outputs, sessions};
use tokenforge_config::OldResults;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, Mode, Settings, Vault};
use tokenforge_ledger::ModelPrices;

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasureProgress<'s> {
    /// Steps that are done.
    pub done: usize,
    /// All steps.
    pub of: usize,
    /// The mode that is measured now.
    pub mode: Mode,
    /// On which recordings.
    pub name: &'s str,
}

/// Measures these modes, with these settings but for the mode, and tells `watch` before each step.
///
/// # Errors
/// If a recording cannot be read.
pub fn corpus(
    corpus: &Corpus,
    modes: &[Mode],
    settings: &Settings,
    expansion: ExpansionOffer,
    old_results: OldResults,
    watch: &mut dyn FnMut(MeasureProgress<'_>),
) -> Result<ReplayReport, CorpusError> {
    let (kinds, sets) = (outputs::by_kind(corpus)?, corpus.sets()?);
    let (prices, key) = (ModelPrices::default(), ReferenceSecret::from_bytes([7; 32]));
    let of = modes.len() * (kinds.len() + sets.len());
    let mut done = 0;
    let mut begin = |mode: Mode, name: &str| {
        watch(MeasureProgress { done, of, mode, name });
        done += 1;
    };
    let counter = settings.counter;
    let mut report = ReplayReport::new(counter);
    for &mode in modes {
        let settings = Settings { mode, ..settings.clone() };
        let engine = Engine::new(&settings);
        let engine =
            if mode.leaves_out() { engine.with_vault(Vault::for_reader(&key)) } else { engine };
        let plan = ReplayPlan {
            settings: settings.clone(),
            counter: Some(counter),
            class: None,
            expansion,
            old_results,
            prices: &|model| prices.of(model),
        };
        let mut found = ModeReport::default();
        for (kind, recordings) in &kinds {
            begin(mode, kind);
            found.kinds.insert(kind.clone(), outputs::measure(recordings, &engine, counter));
        }
        for set in &sets {
            begin(mode, set);
            let measured = sessions::measure(corpus.sessions(set)?, &plan)?;
            found.sessions.insert(set.clone(), measured);
        }
        report.modes.insert(mode.to_string(), found);
    }
    Ok(report)
}
