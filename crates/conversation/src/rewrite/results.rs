//! Tool results that are not known: what stands in the place of each is made.

use super::RewriteInput;
use super::compute::RewriteWork;
use super::conversation_view::ConversationView;
use super::plan::RewritePlan;
use super::rewritten_results::{ResultHit, ResultOutcome, ResultWalk, RewrittenResults};
use crate::earlier_results::{self, EarlierResult};
use crate::memo::{ConversationKey, ForwardedResult, KnownSpans};
use crate::options::RequestOptions;
use crate::plain_output::PlainOutput;
use crate::remembered_decision::RememberedDecision;
use crate::report::{RequestReport, ResultFigures};
use crate::result_figures::result_figures;
use std::sync::{Arc, Mutex, PoisonError};
use tokenforge_engine::reference::Reference;
use tokenforge_engine::session::{SessionOptions, SessionOutput};
use tokenforge_engine::{
    CompressedOutput, Deadline, Engine, History, KeptReason, Mode, Original, Output, Session,
    Settings, StageOutcome, Verdict,
};
use tokenforge_providers::ToolResult;

/// Makes something smaller of each tool result. Of the first ones it is known already what became of them.
pub(super) fn compute_results(
    input: &RewriteInput,
    work: &RewriteWork<'_>,
    plan: &RewritePlan<'_>,
    spans: &KnownSpans<'_>,
    begun: &[ResultHit],
    report: &mut RequestReport,
) -> RewrittenResults {
    let engine = plan.engine();
    if engine.settings().mode == Mode::Disabled {
        return RewrittenResults::default();
    }
    let session = session(input, &plan.options);
    // Held until the request is done: two requests of one session take turns.
    let mut session =
        session.as_ref().map(|session| session.lock().unwrap_or_else(PoisonError::into_inner));
    let mut walk = ResultWalk::begin(input, plan, &engine);
    let worker = ResultRewriter { input, work, plan, engine };
    let (memo, body) = (&input.shared.memo, &input.body);
    let now = input.shared.clock.instant();
    let mut results = RewrittenResults::with_capacity(plan.request.results.len(), report);
    let mut fresh = Vec::new();
    let mut view = ConversationView::new(&memo.histories, plan.request.results.len());
    for (index, result) in plan.request.results.iter().enumerate() {
        let done = if let Some((reached, entry)) = begun.get(index) {
            walk.go_on_from(*reached);
            ResultOutcome::from_memo(entry.clone())
        } else {
            let same = spans.at(&result.span);
            let same = same.as_deref();
            let conversation = walk.next(index, result, same);
            let known = match session {
                Some(_) => None,
                None => memo.find(conversation, result, body, same, now),
            };
            let done = match known {
                Some(entry) => ResultOutcome::from_memo(entry),
                None => {
                    fresh.push(result);
                    let session = session.as_deref_mut();
                    let is_left_out = plan.left_out.contains(index);
                    worker.make(result, conversation, &mut view, session, is_left_out)
                }
            };
            if same.is_none() {
                spans.learn(&done.entry, result, body);
            }
            done
        };
        results.add(index, result, &done, report);
        view.add(result, walk.conversation(), done.entry);
    }
    worker.keep_earlier(&fresh);
    view.keep_for_next_turn();
    spans.learn_turns(&plan.request, body);
    results
}

/// Makes what is not remembered.
struct ResultRewriter<'w> {
    input: &'w RewriteInput,
    work: &'w RewriteWork<'w>,
    plan: &'w RewritePlan<'w>,
    engine: Engine<'w>,
}

