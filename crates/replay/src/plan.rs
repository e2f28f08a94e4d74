//! The options of a replay: what a gateway would have been told to do.

use crate::preamble::Preamble;
use tokenforge_config::{OldResults, Price};
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, Mode, Settings, Vault};
use tokenforge_tokens::{Counter, ModelClass, for_model};

/// What a gateway would have been told to do.
pub struct ReplayPlan<'p> {
    /// What is done to tool results.
    pub settings: Settings,
    /// Counts the tokens of all models; without it, each is counted with its own vocabulary, as a gateway does.
    pub counter: Option<Counter>,
    /// What all models read well; without it, it is told by their names, as a gateway does.
    pub class: Option<ModelClass>,
    /// When models are offered the tool that gives back what was left out.
    pub expansion: ExpansionOffer,
    /// When old results become references.
    pub old_results: OldResults,
    /// What a model's tokens cost, if anybody knows.
    pub prices: &'p (dyn Fn(&str) -> Option<Price> + Sync),
}

/// The price of a model that nobody knows: that of a common one.
const COMMON: Price =
    Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75, cache_write_1h: 6.0 };

/// When models are offered the tool that gives back what was left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExpansionOffer {
    /// In every request, where a tool runs commands and the prompt is a hundred times as large as the definition; elsewhere
    /// in none, and nothing is left out.
    #[default]
    WhenItPays,
    /// In every request.
    FromStart,
    /// In those that have a reference in them.
    WhenReferenced,
    /// In none; nothing is left out.
    Never,
    /// In none. Where a tool runs commands, a line under each reference names a command for that shell, which is taken to run
    /// on the user's machine; elsewhere nothing is left out.
    ByShell,
    /// As [`WhenItPays`](Self::WhenItPays); where that is none, as [`ByShell`](Self::ByShell) until old results are left out.
    WhenItPaysElseByShell,
}

impl ReplayPlan<'_> {
    /// What is done to the tool results of a model.
    pub(crate) fn settings_for(&self, model: Option<&str>) -> Settings {
        let own = model.map(|model| for_model(model).vocabulary.into());
        let counter = self.counter.or(own).unwrap_or(self.settings.counter);
        // What would be done is what is asked for, also where it is only to be observed.
        let mode = match self.settings.mode {
            Mode::Observe => Mode::Standard,
            mode => mode,
        };
        let model_class = self.class.or_else(|| model.map(ModelClass::of));
        let model_class = model_class.unwrap_or(self.settings.model_class);
        Settings { counter, mode, model_class, ..self.settings.clone() }
    }

    /// The same, but old results stay as they are.
    pub(crate) fn without_old_results(&self) -> Self {
        ReplayPlan { settings: self.settings.clone(), old_results: OldResults::Never, ..*self }
    }

    /// May old results of a model's requests become references?
    pub(crate) fn leaves_out_old(&self, settings: &Settings, by_shell: bool) -> bool {
        self.old_results == OldResults::WhenCold
            && settings.mode.leaves_out()
            && match self.expansion {
                ExpansionOffer::Never => false,
                ExpansionOffer::ByShell => by_shell,
                _ => true,
            }
    }

    /// Is a model that fetches in its shell told of the tool where old results are left out?
    pub(crate) fn has_tool_at_cold_caches(&self) -> bool {
        self.expansion == ExpansionOffer::WhenItPaysElseByShell
    }

    /// Does the model of a conversation fetch with a command in its shell?
    pub(crate) fn is_by_shell(&self, settings: &Settings, preamble: &Preamble) -> bool {
        preamble.has_shell
            && settings.mode.leaves_out()
            && match self.expansion {
                ExpansionOffer::ByShell => true,
                ExpansionOffer::WhenItPaysElseByShell => !preamble.pays(settings),
                _ => false,
            }
    }

    /// What a model's tokens cost, and whether that is known.
    pub(crate) fn price(&self, model: Option<&str>) -> (Price, bool) {
        let known = model.and_then(self.prices);
        (known.unwrap_or(COMMON), known.is_some())
    }

    /// What does it, in a conversation in which the tool pays for itself or not, or a shell is used instead. Originals are not
    /// stored: nobody asks for them.
    pub(crate) fn engine<'s>(
        &self,
        settings: &'s Settings,
        key: &'s ReferenceSecret,
        pays: bool,
        by_shell: bool,
    ) -> Engine<'s> {
        let engine = Engine::new(settings);
        let is_offered = match self.expansion {
            ExpansionOffer::Never => false,
            ExpansionOffer::WhenItPays => pays,
            ExpansionOffer::ByShell => by_shell,
            ExpansionOffer::WhenItPaysElseByShell => pays || by_shell,
            ExpansionOffer::FromStart | ExpansionOffer::WhenReferenced => true,
        };
        match settings.mode.leaves_out() && is_offered {
            true => engine.with_vault(Vault::for_reader(key)),
            false => engine,
        }
    }
}
