//! The rewrite of a request's body: what goes on in place of what came.
//!
//! All decisions about a body are made here, from the body and the settings: whose it is decides no byte, or a credential
//! that is renewed would cost the provider's cache. What is found in the [`Memo`](crate::memo::Memo) saves work and decides
//! nothing.

mod conversation_view;
mod declarations;
mod expand_payoff;
mod expand_route;
pub(crate) mod forge_member;
mod old_results;
mod plan;
mod prompt_json;
mod redaction;
mod result_figures;
mod results;
mod schemas;
mod shared;
mod strategy_answers;

use declarations::NotCounted;
pub(crate) use declarations::{CountedLists, RequestTools};
pub(crate) use expand_payoff::PromptSizes;
use plan::HiddenCalls;
pub(crate) use plan::{NoPlan, RewritePlan};
pub(crate) use redaction::{redact, redact_request, unchecked_problem};
use schemas::SchemaShortening;
pub(crate) use shared::RewriteShared;
pub(crate) use strategy_answers::StrategyAnswers;

use crate::answer::Problem;
use crate::cold_cache::LeftOutResults;
use crate::deferral::RequestConversation;
use crate::earlier_results::KeptConversation;
use crate::memo::{ConversationOwner, KnownSpans, SpanHits};
use crate::options::RequestOptions;
use crate::report::RequestReport;
use crate::shadow::{self, TenantHolds};
use crate::spliced_body::{Replacement, SplicedBody};
use crate::state::GatewayState;
use crate::tenant::THIS_MACHINE;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Uri};
use results::MemoHit;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use tokenforge_config::ExpandInjection;
use tokenforge_engine::reference::{Reference, ReferenceSecret};
use tokenforge_engine::{Engine, Settings};
use tokenforge_ledger::BoundedName;
use tokenforge_providers::{Dialect, Request, RequestPurpose, Splice, ToolList};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A body, and all that decides what becomes of it.
#[derive(Clone)]
pub(crate) struct RewriteInput {
    pub(crate) shared: Arc<RewriteShared>,
    pub(crate) state: Arc<GatewayState>,
    pub(crate) dialect: Dialect,
    pub(crate) purpose: RequestPurpose,
    /// Whether a stream is asked for, where the path tells.
    pub(crate) is_stream: Option<bool>,
    /// The model, where the path names it.
    pub(crate) model: Option<String>,
    pub(crate) tenant: Arc<str>,
    pub(crate) project: Option<Arc<str>>,
    /// The agent, as it calls itself.
    pub(crate) client: Option<BoundedName>,
    /// The client's own name for its session.
    pub(crate) session: Option<String>,
    /// Did it come through a proxy, from who knows where?
    pub(crate) is_proxied: bool,
    /// What its agent calls the shell in which its model can run our command, if it can.
    pub(crate) local_shell: Option<&'static str>,
    /// What the headers ask for.
    pub(crate) options: Arc<RequestOptions>,
    /// Where it goes, and what the client shows there.
    pub(crate) target: Uri,
    pub(crate) bearer: Option<HeaderValue>,
    /// Headers without which that credential is not accepted.
    pub(crate) companions: Vec<(HeaderName, HeaderValue)>,
    /// Who can ask for what is left out.
    pub(crate) originals_reader: OriginalsReader,
    /// Secrets were taken out of it.
    pub(crate) is_redacted: bool,
    pub(crate) body: Bytes,
}

