//! The draft of a plan: what a body asks for, before it is known under which key references are made.

use super::plan::{RewritePlan, access};
use super::{OriginalsReader, RewriteInput, prompt_json};
use crate::cold_cache::LeftOutResults;
use crate::expand_payoff::PromptOf;
use crate::expand_route::{ExpandRoute, RouteChoice, is_tool_worth};
use crate::memo;
use crate::options::RequestOptions;
use crate::problem::RewriteProblem;
use crate::reference_key::KeyState;
use std::sync::Arc;
use tokenforge_config::ExpandInjection;
use tokenforge_engine::reference::{ExpandHint, ReferenceSecret};
use tokenforge_engine::{Mode, Settings, VaultAccess};
use tokenforge_providers::{EarlierReading, Refusal, Request, ToolList};
use tokenforge_tokens::{ModelClass, for_model};

/// Why there is no plan for a body.
pub(super) enum NoPlan {
    /// It is to be left as it is.
    Untouched,
    /// The client asked for something that does not exist.
    Problem(RewriteProblem),
}

/// The plan for a body, as far as it does not depend on the key of references, which the store may have to be asked for.
pub(super) struct PlanDraft<'o> {
    request: Request<'o>,
    options: RequestOptions,
    /// What is to be done, as the operator and the request say.
    asked: Settings,
    is_kept: bool,
    may_leave_out: bool,
}

