//! The work on one result: rewritten, and what it leaves out stored first.

use crate::hub::{HubSettings, Originals};
use crate::message::Message;
use crate::policy::ResultRule;
use crate::result::{ResultEdits, ResultFigures, RewriteJob, RewrittenResult, rewrite_at};
use crate::tasks::ResultPlace;
use std::time::Instant;
use tokenforge_config::Structured;
use tokenforge_engine::{Engine, Mode, Stc2Policy, Vault};
use tokenforge_formats::negotiate::{Format, StcVersion};
use tokenforge_ledger::ResultOutcome;

/// A call of a tool, and what is to be done to its result.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The server, as its prefix or its client calls it.
    pub server: String,
    /// The tool, as its server calls it.
    pub tool: String,
    /// Its arguments, as JSON.
    pub arguments: String,
    /// What is to be done to its texts; `None`: nothing.
    pub rule: Option<ResultRule>,
    /// The highest version of STC that the client reads.
    pub stc_version: StcVersion,
    /// What becomes of structured content.
    pub structured: Structured,
    /// Does the tool promise structured content?
    pub is_promised: bool,
    /// When it was called.
    pub started: Instant,
}

impl ToolCall {
    /// The tool as agents call it: so the engine knows that it is a server's, and what such a tool does.
    fn name(&self) -> String {
        format!("mcp__{}__{}", self.server, self.tool)
    }

    /// What became of its result.
    pub(crate) fn outcome(&self, figures: &ResultFigures) -> ResultOutcome {
        let (before, after) = (figures.tokens_before as u64, figures.tokens_after as u64);
        ResultOutcome::fresh(
            &self.name(),
            (before != after).then_some(figures.format),
            before,
            after,
        )
    }
}

/// Rewrites the answer to a call. What it leaves out is stored first; where that cannot be, or where our own tool is not
/// offered, nothing is left out. Blocks.
#[must_use]
pub fn rewrite_and_store(
    answer: &str,
    call: &ToolCall,
    settings: &HubSettings,
    originals: Option<&dyn Originals>,
    tenant: &str,
) -> RewrittenResult {
    match Message::read(answer) {
        Ok(message) => {
            let place = ResultPlace::Whole;
            rewrite_and_store_at(place, &message, call, settings, originals, tenant)
                .applied_to(answer)
        }
        Err(_) => RewrittenResult::default(),
    }
}

/// The same for an answer that was read, whose result may be inside of the state of a task. Blocks.
#[must_use]
pub(crate) fn rewrite_and_store_at(
    place: ResultPlace,
    message: &Message<'_>,
    call: &ToolCall,
    settings: &HubSettings,
    originals: Option<&dyn Originals>,
    tenant: &str,
) -> ResultEdits {
    let mut engine_settings = settings.engine.clone();
    let is_observed = settings.is_observed();
    if engine_settings.mode == Mode::Observe {
        engine_settings.mode = Mode::Standard;
    }
    if call.stc_version == StcVersion::One {
        engine_settings.stc2 = Stc2Policy::Never;
    }
    let is_off = engine_settings.mode == Mode::Disabled;
    let began = Instant::now();
    let ToolCall { arguments, rule, structured, is_promised, .. } = call;
    let name = call.name();
    let job = RewriteJob {
        tool: &name,
        arguments,
        // What a client asks for by name it gets, also where nothing is done unasked.
        rule: rule.filter(|rule| !is_off || rule.format != Format::Auto),
        structured: *structured,
        // Where schemas go, nothing is promised.
        is_promised: *is_promised && *structured != Structured::Drop,
        is_observed,
        has_metadata: settings.mcp.metadata,
        elapsed: &|| began.elapsed(),
    };
    let engine = Engine::new(&engine_settings);
    if let Some((originals, key)) =
        originals.and_then(|originals| Some((originals, originals.key()?)))
    {
        let vault = Vault::for_reader(&key);
        let made = rewrite_at(place, message, &job, &engine.with_vault(vault));
        if made.originals.iter().all(|original| originals.keep(tenant, original)) {
            return made;
        }
    }
    rewrite_at(place, message, &job, &engine)
}
