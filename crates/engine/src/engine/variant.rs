//! One way to write an output, and whether it is worth forwarding.

use super::head::ReferenceHead;
use super::{Engine, has_left_out};
use crate::context::CallContext;
use crate::fidelity::Fidelity;
use crate::history::{History, PointerScope, ToolCall};
use crate::output::count_or_estimate;
use crate::record::{StageOutcome, StageStep};
use crate::reference::Reference;
use crate::runner::StageRun;
use crate::stages;
use crate::wrapper::{Parts, Piece};
use std::borrow::Cow;
use std::cell::OnceCell;

/// What the model can see beside an output: the call that it answers, and the results before it.
#[derive(Clone, Copy)]
pub(super) struct ModelView<'a> {
    pub(super) call: ToolCall<'a>,
    pub(super) history: &'a History,
}

/// One way to write an output.
pub(super) struct OutputVariant {
    pub(super) text: String,
    /// Those of the output, and those of the text.
    pub(super) tokens: (usize, usize),
    /// What it is chosen by.
    pub(super) weight: usize,
    pub(super) steps: Vec<StageStep>,
    pub(super) reference: Option<Reference>,
}

impl Engine<'_> {
    /// What would be forwarded, if that is less than the text. `before` are the tokens of the text, once they are known.
    pub(super) fn variant(
        &self,
        text: &str,
        before: &OnceCell<usize>,
        parts: &Parts<'_>,
        runs: Vec<StageRun<'_>>,
        context: &CallContext,
        seen: ModelView<'_>,
    ) -> Option<OutputVariant> {
        let left_out = runs.iter().any(has_left_out);
        let is_safety = runs.iter().any(|run| run.has_applied(Fidelity::Safety));
        let whole = runs.first().filter(|_| is_whole(parts));
        // A text that is all payload has passed the gates, and its tokens are known.
        let gated = whole.and_then(StageRun::known_tokens);
        if let Some(tokens) = whole.and_then(StageRun::tokens_at_first) {
            let _ = before.set(tokens);
        }
        let body: Cow<'_, str> = match whole {
            Some(run) => run.text().into(),
            None if runs.iter().any(StageRun::has_changed) => {
                parts.rewrap(&runs.iter().map(StageRun::text).collect::<Vec<_>>()).into()
            }
            None => text.into(),
        };
        let (body, unescaping) = self.unescaped(body, parts, context);
        let reference = if left_out { self.reference(text) } else { None };
        let has_notation = runs.iter().any(StageRun::has_notation);
        let scope = if has_notation { PointerScope::Whole } else { PointerScope::Lines };
        let pointed = self.with_pointers(&body, reference.as_ref(), scope, seen);
        let is_pointed = pointed.is_some();
        let gated = gated.filter(|_| !is_pointed && reference.is_none());
        let forwarded = pointed.unwrap_or_else(|| self.with_reference(body, reference.as_ref()));
        if forwarded == text {
            return None;
        }
        let counter = self.settings.counter;
        let before = || *before.get_or_init(|| count_or_estimate(text, counter));
        let head = ReferenceHead::of(&forwarded, !is_safety);
        let after = match gated {
            Some(tokens) => tokens,
            None if is_safety => counter.count(&forwarded),
            None if head.bytes(forwarded.len()) > text.len() => return None,
            None => counter.count_within(&forwarded, before().checked_sub(1)?)?,
        };
        let weight = head.tokens(after, counter);
        if weight >= before() && !is_safety {
            return None;
        }
        let steps = steps(&runs, unescaping, is_pointed);
        Some(OutputVariant { text: forwarded, tokens: (before(), after), weight, steps, reference })
    }

    /// The body with its payloads unescaped where they are escaped and it is smaller so, and what was done.
    fn unescaped<'b>(
        &self,
        body: Cow<'b, str>,
        parts: &Parts<'_>,
        context: &CallContext,
    ) -> (Cow<'b, str>, Vec<StageStep>) {
        if !self.settings.mode.compacts() || !parts.has_escapes() {
            return (body, Vec::new());
        }
        // It takes one pass, so the clock need not decide about it.
        let run = self.start_run(&body, context).without_deadline().through(stages::WRAPPED);
        let steps = run.steps().to_vec();
        let unescaped = run.has_changed().then(|| run.text().to_owned());
        (unescaped.map_or(body, Cow::Owned), steps)
    }

    /// What would be forwarded with pointers to what earlier results show, if it is smaller with them.
    fn with_pointers(
        &self,
        body: &str,
        reference: Option<&Reference>,
        scope: PointerScope,
        ModelView { call, history }: ModelView<'_>,
    ) -> Option<String> {
        if !self.settings.mode.compacts() || !self.settings.dedup {
            return None;
        }
        let counter = self.settings.counter;
        // An equal result that was shortened before begins with the same reference.
        let duplicate = reference.and_then(|_| {
            history.duplicate_of(&self.with_reference(body.into(), reference), &call)
        });
        if let Some(marker) = duplicate {
            return counter.is_cheaper(&marker, body).then_some(marker);
        }
        let pointed = history.point(body, &call, scope, counter)?;
        counter.is_cheaper(&pointed, body).then(|| self.with_reference(pointed.into(), reference))
    }

    /// The text with the reference before it.
    pub(super) fn with_reference(
        &self,
        body: Cow<'_, str>,
        reference: Option<&Reference>,
    ) -> String {
        match reference {
            Some(reference) => reference.before(&body, self.settings.expand_hint),
            None => body.into_owned(),
        }
    }
}

/// What was done to a variant's payloads and to their escapes, and whether it points to earlier results.
fn steps(runs: &[StageRun<'_>], unescaping: Vec<StageStep>, is_pointed: bool) -> Vec<StageStep> {
    let mut steps = Vec::with_capacity(runs.iter().map(|run| run.steps().len()).sum::<usize>() + 1);
    runs.iter().for_each(|run| steps.extend_from_slice(run.steps()));
    steps.extend(unescaping);
    steps.push(pointing(is_pointed));
    steps
}

/// The record of looking for what earlier results show.
fn pointing(found: bool) -> StageStep {
    let outcome = if found { StageOutcome::Applied } else { StageOutcome::NothingToDo };
    StageStep {
        stage: "earlier_results",
        fidelity: Fidelity::Lossless,
        outcome,
        tokens: None,
        texts: None,
    }
}

/// Is the text one payload as it stands?
fn is_whole(parts: &Parts<'_>) -> bool {
    matches!(parts.pieces(), [Piece::Payload(payload)] if payload.codecs.is_empty())
}