impl<'o> PlanDraft<'o> {
    /// The draft for what was read.
    pub(super) fn of(
        input: &RewriteInput,
        read: Result<Request<'o>, Refusal>,
    ) -> Result<Self, NoPlan> {
        let request = match read {
            Ok(request) => request,
            Err(Refusal::Ambiguous { key, .. }) if key == "_forge" => {
                let problem = RewriteProblem::bad_option("_forge occurs twice; expected once");
                return Err(NoPlan::Problem(problem));
            }
            Err(_) if input.rules.settings.redact_secrets => {
                return Err(NoPlan::Problem(RewriteProblem::unchecked(
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
            input.holds.restrain(&mut asked) && (!is_kept || can_keep_originals(input));
        Ok(PlanDraft { request, options, asked, is_kept, may_leave_out })
    }

    fn is_observed(&self) -> bool {
        self.asked.mode == Mode::Observe
    }

    /// What is done. What is only measured is what the default mode would do.
    fn mode(&self) -> Mode {
        if self.is_observed() { Mode::Standard } else { self.asked.mode }
    }

    /// May a reference be made? In other modes nothing is taken out.
    pub(super) fn needs_key(&self) -> bool {
        self.mode().is_safe()
    }

    /// The plan with the key that the store gives, if one is needed. Blocks.
    pub(super) fn finish_with_key(self, input: &RewriteInput) -> RewritePlan<'o> {
        let key = if self.needs_key() { input.shared.originals.reference_key() } else { None };
        self.finish(input, key)
    }

    /// The plan with the key that is known. `None`: one is needed, and only the store knows it.
    pub(super) fn finish_with_known_key(self, input: &RewriteInput) -> Option<RewritePlan<'o>> {
        let key = if self.needs_key() {
            match input.shared.originals.key_state() {
                KeyState::Known(key) => Some(key),
                KeyState::Missing => None,
                KeyState::Unasked => return None,
            }
        } else {
            None
        };
        Some(self.finish(input, key))
    }

    /// The plan with this key of references.
    pub(super) fn finish(
        self,
        input: &RewriteInput,
        key: Option<Arc<ReferenceSecret>>,
    ) -> RewritePlan<'o> {
        let (is_observed, mode) = (self.is_observed(), self.mode());
        let PlanDraft { request, options, asked, is_kept, may_leave_out } = self;
        let leaves_out = key.is_some() && may_leave_out && mode.leaves_out();
        let choice = RouteChoice {
            expand_by: input.rules.settings.tool_output.expand_by,
            has_tool: leaves_out && takes_our_tool(input, &request),
            has_shell: leaves_out && input.kind.purpose.takes_calls() && has_shell(input, &request),
        };
        let route = choice.route(|| our_tool_pays(input, &request, &asked));
        let is_offered = route == Some(ExpandRoute::Tool);
        let is_watched = is_offered || (mode.leaves_out() && may_know_our_tool(input, &request));
        let access = if may_leave_out {
            access(input, &request, route.is_some())
        } else {
            VaultAccess::Others
        };
        let tool_hint = asked.expand_hint;
        let expand_hint =
            if route == Some(ExpandRoute::Shell) { Some(ExpandHint::Shell) } else { tool_hint };
        let settings = Settings { mode, expand_hint, ..asked };
        RewritePlan {
            request,
            options,
            settings,
            is_observed,
            key,
            access,
            choice,
            route,
            tool_hint,
            is_watched,
            is_kept,
            left_out: LeftOutResults::default(),
        }
    }
}

impl<'o> RewritePlan<'o> {
    /// The plan for a body; nothing if there is none. Blocks.
    pub(crate) fn read(input: &'o RewriteInput, known: &'o dyn EarlierReading) -> Option<Self> {
        let draft = PlanDraft::of(input, prompt_json::read(input, known)).ok()?;
        Some(draft.finish_with_key(input))
    }
}

fn options(input: &RewriteInput, request: &Request<'_>) -> Result<RequestOptions, RewriteProblem> {
    let options = RequestOptions::clone(&input.options);
    let Some(forge) = &request.head.forge else { return Ok(options) };
    let member = input.body.get(forge.value.clone()).map(String::from_utf8_lossy);
    options.with_member(&member.unwrap_or_default())
}

/// What is to be done to tool outputs, as the operator says and the request after that.
fn settings(input: &RewriteInput, request: &Request<'_>, options: &RequestOptions) -> Settings {
    let mut settings = options.compression.over(&input.rules.engine);
    if !input.rules.settings.tool_output.enabled {
        settings.mode = Mode::Disabled;
    }
    // An operator who redacts secrets in requests wants none in a result either.
    settings.redact_secrets |= input.rules.settings.redact_secrets;
    if let Some(model) = request.head.model.as_deref().or(input.kind.model.as_deref()) {
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
    let model = request.head.model.as_deref().or(input.kind.model.as_deref()).unwrap_or_default();
    let by_model =
        || if input.kind.dialect.is_local() { ModelClass::Small } else { ModelClass::of(model) };
    let asked = options.compression.model_class;
    asked.or(input.rules.settings.tool_output.model_class.class()).unwrap_or_else(by_model)
}

/// Can our tool be offered to a model? It needs a list of tools, and a reply with one choice that comes back this way,
/// which can be continued when it was interrupted. An empty list is left so: a client that sends one wants no call.
fn takes_our_tool(input: &RewriteInput, request: &Request<'_>) -> bool {
    let takes_one_more = request.tools.as_ref().is_some_and(ToolList::takes_expand_tool);
    takes_one_more && has_one_reply(input, request)
}

/// Is our tool worth its definition in every request? A model that must call another tool, or none, cannot call it. Where the
/// prompt is large it stays in the list all the same: without it the provider's cache of tools and prompt would be lost.
fn our_tool_pays(input: &RewriteInput, request: &Request<'_>, settings: &Settings) -> bool {
    let injection = input.rules.settings.tool_output.expand_injection;
    if injection == ExpandInjection::FromStart && request.restricts_tools {
        return false;
    }
    is_tool_worth(injection, || {
        let asked = PromptOf { request, body: &input.body, dialect: input.kind.dialect };
        input.shared.prompt_sizes.expand_tool_pays(&input.shared.memo, &asked, settings.counter)
    })
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
    let is_kept = head.has_previous_response
        || (input.kind.dialect.keeps_replies() && head.store != Some(false));
    is_kept && input.originals_reader == OriginalsReader::Model
}

/// Can the store give back the originals of a conversation that the provider keeps? They must live longer than the memo says
/// what became of a result without asking the store, and belong to an owner that a later request is known by too.
fn can_keep_originals(input: &RewriteInput) -> bool {
    input.rules.settings.store.original_ttl > memo::FRESH && input.lasting_owner().is_some()
}

/// Can the model run our command? Its agent's own shell must be among the tools that it may call from the start: that of a
/// tool server may run elsewhere.
fn has_shell(input: &RewriteInput, request: &Request<'_>) -> bool {
    let mut lists = request.tools.iter().chain(&request.further_tools);
    let declares =
        |list: &ToolList<'_>, shell: &str| list.callable.iter().any(|name| name == shell);
    input.rules.settings.tool_output.enable_expand_context
        && input.sender.local_shell.is_some_and(|shell| lists.any(|list| declares(list, shell)))
}

fn has_one_reply(input: &RewriteInput, request: &Request<'_>) -> bool {
    let is_one_reply =
        request.head.choices.is_none_or(|choices| choices <= 1) && !request.is_background;
    let is_allowed = input.rules.settings.tool_output.enable_expand_context;
    let comes_back = is_one_reply && input.kind.purpose.takes_calls();
    input.originals_reader == OriginalsReader::Model && is_allowed && comes_back
}
