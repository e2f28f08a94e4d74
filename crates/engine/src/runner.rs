//! The pipeline runner: runs stages over one text and does what every stage needs: applicability, panic isolation,
//! decode-and-compare, the token gate and the record.

use crate::density::{MemoryUse, SHORT, TextCounts};
use crate::engine::has_mark;
use crate::fidelity::Fidelity;
use crate::nature::Nature;
use crate::record::{StageOutcome, StageStep};
use crate::settings::CEILING_BYTES;
use crate::stage::{Stage, StageContext, StageOutput, TextLayer};
use crate::stages::{fold, json};
use crate::{history, notation};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use tokenforge_tokens::interrupt::{Deadline, StopReason, watched};

/// A stage may take so many steps for each byte of its text, and some more for a short one; a step is about a byte looked at.
/// Far more than any stage takes of any text that was tried: a bound for inputs that no test has.
const STEPS_PER_BYTE: u64 = 1024;
const STEPS: u64 = 1 << 24;

/// As many steps of the record as there usually are.
const RECORDED: usize = 16;

/// A text on its way through the stages.
#[derive(Clone)]
pub(crate) struct StageRun<'a> {
    subject: StageContext<'a>,
    /// A last resort: what a stage costs is bounded by the size of its text.
    deadline: Option<&'a Deadline>,
    /// Shared by the runs that part here, so that it is counted once.
    text: Rc<CountedText<'a>>,
    /// The text that the run began with.
    first: Rc<CountedText<'a>>,
    /// What the text is to its reader.
    layer: TextLayer,
    /// Are the texts of every step kept?
    is_traced: bool,
    steps: Vec<StageStep>,
}

/// A text, and its tokens once a stage or the result needed the count.
struct CountedText<'a> {
    text: Cow<'a, str>,
    tokens: OnceCell<usize>,
    /// Is it JSON in another form?
    is_form: OnceCell<bool>,
    /// How dense it is.
    counts: OnceCell<TextCounts>,
}

impl<'a> CountedText<'a> {
    fn new(text: Cow<'a, str>, tokens: OnceCell<usize>) -> Rc<Self> {
        Rc::new(CountedText { text, tokens, is_form: OnceCell::new(), counts: OnceCell::new() })
    }
}

impl<'a> StageRun<'a> {
    pub(crate) fn new(
        text: &'a str,
        subject: StageContext<'a>,
        deadline: Option<&'a Deadline>,
        is_traced: bool,
    ) -> Self {
        let text = CountedText::new(text.into(), OnceCell::new());
        let steps = Vec::with_capacity(RECORDED);
        StageRun {
            subject,
            deadline,
            first: text.clone(),
            text,
            layer: TextLayer::Words,
            is_traced,
            steps,
        }
    }

    /// Whatever the time is: for what takes one pass and must not depend on it.
    pub(crate) fn without_deadline(self) -> Self {
        StageRun { deadline: None, ..self }
    }

    pub(crate) fn through(mut self, stages: &[&dyn Stage]) -> Self {
        for stage in stages {
            self.step(*stage);
        }
        self
    }

    /// Says in the record of some stages that they are not for any text.
    pub(crate) fn refuse(mut self, stages: &[&dyn Stage]) -> Self {
        self.steps.extend(stages.iter().map(|stage| refused_step(*stage, StageOutcome::NotFor)));
        self
    }

    /// In the cheapest of some notations, if one is worth it, and with its repeats folded; without a notation, if that has
    /// fewer tokens.
    pub(crate) fn in_cheapest(self, notations: &[&dyn Stage], repeats: &[&dyn Stage]) -> Self {
        let plain = self.clone().through(repeats);
        let noted = self.in_cheapest_notation(notations);
        if noted.layer == plain.layer {
            return noted.through(repeats);
        }
        let noted = noted.through(repeats);
        if noted.tokens() < plain.tokens() {
            return noted;
        }
        let losers = noted.steps.iter().skip(plain.steps.len() - repeats.len());
        let losers = losers.take(notations.len()).cloned().map(StageStep::outdone);
        StageRun { steps: [&plain.steps[..], &losers.collect::<Vec<_>>()].concat(), ..plain }
    }

