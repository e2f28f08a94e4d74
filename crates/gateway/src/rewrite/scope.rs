//! What a body says, and what is to be done to it.

use super::{Asker, Effort, Order, inputs};
use crate::answer::Problem;
use crate::options::Options;
use crate::report::Report;
use std::sync::Arc;
use tokenforge_compress::reference::Key;
use tokenforge_compress::{Engine, Mode, Settings, Vault};
use tokenforge_dialects::{Known, Refusal, Request, Tools};
use tokenforge_tokens::for_model;

/// A body that was read, and what is to be done to it.
pub(crate) struct Scope<'o> {
    pub(crate) request: Request<'o>,
    /// What the request asks of us.
    pub(crate) options: Options,
    /// What is done to its tool results.
    settings: Settings,
    /// It is only measured what would be done.
    pub(crate) is_observed: bool,
    /// Under which references are made, if the model can ask for what they stand for.
    key: Option<Arc<Key>>,
    tenant: &'o str,
}

/// Why a body has no scope.
pub(crate) enum Unread {
    /// It is to be left as it is.
    Untouched,
    /// The client asked for something that does not exist.
    Problem(Problem),
    /// Somebody has to be asked first, and that takes more effort than allowed.
    Effort,
}

impl<'o> Scope<'o> {
    /// Reads a body.
    pub(crate) fn read(
        order: &'o Order,
        effort: Effort,
        known: &'o dyn Known,
    ) -> Result<Self, Unread> {
        Self::of(order, effort, inputs::read(order, known))
    }

    /// The scope of what was read.
    pub(super) fn of(
        order: &'o Order,
        effort: Effort,
        read: Result<Request<'o>, Refusal>,
    ) -> Result<Self, Unread> {
        let request = match read {
            Ok(request) => request,
            Err(Refusal::Ambiguous { key, .. }) if key == "_forge" => {
                let problem = Problem::bad_request("_forge occurs twice; expected once");
                return Err(Unread::Problem(problem));
            }
            Err(_) if order.state.settings.redact_secrets => {
                return Err(Unread::Problem(inputs::unchecked()));
            }
            // Not ours to judge: the provider says what is wrong with it.
            Err(_) => return Err(Unread::Untouched),
        };
        let options = options(order, &request).map_err(Unread::Problem)?;
        let asked = settings(order, &request, &options);
        let is_observed = asked.mode == Mode::Observe;
        // What is measured is what the default mode would do.
        let mode = if is_observed { Mode::Standard } else { asked.mode };
        let key = match effort {
            Effort::Least => None,
            _ if !may_expand(order, &request) => None,
            Effort::Full => order.gateway.reference_key(),
            Effort::Remembered => Some(order.gateway.known_key().ok_or(Unread::Effort)?),
        };
        let settings = Settings { mode, ..asked };
        Ok(Scope { request, options, settings, is_observed, key, tenant: &order.tenant })
    }

    /// What does it.
    pub(crate) fn engine(&self) -> Engine<'_> {
        let engine = Engine::new(&self.settings);
        match &self.key {
            Some(key) => engine.with_vault(Vault { key, tenant: self.tenant }),
            None => engine,
        }
    }

    /// Stages are at work on the results, and what they make is sent.
    pub(super) fn is_compressed(&self) -> bool {
        !self.is_observed && self.settings.mode != Mode::Disabled
    }

    /// The model is, or would be, told how to ask for what is left out.
    pub(crate) fn is_reversible(&self) -> bool {
        self.engine().offers_expansion()
    }

    pub(crate) fn into_settings(self) -> Settings {
        self.settings
    }

    /// An account of which nothing is told yet.
    pub(crate) fn report(&self, order: &Order) -> Report {
        let mode = if self.is_observed { Mode::Observe } else { self.settings.mode };
        Report {
            dialect: Some(order.dialect),
            model: self.request.head.model.as_deref().or(order.model.as_deref()).map(str::to_owned),
            project: order.project.as_deref().map(str::to_owned),
            session: self.options.compression.session_id.clone().or_else(|| order.session.clone()),
            debug: self.options.debug.clone().map(Into::into),
            mode: mode.name(),
            ..Report::default()
        }
    }
}

fn options(order: &Order, request: &Request<'_>) -> Result<Options, Problem> {
    let options = Options::clone(&order.options);
    let Some(forge) = &request.head.forge else { return Ok(options) };
    let member = order.body.get(forge.value.clone()).map(String::from_utf8_lossy);
    options.with_member(&member.unwrap_or_default())
}

/// What is to be done to tool outputs, as the operator says and the request after that.
fn settings(order: &Order, request: &Request<'_>, options: &Options) -> Settings {
    let mut settings = options.compression.over(&order.state.engine);
    if !order.state.settings.tool_output.enabled {
        settings.mode = Mode::Disabled;
    }
    // Whoever wants no secret to go out wants none in a result either.
    settings.redact_secrets |= order.state.settings.redact_secrets;
    if let Some(model) = request.head.model.as_deref().or(order.model.as_deref()) {
        settings.counter = for_model(model).vocabulary.into();
    }
    settings
}

/// Can the model ask for what is left out? It needs a list of tools, and a reply with one choice, which can be
/// continued when it was interrupted.
fn may_expand(order: &Order, request: &Request<'_>) -> bool {
    if order.asker == Asker::Caller {
        return true;
    }
    let is_one_choice = request.head.choices.is_none_or(|choices| choices <= 1);
    let takes_one_more = request.tools.as_ref().is_some_and(Tools::takes_expand_tool);
    order.state.settings.tool_output.enable_expand_context && is_one_choice && takes_one_more
}
