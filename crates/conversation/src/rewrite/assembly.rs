//! The assembly of a rewritten body: all that stands in place of something, spliced into the body that came.

use super::RewriteInput;
use super::plan::RewritePlan;
use super::rewritten_results::RewrittenResults;
use crate::earlier_results::KeptConversation;
use crate::expand_route::is_tool_listed;
use crate::forge_member::forge_removal;
use crate::problem::RewriteProblem;
use crate::report::RequestReport;
use crate::spliced_body::{Replacement, SplicedBody};
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::Arc;
use tokenforge_engine::Settings;
use tokenforge_engine::reference::{Reference, ReferenceSecret};
use tokenforge_providers::{Splice, ToolList};

/// What became of a body.
pub struct RewrittenBody {
    /// What goes on.
    pub body: SplicedBody,
    /// What was done.
    pub report: RequestReport,
    /// The model may call the tool that expands references, offered or not: there are models that guess.
    pub may_expand: bool,
    /// Which results the references stand for.
    pub originals: HashMap<Reference, usize>,
    /// Under which the originals were made.
    pub settings: Settings,
    /// Under which the references were made.
    pub key: Option<Arc<ReferenceSecret>>,
    /// The conversation, if all of its results are kept.
    pub conversation: Option<KeptConversation>,
    /// A stream is asked for.
    pub streams: bool,
    /// The provider keeps its reply: OpenAI does unless it is told not to.
    pub is_stored: bool,
}

/// What stands in place of something in a body, and what is told of it.
pub(super) struct RewriteParts {
    pub(super) report: RequestReport,
    /// What stands in place of user texts.
    pub(super) prompt: Vec<Splice<'static>>,
    /// What stands in place of tool results.
    pub(super) results: RewrittenResults,
    /// Turns that the client never saw.
    pub(super) hidden_turns: Vec<Splice<'static>>,
}

/// Begins the report on a body that was read.
pub(super) fn begin_report(input: &RewriteInput, plan: &RewritePlan<'_>) -> RequestReport {
    let mut report = plan.report(input);
    if plan.request.head.forge.is_some() {
        report.changes.push("forge_removed");
    }
    if input.is_redacted {
        report.changes.push("input_redacted");
    }
    report
}

/// Puts a rewritten body together.
///
/// # Errors
/// The parts do not fit together, and the body may not go on as it came.
pub(super) fn assemble(
    input: &RewriteInput,
    plan: RewritePlan<'_>,
    parts: RewriteParts,
) -> Result<RewrittenBody, RewriteProblem> {
    let RewriteParts { mut report, prompt, results, hidden_turns } = parts;
    // What goes on from a stored response has only its new results, which tell nothing of how the conversation began.
    if !plan.request.head.has_previous_response {
        report.know_conversation(&input.sender.tenant);
    }
    let may_expand = plan.is_watched() && !plan.is_observed;
    let offers_expansion = may_expand
        && plan.is_offered()
        && is_tool_listed(input.rules.settings.tool_output.expand_injection, || {
            !results.originals.is_empty()
        });
    let removal = plan.request.head.forge.as_ref().map(|forge| forge.removal());
    let mut splices: Vec<Splice<'_>> = removal.into_iter().chain(prompt).collect();
    splices.extend(hidden_turns);
    splices.extend(tools(input, &plan, offers_expansion, &mut report));
    let others = splices.into_iter().map(|other| (other.range, Arc::from(&*other.with)));
    let replaced: Vec<Replacement> = others.chain(results.replaced).collect();
    let Some(body) = SplicedBody::new(input.body.clone(), replaced) else {
        if input.rules.settings.redact_secrets {
            return Err(RewriteProblem::unchecked("what was made of it does not fit together"));
        }
        return Ok(RewrittenBody::untouched(&input.body));
    };
    let head = &plan.request.head;
    let streams = head.is_stream.unwrap_or(input.kind.dialect.streams_by_default());
    Ok(RewrittenBody {
        body,
        report,
        may_expand,
        originals: results.originals,
        streams: input.kind.is_stream.unwrap_or(streams),
        is_stored: head.store != Some(false),
        key: plan.key.clone(),
        conversation: plan.kept_conversation(input),
        settings: plan.into_settings(),
    })
}

impl RewrittenBody {
    /// The body as it came, but for our own member.
    pub(super) fn without_forge(input: &RewriteInput) -> Result<Self, RewriteProblem> {
        let removal = forge_removal(&input.body, &input.options)?;
        let body = SplicedBody::new(input.body.clone(), removal.into_iter().collect());
        let untouched = Self::untouched(&input.body);
        Ok(match body {
            Some(body) => RewrittenBody { body, ..untouched },
            None => untouched,
        })
    }

    /// The body as it came.
    #[must_use]
    pub fn untouched(body: &Bytes) -> Self {
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
    let shortening = plan.shortening(input);
    let mut splices = Vec::new();
    let mut is_shorter = false;
    let definition =
        offers_expansion.then(|| plan.expand_scope(input).definition(input.kind.dialect));
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