    /// In the notation with the fewest tokens.
    fn in_cheapest_notation(mut self, notations: &[&dyn Stage]) -> Self {
        let candidates: Vec<_> = notations.iter().map(|stage| self.candidate(*stage)).collect();
        let tokens = |written: &StageOutput| written.tokens.unwrap_or(usize::MAX);
        let fewest = candidates.iter().flatten().map(tokens).min();
        let mut best = None;
        for (stage, candidate) in notations.iter().zip(candidates) {
            match candidate {
                Ok(written) if best.is_none() && fewest == Some(tokens(&written)) => {
                    self.steps.push(self.step_of(*stage, &written));
                    best = Some(written);
                }
                Ok(written) => self.steps.push(self.step_of(*stage, &written).outdone()),
                Err(outcome) => self.steps.push(refused_step(*stage, outcome)),
            }
        }
        if let Some(written) = best {
            self.take(written);
        }
        self
    }

    /// The tokens of the text.
    fn tokens(&self) -> usize {
        *self.text.tokens.get_or_init(|| self.subject.settings.counter.count(self.text()))
    }

    /// What the text is, now that a terminal's escapes no longer hide it: a diff in colours is a diff.
    pub(crate) fn looked_at_again(mut self) -> Self {
        if self.has_applied(Fidelity::Cosmetic) {
            self.subject.nature = Nature::of(self.text(), self.subject.context);
        }
        self
    }

    /// The run of a text that stands in a string of its wrapper.
    pub(crate) fn quoted(mut self) -> Self {
        self.subject.is_quoted = true;
        self
    }

    /// What the text is to its reader.
    pub(crate) fn nature(&self) -> Nature {
        self.subject.nature
    }

    /// How many bytes the text has.
    pub(crate) fn len(&self) -> usize {
        self.text().len()
    }

    pub(crate) fn steps(&self) -> &[StageStep] {
        &self.steps
    }

    pub(crate) fn text(&self) -> &str {
        &self.text.text
    }

    /// The tokens of the text, if it came through a gate.
    pub(crate) fn known_tokens(&self) -> Option<usize> {
        self.text.tokens.get().copied()
    }

    /// The tokens of the text that the run began with, if a gate had to know them.
    pub(crate) fn tokens_at_first(&self) -> Option<usize> {
        self.first.tokens.get().copied()
    }

    /// Is the text another than the one the run began with?
    pub(crate) fn has_changed(&self) -> bool {
        self.steps.iter().any(StageStep::is_applied)
    }

    /// Was a stage of this fidelity applied?
    pub(crate) fn has_applied(&self, fidelity: Fidelity) -> bool {
        self.steps.iter().any(|step| step.is_applied() && step.fidelity == fidelity)
    }

    /// Does a line of the text say too little without the others? It does in a notation and a form, and where a note
    /// stands for lines above it.
    pub(crate) fn has_notation(&self) -> bool {
        let is_folded = |step: &StageStep| step.is_applied() && step.stage == "repeated_lines";
        self.layer != TextLayer::Words || self.steps.iter().any(is_folded)
    }

    /// Offers the text to a stage and takes what it makes if that is right and smaller.
    pub(crate) fn step(&mut self, stage: &dyn Stage) {
        match self.candidate(stage) {
            Ok(written) => {
                self.steps.push(self.step_of(stage, &written));
                self.take(written);
            }
            Err(outcome) => self.steps.push(refused_step(stage, outcome)),
        }
    }

    fn take(&mut self, StageOutput { text, tokens, layer, .. }: StageOutput) {
        let tokens = tokens.map_or_else(OnceCell::new, OnceCell::from);
        self.text = CountedText::new(text.into(), tokens);
        if layer != TextLayer::Words {
            self.layer = layer;
        }
    }

    /// The record of a stage whose text is taken.
    fn step_of(
        &self,
        stage: &dyn Stage,
        StageOutput { text, tokens, done, .. }: &StageOutput,
    ) -> StageStep {
        StageStep {
            stage: done.unwrap_or(stage.name()),
            fidelity: stage.fidelity(),
            outcome: StageOutcome::Applied,
            tokens: self.known_tokens().zip(*tokens),
            texts: self.is_traced.then(|| Box::new((self.text().to_owned(), text.clone()))),
        }
    }

