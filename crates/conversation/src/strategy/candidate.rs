//! Candidates: results that a strategy may shorten.

use crate::memo::SpanHits;
use crate::plain_output::PlainOutput;
use crate::remembered_decision::RememberedDecision;
use crate::rewrite::{RewriteInput, RewritePlan};
use crate::strategy_decision::{StrategyDecision, StrategyRefusal};
use tokenforge_config::{Choice, Strategy, ToolOutput};
use tokenforge_engine::context::CallContext;
use tokenforge_engine::reference::Reference;
use tokenforge_engine::{CompressedOutput, History, Original, StageOutcome, StageStep, Verdict};
use tokenforge_engine::{Fidelity, Settings};

/// A result that a strategy may shorten.
#[derive(Debug)]
pub struct StrategyCandidate {
    /// The result as it came.
    pub original: blake3::Hash,
    /// Without its secrets, as it is stored.
    redacted: String,
    /// As the stages leave it.
    pub text: String,
    /// The tool, as the request names it.
    pub tool: String,
    /// The arguments of its call, as JSON.
    pub arguments: String,
    reference: Reference,
    settings: Settings,
    /// Under which the answer is remembered.
    key: String,
    /// The stages that made the text.
    stages: Vec<StageStep>,
    /// The kinds of secrets that were removed.
    secrets: Vec<&'static str>,
    /// The decision of an earlier request.
    pub remembered: Option<StrategyDecision>,
}

/// Must what this strategy says be remembered? What is no function of the result changes from turn to turn otherwise.
fn needs_store(input: &RewriteInput) -> bool {
    input.rules.settings.tool_output.strategy != Strategy::Simple
}

/// Tells apart whom a result was shortened by, and how.
fn fingerprint(settings: &ToolOutput) -> String {
    let ToolOutput { strategy, provider, api, target_ratio, .. } = settings;
    let (endpoint, model, agnostic) = (&api.endpoint, &api.model, api.query_agnostic);
    format!("{} {provider:?} {endpoint:?} {model:?} {agnostic} {target_ratio:?}", strategy.name())
}

/// The results of a body that the strategy may shorten. Blocks.
#[must_use]
pub fn find_candidates(input: &RewriteInput) -> Vec<StrategyCandidate> {
    let spans = input.shared.memo.known_spans(input.owner(), SpanHits::new());
    let Some(plan) = RewritePlan::read(input, &spans) else {
        return Vec::new();
    };
    if !plan.may_leave_out() || plan.is_observed {
        return Vec::new();
    }
    let engine = plan.engine();
    let tool_output = &input.rules.settings.tool_output;
    let min_bytes = plan.options.min_bytes.unwrap_or(tool_output.min_bytes);
    let sizes = min_bytes + 1..=tool_output.max_bytes;
    let mut candidates = Vec::new();
    for result in &plan.request.results {
        let Some(said) = PlainOutput::of(result, &input.body) else { continue };
        let (text, output) = (&said.text, said.output());
        let context = CallContext::new(output.tool, output.arguments, output.is_error);
        let is_exact = context.is_file_text() || output.is_error;
        let is_skipped = engine.settings().skip_tools.covers(output.tool, context.tool);
        if !sizes.contains(&text.len()) || is_exact || is_skipped {
            continue;
        }
        let redacted = engine.redacted_text(&output);
        let Some(reference) = engine.reference(&redacted) else { continue };
        let compressed = engine.compress(&output, &History::default());
        let key = fingerprint(tool_output);
        let decision =
            RememberedDecision::of_strategy(&*input.shared.store, &key, &output, engine.settings());
        let remembered = match decision.recall() {
            Ok(remembered) => remembered,
            Err(_) if needs_store(input) => continue,
            Err(_) => None,
        };
        candidates.push(StrategyCandidate {
            original: blake3::hash(text.as_bytes()),
            text: without_reference(&compressed, text),
            stages: forwarded_stages(&compressed),
            secrets: compressed.redacted,
            redacted: redacted.into_owned(),
            tool: output.tool.to_owned(),
            arguments: output.arguments.to_owned(),
            reference,
            settings: engine.settings().clone(),
            remembered,
            key: decision.id(),
        });
    }
    candidates
}

/// What the stages made of it, without a reference of their own.
fn without_reference(compressed: &CompressedOutput, text: &str) -> String {
    let shown = compressed.text(text);
    Reference::leading(shown).map_or(shown, |(_, rest)| rest).to_owned()
}

/// The stages whose text is forwarded.
fn forwarded_stages(compressed: &CompressedOutput) -> Vec<StageStep> {
    let applied = compressed.steps.iter().filter(|step| step.is_applied());
    applied.filter(|_| compressed.replacement.is_some()).cloned().collect()
}

impl StrategyCandidate {
    /// Whether the strategy's text is short enough to be taken.
    #[must_use]
    pub fn judge(&self, text: String, target_ratio: Option<f64>) -> StrategyDecision {
        let ratio = text.len() as f64 / self.text.len().max(1) as f64;
        if target_ratio.is_some_and(|target| ratio > target) {
            return StrategyDecision::Refuse(StrategyRefusal::AboveTarget);
        }
        if self.settings.counter.is_cheaper(&self.with_reference(&text), &self.text) {
            StrategyDecision::Take(text)
        } else {
            StrategyDecision::Refuse(StrategyRefusal::NotSmaller)
        }
    }

    /// What is forwarded by a decision, if that is the strategy's text.
    ///
    /// # Errors
    /// The decision refuses it.
    pub fn apply(
        &self,
        input: &RewriteInput,
        decision: &StrategyDecision,
    ) -> Result<CompressedOutput, StrategyRefusal> {
        match decision {
            StrategyDecision::Take(text) => Ok(self.as_compressed(input, text)),
            StrategyDecision::Refuse(refusal) => Err(*refusal),
        }
    }

    fn as_compressed(&self, input: &RewriteInput, text: &str) -> CompressedOutput {
        let strategy = input.rules.settings.tool_output.strategy.name();
        let step = StageStep {
            stage: strategy,
            fidelity: Fidelity::Reversible,
            outcome: StageOutcome::Applied,
            tokens: None,
            texts: None,
        };
        let redacted = Some(self.redacted.clone());
        let original = Original { reference: self.reference, redacted };
        CompressedOutput {
            replacement: Some(self.with_reference(text)),
            verdict: Verdict::Replaced,
            steps: self.stages.iter().cloned().chain([step]).collect(),
            original: Some(original),
            redacted: self.secrets.clone(),
            counted: None,
        }
    }

    fn with_reference(&self, text: &str) -> String {
        self.reference.before(text, self.settings.expand_hint)
    }

    /// Remembers a decision, and whether a later request can repeat it. Blocks.
    #[must_use]
    pub fn remember(&self, input: &RewriteInput, decision: &StrategyDecision) -> bool {
        let store = &*input.shared.store;
        let remembered = RememberedDecision::by_id(store, &self.key).remember(decision);
        remembered.is_ok() || !needs_store(input)
    }
}