impl RewriteInput {
    /// Whose body it is.
    pub(crate) fn owner(&self) -> ConversationOwner<'_> {
        let session = self.session.as_deref();
        ConversationOwner { tenant: &self.tenant, dialect: self.dialect, session }
    }

    /// Whose samples those of this request are in the shadow comparison.
    pub(crate) fn shadow_tenant(&self) -> &str {
        if self.is_personal() { shadow::THIS_MACHINE } else { &self.tenant }
    }

    /// One person uses the gateway, on that person's machine, and sent this from there.
    pub(crate) fn is_personal(&self) -> bool {
        self.state.settings.is_personal() && !self.is_proxied
    }

    /// The owner of what must outlive the credential of this request. `None`: the tenant is known by its credential alone, and
    /// would be another one after that was renewed.
    pub(crate) fn lasting_owner(&self) -> Option<&str> {
        // A program that rewrites its own bodies shows no credential.
        let is_lasting = !self.state.settings.keys.is_empty() || self.tenant.is_empty();
        match is_lasting {
            true => Some(&*self.tenant),
            false => self.is_personal().then_some(THIS_MACHINE),
        }
    }

    /// The modes and stages that are held for it.
    pub(crate) fn holds(&self) -> &TenantHolds {
        self.state.holds.of(self.shadow_tenant())
    }

    /// Tells apart all that may lead to another text for the same results.
    fn fingerprint(&self, engine: &Engine<'_>, is_observed: bool, is_kept: bool) -> u64 {
        let flags = [self.originals_reader as u8, u8::from(is_observed), u8::from(is_kept)];
        xxh3_64_with_seed(&flags, engine.fingerprint() ^ self.state.strategy_print)
    }
}

/// Who can ask for what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginalsReader {
    /// The model, if the request has tools to which ours can be added; else nothing is left out.
    Model,
    /// Whoever had the body rewritten, by its own means.
    Caller,
}

/// How much may be done for it.
pub(crate) struct RewriteBudget<'m> {
    pub(crate) effort: RewriteEffort,
    /// No stage begins after this.
    pub(crate) deadline: Instant,
    /// What strategies made of results.
    pub(crate) strategy_answers: &'m StrategyAnswers,
}

/// How much work may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RewriteEffort {
    /// Only what must be: what was meant for us is cut out, and tool results go on as they came.
    Least,
    /// None that takes longer than finding out what was made before.
    Remembered,
    /// All that it takes.
    Full,
}

/// What became of a body.
pub(crate) struct RewrittenBody {
    pub(crate) body: SplicedBody,
    pub(crate) report: RequestReport,
    /// The model may call the tool that expands references, offered or not: there are models that guess.
    pub(crate) may_expand: bool,
    /// Which results the references stand for.
    pub(crate) originals: HashMap<Reference, usize>,
    /// Under which the originals were made.
    pub(crate) settings: Settings,
    /// Under which the references were made.
    pub(crate) key: Option<Arc<ReferenceSecret>>,
    /// The conversation, if all of its results are kept.
    pub(crate) conversation: Option<KeptConversation>,
    /// A stream is asked for.
    pub(crate) streams: bool,
    /// The provider keeps its reply: OpenAI does unless it is told not to.
    pub(crate) is_stored: bool,
}

/// What came of rewriting a body.
pub(crate) enum RewriteAttempt {
    /// This did.
    Done(RewrittenBody),
    /// It takes more effort than allowed. Whoever goes on need not read it again.
    Unfinished(Option<UnfinishedRewrite>),
}

/// What a body says, which of its texts were sent before, and what became of its first results.
pub(crate) struct UnfinishedRewrite {
    request: Request<'static>,
    found: SpanHits,
    begun: FirstResults,
}

/// What became of the first results of a body.
#[derive(Default)]
struct FirstResults {
    hits: Vec<MemoHit>,
    /// Under this decision. Between the two attempts at a body another one may be made.
    left_out: LeftOutResults,
}

