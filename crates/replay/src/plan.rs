//! The options of a replay: what a gateway would have been told to do.

use crate::preamble::Preamble;
use tokenforge_config::{ExpandBy, ExpandInjection, OldResults, Price};
use tokenforge_conversation::expand_route::{ExpandRoute, RouteChoice, is_tool_worth};
use tokenforge_engine::{Mode, Settings};
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

/// The price of an unknown model: that of a common one.
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

    /// What is possible in a conversation.
    fn choice(&self, settings: &Settings, preamble: &Preamble) -> RouteChoice {
        let leaves_out = settings.mode.leaves_out() && self.expansion != ExpansionOffer::Never;
        RouteChoice {
            expand_by: match self.expansion {
                ExpansionOffer::ByShell => ExpandBy::Shell,
                ExpansionOffer::WhenItPaysElseByShell => ExpandBy::Auto,
                _ => ExpandBy::Tool,
            },
            has_tool: leaves_out,
            has_shell: leaves_out && preamble.has_shell,
        }
    }

    /// How the model of a conversation fetches from the first request on.
    pub(crate) fn route(&self, settings: &Settings, preamble: &Preamble) -> Option<ExpandRoute> {
        let pays = || is_tool_worth(self.injection(), || preamble.pays(settings));
        self.choice(settings, preamble).route(pays)
    }

    /// When the tool stands in the list of a request.
    pub(crate) fn injection(&self) -> ExpandInjection {
        match self.expansion {
            ExpansionOffer::FromStart => ExpandInjection::FromStart,
            ExpansionOffer::WhenReferenced => ExpandInjection::WhenReferenced,
            _ => ExpandInjection::WhenItPays,
        }
    }

    /// May old results of a conversation with this route become references?
    pub(crate) fn leaves_out_old(
        &self,
        settings: &Settings,
        preamble: &Preamble,
        route: Option<ExpandRoute>,
    ) -> bool {
        self.old_results == OldResults::WhenCold
            && self.choice(settings, preamble).may_leave_out_old(route)
    }

    /// Does a model with this route know how to fetch old results?
    pub(crate) fn can_fetch_old(
        &self,
        settings: &Settings,
        preamble: &Preamble,
        route: Option<ExpandRoute>,
    ) -> bool {
        self.choice(settings, preamble).can_fetch_old(route)
    }

    /// What a model's tokens cost, and whether that is known.
    pub(crate) fn price(&self, model: Option<&str>) -> (Price, bool) {
        let known = model.and_then(self.prices);
        (known.unwrap_or(COMMON), known.is_some())
    }
}
