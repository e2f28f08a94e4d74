//! The terms of a replay: what a gateway would have been told, and what the conversation begins with.

use crate::plan::ReplayPlan;
use crate::preamble::{Preamble, tool_tokens};
use tokenforge_conversation::expand_route::ExpandRoute;
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, Settings, Vault};

/// What a gateway would have been told, and what it would have read in the first request.
pub(super) struct ReplayTerms<'p> {
    pub(super) plan: &'p ReplayPlan<'p>,
    key: ReferenceSecret,
    pub(super) settings: Settings,
    pub(super) preamble: Preamble,
    /// Tokens of the list of tools, without ours.
    pub(super) tools: usize,
}

impl<'p> ReplayTerms<'p> {
    pub(super) fn new(
        plan: &'p ReplayPlan<'p>,
        model: Option<&str>,
        tools: Option<&str>,
        preamble: Preamble,
    ) -> Self {
        let settings = plan.settings_for(model);
        let key = ReferenceSecret::from_bytes([7; 32]);
        ReplayTerms { plan, key, tools: tool_tokens(tools, &settings), settings, preamble }
    }

    /// What works on a result where the model fetches like this. Originals are not stored: a replay asks for none.
    pub(super) fn engine<'s>(
        &'s self,
        settings: &'s Settings,
        route: Option<ExpandRoute>,
    ) -> Engine<'s> {
        let engine = Engine::new(settings);
        if self.preamble.has_tools && settings.mode.leaves_out() && route.is_some() {
            engine.with_vault(Vault::for_reader(&self.key))
        } else {
            engine
        }
    }

    /// May old results become references?
    pub(super) fn leaves_out_old(&self, route: Option<ExpandRoute>) -> bool {
        self.plan.leaves_out_old(&self.settings, &self.preamble, route)
    }

    /// Does the model know how to fetch old results?
    pub(super) fn can_fetch_old(&self, route: Option<ExpandRoute>) -> bool {
        self.plan.can_fetch_old(&self.settings, &self.preamble, route)
    }
}
