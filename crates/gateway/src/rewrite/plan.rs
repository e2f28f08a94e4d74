//! The plan of a rewrite: what a body says, and what is to be done to it.

use super::expand_payoff::expand_tool_pays;
use super::expand_route::{ExpandRoute, RouteChoice, has_shell};
use super::{OriginalsReader, RewriteEffort, RewriteInput, prompt_json, unchecked_problem};
use crate::answer::Problem;
use crate::cold_cache::LeftOutResults;
use crate::earlier_results::KeptConversation;
use crate::memo;
use crate::options::RequestOptions;
use crate::reference_key::KeyState;
use crate::report::RequestReport;
use std::sync::Arc;
use tokenforge_config::{ExpandBy, ExpandInjection, KeptResults};
use tokenforge_engine::reference::{ExpandHint, ReferenceSecret};
use tokenforge_engine::{Engine, Mode, Settings, Vault, VaultAccess};
use tokenforge_providers::{
    EarlierReading, ExpandScope, Refusal, Request, RequestPurpose, ToolList,
};
use tokenforge_tokens::{Counter, ModelClass, for_model};

/// A body that was read, and what is to be done to it.
pub(crate) struct RewritePlan<'o> {
    pub(crate) request: Request<'o>,
    /// What the request asks of us.
    pub(crate) options: RequestOptions,
    /// What is done to its tool results.
    settings: Settings,
    /// It is only measured what would be done.
    pub(crate) is_observed: bool,
    /// Under which references are made, if there is one.
    pub(super) key: Option<Arc<ReferenceSecret>>,
    /// Whether whoever reads the results can ask for what is left out of them.
    access: VaultAccess,
    /// The model can be told of the tool with which it asks, whether that pays or not.
    can_offer: bool,
    /// The model is, or would be, told of it.
    is_offered: bool,
    /// The model fetches with a command in its own shell, and is told of no tool.
    by_shell: bool,
    /// What is said under references to a model that fetches with the tool.
    tool_hint: Option<ExpandHint>,
    /// The model may call the tool: it is told of it, or was in a part of the conversation that the provider keeps.
    is_watched: bool,
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

/// Why there is no plan for a body.
pub(crate) enum NoPlan {
    /// It is to be left as it is.
    Untouched,
    /// The client asked for something that does not exist.
    Problem(Problem),
    /// Somebody has to be asked first, and that takes more effort than allowed.
    Effort,
}

impl<'o> RewritePlan<'o> {
    /// Reads a body.
    pub(crate) fn read(
        input: &'o RewriteInput,
        effort: RewriteEffort,
        known: &'o dyn EarlierReading,
    ) -> Result<Self, NoPlan> {
        Self::of(input, effort, prompt_json::read(input, known))
    }

    /// The plan for what was read.
    pub(super) fn of(
        input: &'o RewriteInput,
        effort: RewriteEffort,
        read: Result<Request<'o>, Refusal>,
    ) -> Result<Self, NoPlan> {
        let request = match read {
            Ok(request) => request,
            Err(Refusal::Ambiguous { key, .. }) if key == "_forge" => {
                let problem = Problem::bad_request("_forge occurs twice; expected once");
                return Err(NoPlan::Problem(problem));
            }
            Err(_) if input.state.settings.redact_secrets => {
                return Err(NoPlan::Problem(unchecked_problem(
                    "its JSON can be understood in two ways",
                )));
            }
            // Not ours to judge: the provider says what is wrong with it.
            Err(_) => return Err(NoPlan::Untouched),
        };
        let options = options(input, &request).map_err(NoPlan::Problem)?;
        let mut asked = settings(input, &request, &options);
        let is_kept = is_kept_by_provider(input, &request);
        let may_leave_out =
            input.holds().restrain(&mut asked) && (!is_kept || can_keep_originals(input));
        let is_observed = asked.mode == Mode::Observe;
        // What is measured is what the default mode would do.
        let mode = if is_observed { Mode::Standard } else { asked.mode };
        let key = match effort {
            RewriteEffort::Least => None,
            // Nothing is taken out in the others.
            _ if !mode.is_safe() => None,
            RewriteEffort::Full => input.shared.originals.reference_key(),
            RewriteEffort::Remembered => match input.shared.originals.key_state() {
                KeyState::Known(key) => Some(key),
                KeyState::Missing => None,
                KeyState::Unasked => return Err(NoPlan::Effort),
            },
        };
        let leaves_out = key.is_some() && may_leave_out && mode.leaves_out();
        let choice = RouteChoice {
            expand_by: input.state.settings.tool_output.expand_by,
            has_tool: leaves_out && takes_our_tool(input, &request),
            has_shell: leaves_out && input.purpose.takes_calls() && has_shell(input, &request),
        };
        let route = choice.route(|| our_tool_pays(input, &request, &asked));
        let (is_offered, by_shell) =
            (route == Some(ExpandRoute::Tool), route == Some(ExpandRoute::Shell));
        let can_offer = choice.has_tool && choice.expand_by != ExpandBy::Shell;
        let is_watched = is_offered || (mode.leaves_out() && may_know_our_tool(input, &request));
        let access = match may_leave_out {
            true => access(input, &request, is_offered || by_shell),
            false => VaultAccess::Others,
        };
        let tool_hint = asked.expand_hint;
        let expand_hint = if by_shell { Some(ExpandHint::Shell) } else { tool_hint };
        let settings = Settings { mode, expand_hint, ..asked };
        Ok(RewritePlan {
            request,
            options,
            settings,
            is_observed,
            key,
            access,
            can_offer,
            is_offered,
            by_shell,
            tool_hint,
            is_watched,
            is_kept,
            left_out: LeftOutResults::default(),
        })
    }

