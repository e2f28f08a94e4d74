//! Runs stages over one text and does what every stage needs: applicability, panic isolation, decode-and-compare, the
//! token gate and the record.

use crate::fidelity::Fidelity;
use crate::json;
use crate::nature::Nature;
use crate::record::{Outcome, Step};
use crate::settings::CEILING_BYTES;
use crate::stage::{Stage, Subject, Written};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use tokenforge_tokens::interrupt::{Deadline, Stopped, watched};

/// A stage may take so many steps for each byte of its text, and some more for a short one; a step is about a byte looked at.
/// Far more than any stage takes of any text that was tried: a bound on what nobody thought of.
const STEPS_PER_BYTE: u64 = 1024;
const STEPS: u64 = 1 << 24;

/// As many steps of the record as there usually are.
const RECORDED: usize = 16;

/// A text on its way through the stages.
#[derive(Clone)]
pub(crate) struct Run<'a> {
    subject: Subject<'a>,
    /// A last resort: what a stage costs is bounded by the size of its text.
    deadline: Option<&'a Deadline>,
    /// Shared by the runs that part here, so that it is counted once.
    text: Rc<Counted<'a>>,
    /// The text that the run began with.
    first: Rc<Counted<'a>>,
    /// Are the texts of every step kept?
    is_traced: bool,
    steps: Vec<Step>,
}

/// A text, and its tokens once somebody had to know.
struct Counted<'a> {
    text: Cow<'a, str>,
    tokens: OnceCell<usize>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        text: &'a str,
        subject: Subject<'a>,
        deadline: Option<&'a Deadline>,
        is_traced: bool,
    ) -> Self {
        let text = Rc::new(Counted { text: text.into(), tokens: OnceCell::new() });
        let steps = Vec::with_capacity(RECORDED);
        Run { subject, deadline, first: text.clone(), text, is_traced, steps }
    }

    pub(crate) fn through(mut self, stages: &[&dyn Stage]) -> Self {
        for stage in stages {
            self.step(*stage);
        }
        self
    }

    /// What the text is, now that a terminal's escapes no longer hide it: a diff in colours is a diff.
    pub(crate) fn looked_at_again(mut self) -> Self {
        if self.has_applied(Fidelity::Cosmetic) {
            self.subject.nature = Nature::of(self.text(), self.subject.context);
        }
        self
    }

    /// How many bytes the text has.
    pub(crate) fn len(&self) -> usize {
        self.text().len()
    }

    pub(crate) fn steps(&self) -> &[Step] {
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
        self.steps.iter().any(Step::is_applied)
    }

    /// Was a stage of this fidelity applied?
    pub(crate) fn has_applied(&self, fidelity: Fidelity) -> bool {
        self.steps.iter().any(|step| step.is_applied() && step.fidelity == fidelity)
    }

    /// Offers the text to a stage and takes what it makes if that is right and smaller.
    pub(crate) fn step(&mut self, stage: &dyn Stage) {
        let (name, fidelity) = (stage.name(), stage.fidelity());
        let mut step =
            Step { stage: name, fidelity, outcome: Outcome::Applied, tokens: None, texts: None };
        match self.candidate(stage) {
            Ok(Written { text, tokens, done }) => {
                step.stage = done.unwrap_or(name);
                step.tokens = self.known_tokens().zip(tokens);
                step.texts =
                    self.is_traced.then(|| Box::new((self.text().to_owned(), text.clone())));
                let tokens = tokens.map_or_else(OnceCell::new, OnceCell::from);
                self.text = Rc::new(Counted { text: text.into(), tokens });
            }
            Err(outcome) => step.outcome = outcome,
        }
        self.steps.push(step);
    }

    /// What a stage makes of the text, with its tokens; not counted for safety stages, which are taken whatever they cost.
    fn candidate(&self, stage: &dyn Stage) -> Result<Written, Outcome> {
        if self.deadline.is_some_and(Deadline::has_passed) {
            return Err(Outcome::OutOfTime);
        }
        if !stage.is_for(&self.subject) || (is_free(stage) && json::is_stc2(self.text())) {
            return Err(Outcome::NotFor);
        }
        if self.text().len() > CEILING_BYTES && stage.fidelity() != Fidelity::Safety {
            return Err(Outcome::TooLarge);
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
        watched(steps, deadline, || self.checked(stage))?
    }

    /// What a stage makes of the text, if that is right and smaller.
    fn checked(&self, stage: &dyn Stage) -> Result<Written, Outcome> {
        let written = isolated(|| stage.apply(self.text(), &self.subject))?
            .filter(|written| written.text != self.text())
            .ok_or(Outcome::NothingToDo)?;
        let tokens = match stage.fidelity() {
            Fidelity::Safety => None,
            _ => Some(self.gate(&written, stage.least_saving()).ok_or(Outcome::NotSmaller)?),
        };
        if stage.fidelity() == Fidelity::Lossless {
            let decoded = isolated(|| stage.decode(&written.text))?;
            if !decoded.is_some_and(|decoded| stands_for(stage, self.text(), &decoded)) {
                return Err(Outcome::NotExact);
            }
        }
        Ok(Written { tokens, ..written })
    }

    /// The tokens of what a stage wrote, if they are fewer than those of the present text, and its bytes are too.
    fn gate(&self, written: &Written, least_saving: usize) -> Option<usize> {
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

/// Is this what must come back of a text that a lossless stage was given? The text itself is tried first: JSON that has
/// no blanks is not read again.
pub(crate) fn stands_for(stage: &dyn Stage, given: &str, decoded: &str) -> bool {
    decoded == given || decoded == stage.canonical(given)
}

/// Does a stage take liberties with a text? Data, in which every blank counts, allows none.
fn is_free(stage: &dyn Stage) -> bool {
    matches!(stage.fidelity(), Fidelity::Cosmetic | Fidelity::Reversible)
}

/// Runs a stage's code so that a defect in it costs the saving and not the request. Code that is stopped has no defect.
pub(crate) fn isolated<T>(code: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| match payload.is::<Stopped>() {
        true => resume_unwind(payload),
        false => Panicked,
    })
}

/// There is a defect in the code that ran.
pub(crate) struct Panicked;

impl From<Stopped> for Outcome {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::OutOfSteps => Outcome::TooLarge,
            Stopped::OutOfTime => Outcome::OutOfTime,
        }
    }
}