    /// What a stage makes of the text, with its tokens; not counted for safety stages, which are taken whatever they cost.
    fn candidate(&self, stage: &dyn Stage) -> Result<StageOutput, StageOutcome> {
        if self.deadline.is_some_and(Deadline::has_passed) {
            return Err(StageOutcome::OutOfTime);
        }
        let is_skipped = self.subject.settings.skips_stage(stage.name());
        if is_skipped
            || !isolate_panic(|| stage.is_for(&self.subject))?
            || !self.may_be_given_to(stage)
        {
            return Err(StageOutcome::NotFor);
        }
        let is_too_large = || self.len() > CEILING_BYTES || self.is_too_dense_for(stage);
        if stage.fidelity() != Fidelity::Safety && is_too_large() {
            return Err(StageOutcome::TooLarge);
        }
        if self.is_traced {
            self.text.tokens.get_or_init(|| self.subject.settings.counter.count(self.text()));
        }
        let steps = STEPS.saturating_add(STEPS_PER_BYTE.saturating_mul(self.len() as u64));
        // A safety stage is not stopped: what it takes away must not be seen, and it takes one pass.
        let (steps, deadline) = match stage.fidelity() {
            Fidelity::Safety => (u64::MAX, None),
            _ => (steps, self.deadline),
        };
        watched(steps, deadline, || self.check_stage(stage))?
    }

    /// One notation at a time. What is taken away for safety is taken away whatever the text is.
    fn may_be_given_to(&self, stage: &dyn Stage) -> bool {
        let is_marked = || has_mark(self.text());
        let reads = self.subject.settings.model_class.reads();
        let is_notation = matches!(stage.layer(), TextLayer::Notation | TextLayer::Dictionary);
        if stage.fidelity() == Fidelity::Safety {
            return true;
        }
        if reads.is_harmed_by(stage.name()) || is_notation && !reads.includes(stage.name()) {
            return false;
        }
        stage
            .layer()
            .may_be_written_over(self.layer, stage.layer() == TextLayer::Dictionary && is_marked())
    }

    /// Would the stage take more memory than the text is worth?
    fn is_too_dense_for(&self, stage: &dyn Stage) -> bool {
        self.len() > SHORT && {
            let counts = self.text.counts.get_or_init(|| TextCounts::of(self.text()));
            counts.exceed(MemoryUse::of_stage(stage.name()))
        }
    }

    fn is_form(&self) -> bool {
        *self.text.is_form.get_or_init(|| json::is_form(self.text()))
    }

    /// What a stage makes of the text, if that is right and smaller.
    fn check_stage(&self, stage: &dyn Stage) -> Result<StageOutput, StageOutcome> {
        let written = isolate_panic(|| stage.apply(self.text(), &self.subject))?
            .filter(|written| written.text != self.text())
            .ok_or(StageOutcome::NothingToDo)?;
        // Whether it may be given this text was decided by what it said that it writes.
        if written.layer != TextLayer::Words && written.layer != stage.layer() {
            return Err(StageOutcome::NotFor);
        }
        let tokens = match stage.fidelity() {
            Fidelity::Safety => None,
            _ => Some(
                self.gate(&written, self.least_saving(stage)).ok_or(StageOutcome::NotSmaller)?,
            ),
        };
        if matches!(written.layer, TextLayer::Notation | TextLayer::Dictionary) {
            let after = (&*written.text, tokens.unwrap_or(usize::MAX));
            notation::check((self.text(), self.tokens()), after, self.subject.settings.counter)?;
            // A row that reads like a note on repeats or a pointer would be taken for one.
            if fold::has_written(&written.text) || history::has_pointers(&written.text) {
                return Err(StageOutcome::NotExact);
            }
        }
        // In the form that we give to JSON, no matter which program wrote it: known only now, since it is rare that a
        // stage has something to do to such a text, and dear to find out.
        if stage.fidelity() != Fidelity::Safety && self.is_form() {
            return Err(StageOutcome::NotFor);
        }
        if stage.fidelity() == Fidelity::Lossless {
            // However well a codec is tested, its text is decoded before it is taken. That is not free: reading templates back was
            // a sixth of the engine's time for a log, until the decoder made no text of each value.
            let is_exact = isolate_panic(|| restores(stage, self.text(), &written.text))?;
            if !is_exact {
                return Err(StageOutcome::NotExact);
            }
        }
        Ok(StageOutput { tokens, ..written })
    }

    /// The part of the text that a stage must save. A cosmetic stage may save any part of a text from which something was left
    /// out: the reader does not see the original anyway, and the whole text, which is longer, must not pass where this
    /// one does not, because a second compression of the whole text would then leave out what the first one kept (L6).
    fn least_saving(&self, stage: &dyn Stage) -> usize {
        let is_shortened = || self.has_applied(Fidelity::Reversible);
        if stage.fidelity() == Fidelity::Cosmetic && is_shortened() {
            usize::MAX
        } else {
            stage.least_saving()
        }
    }