    /// Leaves out these results too, and has the model told how to fetch them.
    pub(super) fn leave_out(&mut self, input: &RewriteInput, left_out: LeftOutResults) {
        if left_out.offers_tool && self.can_offer && !self.is_offered {
            (self.is_offered, self.is_watched, self.by_shell) = (true, true, false);
            self.settings.expand_hint = self.tool_hint;
            self.access = access(input, &self.request, true);
        }
        self.left_out = left_out;
    }

    /// May old results be left out, now or once the model is told how to fetch them?
    pub(super) fn may_leave_out_old(&self) -> bool {
        (self.can_offer || self.by_shell) && !self.is_observed
    }

    /// Does the model know already how to fetch old results? What it fetches in its shell stays in the conversation, so they
    /// are left to the tool where that can be offered: `expand_route.rs`.
    pub(super) fn can_fetch_old(&self) -> bool {
        self.is_offered || (self.by_shell && !self.can_offer)
    }

    /// Can what is left out be fetched from the store alone? Our tool finds it in the request too, if every later request of
    /// the conversation holds it.
    pub(super) fn needs_store(&self, input: &RewriteInput) -> bool {
        self.by_shell || self.is_kept || input.originals_reader == OriginalsReader::Caller
    }

    /// Whose originals are kept: those that our command prints are its own, and those that only the store can give back must
    /// be found after the credential was renewed.
    pub(super) fn originals_tenant<'t>(&self, input: &'t RewriteInput) -> &'t str {
        let of_command = input.shared.originals.command_tenant().filter(|_| self.by_shell);
        let lasting = || input.lasting_owner().filter(|_| self.is_kept);
        of_command.or_else(lasting).unwrap_or(&input.tenant)
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
        self.is_offered
    }

    /// What our tool reaches: the settings alone decide, so that its definition is the same in every request.
    pub(super) fn expand_scope(&self, input: &RewriteInput) -> ExpandScope {
        match input.state.settings.store.keep {
            KeptResults::Referenced => ExpandScope::References,
            KeptResults::All => ExpandScope::EarlierResults,
        }
    }

    /// The conversation, if all of its results are kept. Nothing is kept that the model has no way to ask for.
    pub(super) fn kept_conversation(&self, input: &RewriteInput) -> Option<KeptConversation> {
        let is_kept = self.expand_scope(input) == ExpandScope::EarlierResults
            && self.is_watched
            && !self.is_observed
            && input.purpose == RequestPurpose::Generate;
        is_kept.then(|| KeptConversation::of(input, &self.options, &self.request)).flatten()
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
        let may_be_beside = input.state.settings.tool_output.enable_expand_context
            && input.purpose != RequestPurpose::Batch;
        match self.request.head.has_previous_response {
            _ if has_none => HiddenCalls::None,
            _ if may_be_beside => HiddenCalls::All,
            true => HiddenCalls::AtProvider,
            false => HiddenCalls::None,
        }
    }

    /// May something be left out of results?
    pub(crate) fn may_leave_out(&self) -> bool {
        self.engine().offers_expansion()
    }

    /// Counts the model's tokens.
    pub(super) fn counter(&self) -> Counter {
        self.settings.counter
    }

    pub(crate) fn into_settings(self) -> Settings {
        self.settings
    }

    /// An account of which nothing is told yet.
    pub(crate) fn report(&self, input: &RewriteInput) -> RequestReport {
        let mode = if self.is_observed { Mode::Observe } else { self.settings.mode };
        RequestReport {
            dialect: Some(input.dialect),
            model: self.request.head.model.as_deref().or(input.model.as_deref()).map(str::to_owned),
            project: input.project.as_deref().map(str::to_owned),
            client: input.client.clone(),
            session: self.options.compression.session_id.clone().or_else(|| input.session.clone()),
            debug: self.options.debug.clone().map(Into::into),
            mode: mode.name(),
            ..RequestReport::default()
        }
    }
}