impl ResultRewriter<'_> {
    fn make<'b>(
        &'b self,
        result: &'b ToolResult,
        conversation: ConversationKey,
        view: &mut ConversationView<'b>,
        session: Option<&mut Session>,
        is_left_out: bool,
    ) -> ResultOutcome {
        let body = &self.input.body;
        let Some(plain) = PlainOutput::of(result, body) else {
            return self.leave_untouched(result, conversation);
        };
        let output = plain.output();
        let (mut made, mut is_stored) = self.compress(&output, view.before(result, body), session);
        if is_left_out && let Some(left_out) = self.leave_out(&output, &made) {
            (made, is_stored) = left_out;
        }
        let mut figures = result_figures(&output, &made.compressed, self.engine.settings().counter);
        figures.strategy = self.work.strategy_answers.strategy_of(&output);
        figures.strategy_refusal = self.work.strategy_answers.refusal_of(&output);
        figures.strategy_error = self.work.strategy_answers.error_of(&output);
        let events = &self.input.shared.events;
        // What a proxy sends may be anybody's, and is kept only where the operator says so.
        let is_meant = self.input.rules.settings.monitoring.content_bytes.is_some();
        if (is_meant || !self.input.sender.is_proxied) && events.wants_texts(output.text.len()) {
            let original = self.engine.redacted_text(&output);
            events.texts(&original, &made.compressed, &figures);
        }
        let (mut replacement, mut original) = (None, None);
        if self.plan.is_observed {
            figures.verdict = Verdict::Kept(KeptReason::Observed);
        } else {
            let splice =
                made.compressed.replacement.as_deref().map(|text| result.replaced_by(text));
            replacement = splice.map(|splice| Arc::from(&*splice.with));
            original = made.compressed.original.map(|original| original.reference);
        }
        let memo = &self.input.shared.memo;
        let forwarded =
            ForwardedResult { replacement, original, figures: figures.into(), is_stored };
        let entry = memo.keep(conversation, result, body, forwarded);
        let SessionOutput { memo_reused, memo_changed, deduped, .. } = made;
        ResultOutcome { entry, is_repeated: memo_reused, memo_reused, memo_changed, deduped }
    }

    /// The forwarded text, and whether the memo may hold it for long. Where the store does not keep an original, a model still
    /// gets it from the request, and the bytes must be the same as with a store; an original that only the store can give
    /// back stays in the text. In a conversation that the provider keeps this is decided once.
    fn compress(
        &self,
        output: &Output<'_>,
        history: &History,
        session: Option<&mut Session>,
    ) -> (SessionOutput, bool) {
        let made = self.try_compress(output, history, session);
        let Some(original) = &made.compressed.original else { return (made, true) };
        if self.plan.is_observed || self.store(output, original, &made) {
            return (made, true);
        }
        let needs_store = self.plan.needs_store(self.input);
        if !needs_store && !made.deduped {
            return (made, false);
        }
        let engine = if needs_store {
            Engine::new(self.engine.settings())
        } else {
            // A pointer to an earlier request.
            self.engine.clone()
        };
        let compressed = engine.compress(output, history);
        let made = SessionOutput { compressed, memo_reused: false, deduped: false, ..made };
        (made, self.plan.is_kept)
    }

    /// A reference in the place of an old result, and whether the store keeps what it stands for. Our tool can get it from
    /// the request either way.
    fn leave_out(
        &self,
        output: &Output<'_>,
        made: &SessionOutput,
    ) -> Option<(SessionOutput, bool)> {
        let compressed = self.engine.leave_out(output, made.compressed.text(output.text))?;
        let made = SessionOutput { compressed, ..made.clone() };
        let is_stored = made.compressed.original.as_ref();
        let is_stored = is_stored.is_none_or(|original| self.store(output, original, &made));
        (is_stored || !self.plan.needs_store(self.input)).then_some((made, is_stored))
    }

    fn try_compress(
        &self,
        output: &Output<'_>,
        history: &History,
        session: Option<&mut Session>,
    ) -> SessionOutput {
        let plain = |compressed| SessionOutput {
            compressed,
            memo_reused: false,
            memo_changed: false,
            deduped: false,
        };
        if let Some(shortened) = self.work.strategy_answers.find(output) {
            return plain(shortened);
        }
        let deadline = self.work.deadline;
        let store = &*self.input.shared.store;
        let decision = RememberedDecision::of_deadline(store, output, self.engine.settings());
        let was_late = decision.was_late();
        let clock = self.input.shared.clock.clone();
        let expired = Deadline::new(move || was_late || clock.instant() >= deadline);
        let engine = self.engine.with_deadline(&expired);
        let made = match session {
            Some(session) => session.compress(&engine, output, history, self.session_options()),
            None => plain(engine.compress(output, history)),
        };
        let is_breach = !was_late && is_out_of_time(&made.compressed);
        if is_breach {
            decision.remember_late();
            self.input.shared.events.deadline_passed();
            let passed = Deadline::new(|| true);
            return plain(self.engine.with_deadline(&passed).compress(output, history));
        }
        made
    }

    /// Keeps an original. Tells whether the store took it.
    fn store(&self, output: &Output<'_>, original: &Original, made: &SessionOutput) -> bool {
        let originals = &self.input.shared.originals;
        let tenant = self.plan.originals_tenant(self.input);
        let (reference, text) = (original.reference, original.text(output.text));
        let stored = if self.plan.is_kept {
            originals.pin(tenant, reference, text, output.call)
        } else {
            originals.put(tenant, reference, text).map(|()| true)
        };
        let events = &self.input.shared.events;
        stored
            .inspect_err(|error| {
                if self.plan.needs_store(self.input) || made.deduped {
                    events.nothing_left_out(error);
                } else {
                    events.original_not_kept(error);
                }
            })
            .unwrap_or(false)
    }

    /// Keeps results in case the client clears them, if that is wanted. A store that fails is no reason to stop: the model is
    /// promised what a search finds, and no certain result.
    fn keep_earlier(&self, fresh: &[&ToolResult]) {
        let conversation = match fresh {
            [] => None,
            _ => self.plan.kept_conversation(self.input),
        };
        let (Some(conversation), Some(key)) = (conversation, self.plan.key.as_deref()) else {
            return;
        };
        let settings = Settings { redact_secrets: true, ..self.engine.settings().clone() };
        let engine = Engine::new(&settings);
        let kept = |result: &&ToolResult| {
            let plain = PlainOutput::of(result, &self.input.body)?;
            let output = plain.output();
            if output.text.len() < earlier_results::FEWEST_BYTES {
                return None;
            }
            let text = engine.redacted_text(&output).into_owned();
            let arguments = engine.redacted_text(&Output::new(output.tool, output.arguments));
            let earlier = EarlierResult {
                call: output.call.unwrap_or_default().to_owned(),
                tool: output.tool.to_owned(),
                arguments: EarlierResult::shorten_arguments(&arguments),
                lines: text.lines().count(),
                reference: Reference::of(key, &text),
            };
            Some((earlier, text))
        };
        let results: Vec<_> = fresh.iter().filter_map(kept).collect();
        let shared = &self.input.shared;
        if let Err(error) = shared.originals.earlier.keep(&conversation, &results) {
            shared.events.earlier_result_not_kept(&error);
        }
    }

    /// A result that is left as it is without a look at it.
    fn leave_untouched(&self, result: &ToolResult, conversation: ConversationKey) -> ResultOutcome {
        let body = &self.input.body;
        let figures = ResultFigures::untouched(&result.tool(body), result.id(body).as_deref());
        let forwarded = ForwardedResult::untouched(Arc::new(figures));
        let entry = self.input.shared.memo.keep(conversation, result, body, forwarded);
        ResultOutcome {
            entry,
            is_repeated: false,
            memo_reused: false,
            memo_changed: false,
            deduped: false,
        }
    }

    fn session_options(&self) -> SessionOptions {
        self.plan.options.compression.session_options()
    }
}

fn is_out_of_time(compressed: &CompressedOutput) -> bool {
    compressed.verdict == Verdict::Kept(KeptReason::OutOfTime)
        || compressed.steps.iter().any(|step| step.outcome == StageOutcome::OutOfTime)
}

/// The session that the request names. One that a client's own headers name is not enough: its subagents share it,
/// so that what is forwarded would depend on who asked first.
fn session(input: &RewriteInput, options: &RequestOptions) -> Option<Arc<Mutex<Session>>> {
    let id = options.compression.session_id.as_deref()?;
    Some(input.shared.sessions.of(&input.sender.tenant, id))
}