    /// The tokens of what a stage wrote, if they are fewer than those of the present text, and its bytes are too.
    fn gate(&self, written: &StageOutput, least_saving: usize) -> Option<usize> {
        let saved = self.text().len().checked_sub(written.text.len())?;
        if saved.saturating_mul(least_saving) < self.text().len() {
            return None;
        }
        let counter = self.subject.settings.counter;
        let present = *self.text.tokens.get_or_init(|| counter.count(self.text()));
        match written.tokens {
            Some(tokens) => (tokens < present).then_some(tokens),
            None => counter.count_within(&written.text, present.checked_sub(1)?),
        }
    }
}

/// Does the text that a lossless stage wrote decode to what must come back of the one it was given? The text itself is
/// tried first: JSON that has no blanks is not read again.
pub(crate) fn restores(stage: &dyn Stage, given: &str, written: &str) -> bool {
    let stands_for = |decoded: String| decoded == given || decoded == stage.canonical(given);
    stage.decode(written).is_some_and(stands_for)
}

/// The record of a stage whose text is not taken.
fn refused_step(stage: &dyn Stage, outcome: StageOutcome) -> StageStep {
    StageStep {
        stage: stage.name(),
        fidelity: stage.fidelity(),
        outcome,
        tokens: None,
        texts: None,
    }
}

/// Runs a stage's code so that a defect in it costs the saving and not the request. Code that is stopped has no defect.
pub(crate) fn isolate_panic<T>(code: impl FnOnce() -> T) -> Result<T, StagePanic> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        if payload.is::<StopReason>() { resume_unwind(payload) } else { StagePanic }
    })
}

/// There is a defect in the code that ran.
pub(crate) struct StagePanic;

impl From<StopReason> for StageOutcome {
    fn from(stopped: StopReason) -> Self {
        match stopped {
            StopReason::OutOfSteps => StageOutcome::TooLarge,
            StopReason::OutOfTime => StageOutcome::OutOfTime,
        }
    }
}

impl From<StagePanic> for StageOutcome {
    fn from(_: StagePanic) -> Self {
        StageOutcome::Panicked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::CallContext;
    use crate::filter::FilterSet;
    use crate::nature::Nature;
    use crate::settings::Settings;

    /// A stage with a fault.
    #[derive(Clone, Copy)]
    enum FaultyStage {
        PanicsWriting,
        PanicsReading,
        ReadsOtherwise,
        Grows,
    }

    impl Stage for FaultyStage {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn fidelity(&self) -> Fidelity {
            Fidelity::Lossless
        }

        fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
            match self {
                FaultyStage::PanicsWriting => panic!("a defect"),
                FaultyStage::Grows => Some(text.repeat(2).into()),
                FaultyStage::PanicsReading | FaultyStage::ReadsOtherwise => {
                    Some("short".to_owned().into())
                }
            }
        }

        fn decode(&self, text: &str) -> Option<String> {
            match self {
                FaultyStage::PanicsReading => panic!("a defect"),
                _ => Some(text.to_owned()),
            }
        }
    }

    #[test]
    fn l7_whatever_a_stage_does_wrong_the_text_stays_as_it_is() {
        let text = "a text that is long enough to be made shorter. ".repeat(20);
        let (context, settings) = (CallContext::new("Bash", "{}", false), Settings::default());
        let filters = FilterSet::builtin();
        let nature = Nature::Plain;
        let (context, settings) = (&context, &settings);
        let subject = StageContext { context, settings, filters, nature, is_quoted: false };
        for (fault, expected) in [
            (FaultyStage::PanicsWriting, StageOutcome::Panicked),
            (FaultyStage::PanicsReading, StageOutcome::Panicked),
            (FaultyStage::ReadsOtherwise, StageOutcome::NotExact),
            (FaultyStage::Grows, StageOutcome::NotSmaller),
        ] {
            let run = StageRun::new(&text, subject, None, false).through(&[&fault]);
            assert_eq!(run.text(), text);
            assert_eq!(run.steps()[0].outcome, expected);
        }
        let passed = Deadline::new(|| true);
        let late = StageRun::new(&text, subject, Some(&passed), false)
            .through(&[&FaultyStage::PanicsWriting]);
        assert_eq!(late.steps()[0].outcome, StageOutcome::OutOfTime);
    }
}
