//! The plan of a rewrite: what a body says, and what is to be done to it.

use super::{OriginalsReader, RewriteInput};
use crate::cold_cache::LeftOutResults;
use crate::declared_tools::DeclaredLists;
use crate::deferral::RequestConversation;
use crate::earlier_results::KeptConversation;
use crate::expand_route::{ExpandRoute, RouteChoice};
use crate::options::RequestOptions;
use crate::owner::THIS_MACHINE;
use crate::report::RequestReport;
use crate::schemas::SchemaShortening;
use std::sync::Arc;
use tokenforge_config::KeptResults;
use tokenforge_engine::reference::{ExpandHint, ReferenceSecret};
use tokenforge_engine::{Engine, Mode, Settings, Vault, VaultAccess};
use tokenforge_providers::{ExpandScope, Request, RequestPurpose};

/// A body that was read, and what is to be done to it.
pub(crate) struct RewritePlan<'o> {
    pub(crate) request: Request<'o>,
    /// What the request asks of us.
    pub(crate) options: RequestOptions,
    /// What is done to its tool results.
    pub(super) settings: Settings,
    /// It is only measured what would be done.
    pub(crate) is_observed: bool,
    /// Under which references are made, if there is one.
    pub(super) key: Option<Arc<ReferenceSecret>>,
    /// Whether the reader of the results, the model or the caller, can fetch what is left out of them.
    pub(super) access: VaultAccess,
    /// What is possible in the conversation.
    pub(super) choice: RouteChoice,
    /// How the model fetches, or would.
    pub(super) route: Option<ExpandRoute>,
    /// What is said under references to a model that fetches with the tool.
    pub(super) tool_hint: Option<ExpandHint>,
    /// The model may call the tool: it is told of it, or was in a part of the conversation that the provider keeps.
    pub(super) is_watched: bool,
    /// The provider keeps the conversation, so that no later request need hold these results: what is left out of them can
    /// be fetched from the store alone.
    pub(super) is_kept: bool,
    /// Results that are left out since the provider's cache was cold.
    pub(super) left_out: LeftOutResults,
}

/// Which calls of ours that the client never saw may belong into a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HiddenCalls {
    None,
    /// Those in the part of it that the provider keeps, which refuses to go on without their answers.
    AtProvider,
    All,
}