/// Rewrites a body, of which this may have been read already.
///
/// # Errors
/// The request asks for something that does not exist, or what must be done to it cannot.
pub(crate) fn rewrite(
    input: &RewriteInput,
    budget: &RewriteBudget<'_>,
    reading: Option<UnfinishedRewrite>,
) -> Result<RewriteAttempt, Problem> {
    let (request, found, begun) = match reading {
        Some(UnfinishedRewrite { request, found, begun }) => (Some(request), found, begun),
        None => Default::default(),
    };
    let spans = input.shared.memo.known_spans(input.owner(), found);
    let read = request.map_or_else(|| prompt_json::read(input, &spans), Ok);
    let plan = match RewritePlan::of(input, budget.effort, read) {
        Ok(plan) => plan,
        Err(NoPlan::Problem(problem)) => return Err(problem),
        Err(NoPlan::Effort) => return Ok(RewriteAttempt::Unfinished(None)),
        Err(NoPlan::Untouched) => {
            return RewrittenBody::without_forge(input).map(RewriteAttempt::Done);
        }
    };
    Ok(match rewrite_planned(input, budget, plan, &spans, &begun)? {
        PlannedAttempt::Done(rewritten) => RewriteAttempt::Done(rewritten),
        PlannedAttempt::Unfinished(request, begun) => {
            let request = request.into_owned();
            let found = spans.into_hits();
            RewriteAttempt::Unfinished(Some(UnfinishedRewrite { request, found, begun }))
        }
    })
}

/// What came of rewriting a body that was read.
enum PlannedAttempt<'o> {
    Done(RewrittenBody),
    /// It takes more effort than allowed: what was read, and what became of its first results.
    Unfinished(Request<'o>, FirstResults),
}

/// Rewrites a body that was read.
fn rewrite_planned<'o>(
    input: &RewriteInput,
    budget: &RewriteBudget<'_>,
    mut plan: RewritePlan<'o>,
    spans: &KnownSpans<'_>,
    begun: &FirstResults,
) -> Result<PlannedAttempt<'o>, Problem> {
    let is_quick = budget.effort == RewriteEffort::Remembered;
    let is_least = budget.effort == RewriteEffort::Least;
    if is_quick && prompt_json::is_converted(input) {
        return Ok(PlannedAttempt::Unfinished(plan.request, FirstResults::default()));
    }
    match old_results::left_out(input, budget.effort, &plan, spans) {
        Some(left_out) => plan.leave_out(input, left_out),
        None => return Ok(PlannedAttempt::Unfinished(plan.request, FirstResults::default())),
    }
    let begun = if begun.left_out == plan.left_out { &*begun.hits } else { &[] };
    let (request, body) = (&plan.request, &input.body);
    let mut report = plan.report(input);
    if !is_least {
        report.tools = match declarations::declared_tools(input, &plan, is_quick) {
            Ok(tools) => tools,
            Err(NotCounted) => {
                return Ok(PlannedAttempt::Unfinished(plan.request, FirstResults::default()));
            }
        };
    }
    let mut splices: Vec<Splice<'_>> = Vec::new();
    if let Some(forge) = &request.head.forge {
        splices.push(forge.removal());
        report.changes.push("forge_removed");
    }
    if input.is_redacted {
        report.changes.push("input_redacted");
    }
    splices.extend(prompt_json::rewrite(input, &plan, &mut report)?);
    let results = match budget.effort {
        RewriteEffort::Least => Ok(results::RewrittenResults::default()),
        _ => results::rewrite(input, budget, &plan, spans, begun, &mut report),
    };
    let results = match results {
        Ok(results) => results,
        Err(hits) => {
            let begun = FirstResults { hits, left_out: plan.left_out };
            return Ok(PlannedAttempt::Unfinished(plan.request, begun));
        }
    };
    // What goes on from a stored response has only its new results, which tell nothing of how the conversation began.
    if !plan.request.head.has_previous_response {
        report.know_conversation(&input.tenant);
    }
    let may_expand = plan.is_watched() && !plan.is_observed;
    let RewriteInput { tenant, dialect, .. } = input;
    let conversation = RequestConversation { tenant, dialect: *dialect, body, request };
    let deferred = &input.shared.deferred;
    let joined = match plan.hidden_calls(input) {
        // Not worth a wait for a store that may be what took too long; but no provider goes on without the answers.
        HiddenCalls::All if is_least && !request.head.has_previous_response => {
            Some(deferred.rejoin(&conversation, false).unwrap_or_default())
        }
        HiddenCalls::All => deferred.rejoin(&conversation, !is_quick),
        HiddenCalls::AtProvider => deferred.continue_stored(&conversation, !is_quick),
        HiddenCalls::None => Some(Vec::new()),
    };
    let Some(joined) = joined else {
        return Ok(PlannedAttempt::Unfinished(plan.request, FirstResults::default()));
    };
    splices.extend(joined);
    let offers_expansion = may_expand
        && plan.is_offered()
        && match input.state.settings.tool_output.expand_injection {
            ExpandInjection::WhenItPays | ExpandInjection::FromStart => true,
            ExpandInjection::WhenReferenced => !results.originals.is_empty(),
        };
    splices.extend(tools(input, &plan, offers_expansion, &mut report));
    let others = splices.into_iter().map(|other| (other.range, Arc::from(&*other.with)));
    let replaced: Vec<Replacement> = others.chain(results.replaced).collect();
    let Some(rewritten) = SplicedBody::new(body.clone(), replaced) else {
        if input.state.settings.redact_secrets {
            return Err(unchecked_problem("what was made of it does not fit together"));
        }
        return Ok(PlannedAttempt::Done(RewrittenBody::untouched(body)));
    };
    let streams = request.head.is_stream.unwrap_or(input.dialect.streams_by_default());
    Ok(PlannedAttempt::Done(RewrittenBody {
        body: rewritten,
        report,
        may_expand,
        originals: results.originals,
        streams: input.is_stream.unwrap_or(streams),
        is_stored: request.head.store != Some(false),
        key: plan.key.clone(),
        conversation: plan.kept_conversation(input),
        settings: plan.into_settings(),
    }))
}