fn options(input: &RewriteInput, request: &Request<'_>) -> Result<RequestOptions, Problem> {
    let options = RequestOptions::clone(&input.options);
    let Some(forge) = &request.head.forge else { return Ok(options) };
    let member = input.body.get(forge.value.clone()).map(String::from_utf8_lossy);
    options.with_member(&member.unwrap_or_default())
}

/// What is to be done to tool outputs, as the operator says and the request after that.
fn settings(input: &RewriteInput, request: &Request<'_>, options: &RequestOptions) -> Settings {
    let mut settings = options.compression.over(&input.state.engine);
    if !input.state.settings.tool_output.enabled {
        settings.mode = Mode::Disabled;
    }
    // Whoever wants no secret to go out wants none in a result either.
    settings.redact_secrets |= input.state.settings.redact_secrets;
    if let Some(model) = request.head.model.as_deref().or(input.model.as_deref()) {
        settings.counter = for_model(model).vocabulary.into();
    }
    settings.model_class = model_class(input, request, options);
    settings
}

/// How well the model reads what is written in other words: as the request says, or the operator, or its name. Most of
/// those that run on a machine of one's own are small.
fn model_class(
    input: &RewriteInput,
    request: &Request<'_>,
    options: &RequestOptions,
) -> ModelClass {
    let model = request.head.model.as_deref().or(input.model.as_deref()).unwrap_or_default();
    let by_model = || match input.dialect.is_local() {
        true => ModelClass::Small,
        false => ModelClass::of(model),
    };
    let asked = options.compression.model_class;
    asked.or(input.state.settings.tool_output.model_class.class()).unwrap_or_else(by_model)
}

/// Whether whoever reads the results can ask for what is left out of them.
fn access(input: &RewriteInput, request: &Request<'_>, can_fetch: bool) -> VaultAccess {
    let may_ask = input.originals_reader == OriginalsReader::Caller
        || (can_fetch && !request.restricts_tools);
    if may_ask { VaultAccess::Reader } else { VaultAccess::Others }
}

/// Can our tool be offered to a model? It needs a list of tools, and a reply with one choice that comes back this way,
/// which can be continued when it was interrupted. An empty list is left so: whoever sends one wants no call.
fn takes_our_tool(input: &RewriteInput, request: &Request<'_>) -> bool {
    let takes_one_more = request.tools.as_ref().is_some_and(ToolList::takes_expand_tool);
    takes_one_more && has_one_reply(input, request)
}

/// Is our tool worth its definition in every request? A model that must call another tool, or none, cannot call it. Where the
/// prompt is large it stays in the list all the same: without it the provider's cache of tools and prompt would be lost.
fn our_tool_pays(input: &RewriteInput, request: &Request<'_>, settings: &Settings) -> bool {
    match input.state.settings.tool_output.expand_injection {
        ExpandInjection::FromStart => !request.restricts_tools,
        ExpandInjection::WhenReferenced => true,
        ExpandInjection::WhenItPays => expand_tool_pays(input, request, settings.counter),
    }
}

/// May the model know of our tool although this request does not say so? It may where the provider keeps a part of the
/// conversation, and the tools with it. Such a request is not told from one that was never offered the tool, so nothing is
/// left out of it; but a call is answered. Not where the client has a tool of that name: the call is its own.
fn may_know_our_tool(input: &RewriteInput, request: &Request<'_>) -> bool {
    let mut lists = request.tools.iter().chain(&request.further_tools);
    request.head.has_previous_response
        && lists.all(ToolList::takes_expand_tool)
        && has_one_reply(input, request)
}

/// Does the provider keep the conversation, so that the next request may leave out the results of this one? A caller that
/// has its body rewritten keeps the originals itself.
fn is_kept_by_provider(input: &RewriteInput, request: &Request<'_>) -> bool {
    let head = &request.head;
    let is_kept =
        head.has_previous_response || (input.dialect.keeps_replies() && head.store != Some(false));
    is_kept && input.originals_reader == OriginalsReader::Model
}

/// Can the store give back the originals of a conversation that the provider keeps? They must live longer than the memo says
/// what became of a result without asking the store, and belong to an owner that a later request is known by too.
fn can_keep_originals(input: &RewriteInput) -> bool {
    input.state.settings.store.original_ttl > memo::FRESH && input.lasting_owner().is_some()
}

fn has_one_reply(input: &RewriteInput, request: &Request<'_>) -> bool {
    let is_one_reply =
        request.head.choices.is_none_or(|choices| choices <= 1) && !request.is_background;
    let is_allowed = input.state.settings.tool_output.enable_expand_context;
    let comes_back = is_one_reply && input.purpose.takes_calls();
    input.originals_reader == OriginalsReader::Model && is_allowed && comes_back
}