impl From<Panicked> for Outcome {
    fn from(_: Panicked) -> Self {
        Outcome::Panicked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::filter::FilterSet;
    use crate::nature::Nature;
    use crate::settings::Settings;

    /// A stage with a fault.
    #[derive(Clone, Copy)]
    enum Faulty {
        PanicsWriting,
        PanicsReading,
        ReadsOtherwise,
        Grows,
    }

    impl Stage for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn fidelity(&self) -> Fidelity {
            Fidelity::Lossless
        }

        fn apply(&self, text: &str, _: &Subject<'_>) -> Option<Written> {
            match self {
                Faulty::PanicsWriting => panic!("a defect"),
                Faulty::Grows => Some(text.repeat(2).into()),
                Faulty::PanicsReading | Faulty::ReadsOtherwise => Some("short".to_owned().into()),
            }
        }

        fn decode(&self, text: &str) -> Option<String> {
            match self {
                Faulty::PanicsReading => panic!("a defect"),
                _ => Some(text.to_owned()),
            }
        }
    }

    #[test]
    fn l7_whatever_a_stage_does_wrong_the_text_stays_as_it_is() {
        let text = "a text that is long enough to be made shorter. ".repeat(20);
        let (context, settings) = (Context::new("Bash", "{}", false), Settings::default());
        let filters = FilterSet::builtin();
        let subject =
            Subject { context: &context, settings: &settings, filters, nature: Nature::Plain };
        for (fault, expected) in [
            (Faulty::PanicsWriting, Outcome::Panicked),
            (Faulty::PanicsReading, Outcome::Panicked),
            (Faulty::ReadsOtherwise, Outcome::NotExact),
            (Faulty::Grows, Outcome::NotSmaller),
        ] {
            let run = Run::new(&text, subject, None, false).through(&[&fault]);
            assert_eq!(run.text(), text);
            assert_eq!(run.steps()[0].outcome, expected);
        }
        let passed = Deadline::new(|| true);
        let late =
            Run::new(&text, subject, Some(&passed), false).through(&[&Faulty::PanicsWriting]);
        assert_eq!(late.steps()[0].outcome, Outcome::OutOfTime);
    }
}