impl RewritePlan<'_> {
    /// The conversation, as far as hidden turns belong into it.
    pub(super) fn conversation<'r>(&'r self, input: &'r RewriteInput) -> RequestConversation<'r> {
        RequestConversation {
            tenant: &input.sender.tenant,
            dialect: input.kind.dialect,
            body: &input.body,
            request: &self.request,
        }
    }

    /// Are the tools that it declares to be counted?
    pub(super) fn tools_are_wanted(&self, input: &RewriteInput) -> bool {
        input.kind.purpose.is_answered()
            && input.shared.events.wants_tools()
            && self.declared_lists(input).have_tools()
    }

    /// Leaves out these results too, and has the model told how to fetch them.
    pub(super) fn leave_out(&mut self, input: &RewriteInput, left_out: LeftOutResults) {
        if left_out.offers_tool && self.choice.can_offer() && !self.is_offered() {
            (self.route, self.is_watched) = (Some(ExpandRoute::Tool), true);
            self.settings.expand_hint = self.tool_hint;
            self.access = access(input, &self.request, true);
        }
        self.left_out = left_out;
    }

    /// May old results be left out, now or once the model is told how to fetch them?
    pub(super) fn may_leave_out_old(&self) -> bool {
        self.choice.may_leave_out_old(self.route) && !self.is_observed
    }

    /// Does the model know already how to fetch old results?
    pub(super) fn can_fetch_old(&self) -> bool {
        self.choice.can_fetch_old(self.route)
    }

    /// Can what is left out be fetched from the store alone? Our tool finds it in the request too, if every later request of
    /// the conversation holds it.
    pub(super) fn needs_store(&self, input: &RewriteInput) -> bool {
        self.is_by_shell() || self.is_kept || input.originals_reader == OriginalsReader::Caller
    }

    /// Whose originals are kept: those that our command prints are its own, and those that only the store can give back must
    /// be found after the credential was renewed.
    pub(super) fn originals_tenant<'t>(&self, input: &'t RewriteInput) -> &'t str {
        let of_command = input.shared.originals.command_tenant().filter(|_| self.is_by_shell());
        let lasting = || input.lasting_owner().filter(|_| self.is_kept);
        of_command.or_else(lasting).unwrap_or(&input.sender.tenant)
    }

    /// What does it.
    pub(crate) fn engine(&self) -> Engine<'_> {
        let engine = Engine::new(&self.settings);
        match &self.key {
            Some(key) => engine.with_vault(Vault { key, access: self.access }),
            None => engine,
        }
    }

    /// The model is, or would be, told how to ask for what is left out. Where the request forbids it to ask this once, it
    /// is told all the same: the list of tools stays as it was, and with it the provider's cache.
    pub(super) fn is_offered(&self) -> bool {
        self.route == Some(ExpandRoute::Tool)
    }

    /// The model fetches with a command in its own shell, and is told of no tool.
    fn is_by_shell(&self) -> bool {
        self.route == Some(ExpandRoute::Shell)
    }

    /// What our tool reaches: the settings alone decide, so that its definition is the same in every request.
    pub(super) fn expand_scope(&self, input: &RewriteInput) -> ExpandScope {
        match input.rules.settings.store.keep {
            KeptResults::Referenced => ExpandScope::References,
            KeptResults::All => ExpandScope::EarlierResults,
        }
    }

    /// The conversation, if all of its results are kept. Nothing is kept that the model has no way to ask for.
    pub(super) fn kept_conversation(&self, input: &RewriteInput) -> Option<KeptConversation> {
        let is_kept = self.expand_scope(input) == ExpandScope::EarlierResults
            && self.is_watched
            && !self.is_observed
            && input.kind.purpose == RequestPurpose::Generate;
        if !is_kept {
            return None;
        }
        let sender = &input.sender;
        let owner = if input.is_personal() { THIS_MACHINE.into() } else { sender.tenant.clone() };
        let session = self.options.compression.session_id.as_deref().or(sender.session.as_deref());
        KeptConversation::of(owner, session, &self.request, &input.body)
    }

    /// A call of our tool may come, and must not reach the client.
    pub(super) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Which calls of ours that the client never saw may belong into the conversation. They do wherever they were made once,
    /// also in a request in which none can come: without tools, in the background, or to be compacted.
    pub(super) fn hidden_calls(&self, input: &RewriteInput) -> HiddenCalls {
        let has_none = self.is_observed
            || self.settings.mode == Mode::Disabled
            || input.originals_reader == OriginalsReader::Caller;
        let may_be_beside = input.rules.settings.tool_output.enable_expand_context
            && input.kind.purpose != RequestPurpose::Batch;
        if has_none {
            HiddenCalls::None
        } else if may_be_beside {
            HiddenCalls::All
        } else if self.request.head.has_previous_response {
            HiddenCalls::AtProvider
        } else {
            HiddenCalls::None
        }
    }

    /// What is done to its lists of tools: what the request asks for, else what the settings say.
    pub(super) fn shortening(&self, input: &RewriteInput) -> SchemaShortening {
        SchemaShortening(self.options.schemas.unwrap_or(input.rules.settings.schema_compression))
    }

    /// The tools that it declares.
    pub(super) fn declared_lists<'r>(&'r self, input: &'r RewriteInput) -> DeclaredLists<'r> {
        DeclaredLists {
            request: &self.request,
            body: &input.body,
            dialect: input.kind.dialect,
            counter: self.settings.counter,
            shortening: self.shortening(input),
        }
    }

    /// May something be left out of results?
    pub(crate) fn may_leave_out(&self) -> bool {
        self.engine().offers_expansion()
    }

    pub(crate) fn into_settings(self) -> Settings {
        self.settings
    }

    /// An account of which nothing is told yet.
    pub(crate) fn report(&self, input: &RewriteInput) -> RequestReport {
        let mode = if self.is_observed { Mode::Observe } else { self.settings.mode };
        RequestReport {
            dialect: Some(input.kind.dialect),
            model: self
                .request
                .head
                .model
                .as_deref()
                .or(input.kind.model.as_deref())
                .map(str::to_owned),
            project: input.sender.project.as_deref().map(str::to_owned),
            client: input.sender.client.clone(),
            session: self
                .options
                .compression
                .session_id
                .clone()
                .or_else(|| input.sender.session.clone()),
            debug: self.options.debug.clone().map(Into::into),
            mode: mode.name(),
            ..RequestReport::default()
        }
    }
}

/// Whether the reader of the results, the model or the caller, can fetch what is left out of them.
pub(super) fn access(input: &RewriteInput, request: &Request<'_>, can_fetch: bool) -> VaultAccess {
    let may_ask = input.originals_reader == OriginalsReader::Caller
        || (can_fetch && !request.restricts_tools);
    if may_ask { VaultAccess::Reader } else { VaultAccess::Others }
}