impl RewrittenBody {
    /// The body as it came, but for our own member.
    fn without_forge(input: &RewriteInput) -> Result<Self, Problem> {
        let removal = forge_member::removal(&input.body, &input.options)?;
        let body = SplicedBody::new(input.body.clone(), removal.into_iter().collect());
        let untouched = Self::untouched(&input.body);
        Ok(match body {
            Some(body) => RewrittenBody { body, ..untouched },
            None => untouched,
        })
    }

    /// The body as it came.
    pub(crate) fn untouched(body: &Bytes) -> Self {
        RewrittenBody {
            body: SplicedBody::untouched(body.clone()),
            report: RequestReport::default(),
            may_expand: false,
            originals: HashMap::new(),
            settings: Settings::default(),
            key: None,
            conversation: None,
            streams: false,
            is_stored: false,
        }
    }
}

/// The lists of tools, with shorter schemas, and with our own at the end of one.
fn tools(
    input: &RewriteInput,
    plan: &RewritePlan<'_>,
    offers_expansion: bool,
    report: &mut RequestReport,
) -> Vec<Splice<'static>> {
    let request = &plan.request;
    let shortening = SchemaShortening::of(input, plan);
    let mut splices = Vec::new();
    let mut is_shorter = false;
    let definition = offers_expansion.then(|| plan.expand_scope(input).definition(input.dialect));
    let mut replace = |tools: &ToolList<'_>, expand_tool: Option<&str>| {
        let list = input.body.get(tools.list.clone()).unwrap_or_default();
        let shorter = shortening.apply(list);
        is_shorter |= shorter.is_some();
        let shorter = shorter.as_deref();
        splices.extend(tools.replacement(&input.body, shorter, expand_tool));
    };
    request.tools.iter().for_each(|tools| replace(tools, definition.as_deref()));
    request.further_tools.iter().for_each(|tools| replace(tools, None));
    if is_shorter {
        report.changes.push(shortening.change());
    }
    if offers_expansion {
        report.changes.push("expand_tool_added");
    }
    splices
}
