//! The record of a compression: what was done to an output, stage by stage, and why the rest was not.

use crate::fidelity::Fidelity;
use std::fmt;

/// What became of a tool output. There is no third case: what grows is the list of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It goes on in other words.
    Replaced,
    /// It goes on as it came.
    Kept(KeptReason),
}

/// Why an output goes on as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeptReason {
    /// The mode is `disabled`.
    Disabled,
    /// The mode is `observe`: the record says what would have been done.
    Observed,
    /// Too few bytes for anything to be gained.
    TooSmall,
    /// More bytes than are looked at, and no cap for them.
    TooLarge,
    /// The tool is on the list of those to skip.
    SkippedTool,
    /// It is an original that was asked for.
    Expansion,
    /// It is the text of a file, and nothing around it could be saved.
    ExactTool,
    /// It was compressed before.
    AlreadyCompressed,
    /// The client's own message, which must reach the model as it is.
    ClientMessage,
    /// No stage found anything to do.
    NothingToDo,
    /// What the stages made has no fewer tokens.
    NotSmaller,
    /// The caller's deadline passed.
    OutOfTime,
    /// A defect outside of any stage.
    Panicked,
}

impl KeptReason {
    /// The name in records: `too_small`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            KeptReason::Disabled => "disabled",
            KeptReason::Observed => "observed",
            KeptReason::TooSmall => "too_small",
            KeptReason::TooLarge => "too_large",
            KeptReason::SkippedTool => "skipped_tool",
            KeptReason::Expansion => "expansion",
            KeptReason::ExactTool => "exact_tool",
            KeptReason::AlreadyCompressed => "already_compressed",
            KeptReason::ClientMessage => "client_message",
            KeptReason::NothingToDo => "nothing_to_do",
            KeptReason::NotSmaller => "not_smaller",
            KeptReason::OutOfTime => "out_of_time",
            KeptReason::Panicked => "panicked",
        }
    }
}

impl Verdict {
    /// The name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Replaced => "compressed",
            Verdict::Kept(reason) => reason.name(),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What one stage did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageStep {
    /// The stage's name, or what it did: `cap` with a window around the first error is `cap_error_window`.
    pub stage: &'static str,
    /// What the stage may cost the reader.
    pub fidelity: Fidelity,
    /// What came of it.
    pub outcome: StageOutcome,
    /// Tokens before and after it, where they were counted.
    pub tokens: Option<(usize, usize)>,
    /// The texts before and after it, where they were asked for.
    pub texts: Option<Box<(String, String)>>,
}

impl StageStep {
    /// Was the stage's text taken?
    #[must_use]
    pub fn is_applied(&self) -> bool {
        self.outcome == StageOutcome::Applied
    }

    /// The record of a stage whose text was as good as taken, but another has fewer tokens.
    pub(crate) fn outdone(mut self) -> Self {
        if self.is_applied() {
            (self.outcome, self.tokens, self.texts) = (StageOutcome::NotCheapest, None, None);
        }
        self
    }

    /// If the stage is lossless, one of ours, and its texts were kept: does the one it wrote decode to the one it was given?
    #[must_use]
    pub fn restores(&self) -> Option<bool> {
        let (before, after) = &**self.texts.as_ref()?;
        let is_lossless = self.fidelity == Fidelity::Lossless;
        is_lossless.then(|| crate::stages::restores(self.stage, before, after)).flatten()
    }
}

/// What came of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StageOutcome {
    /// Its text was taken.
    Applied,
    /// It is not for this kind of output.
    NotFor,
    /// The text has more bytes than any but a safety stage looks at.
    TooLarge,
    /// It found nothing to do.
    NothingToDo,
    /// Its text has no fewer tokens, or more bytes.
    NotSmaller,
    /// Another notation has fewer tokens.
    NotCheapest,
    /// Its text would split a timestamp, a URL or a number.
    Splits,
    /// Its text did not decode to the original. A defect in the stage; the original goes on.
    NotExact,
    /// It panicked. A defect in the stage; the original goes on.
    Panicked,
    /// The deadline had passed before its turn.
    OutOfTime,
}

impl StageOutcome {
    /// In words, for people.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            StageOutcome::Applied => "applied",
            StageOutcome::NotFor => "not for this output",
            StageOutcome::TooLarge => "too large",
            StageOutcome::NothingToDo => "nothing to do",
            StageOutcome::NotSmaller => "not smaller",
            StageOutcome::NotCheapest => "not the cheapest notation",
            StageOutcome::Splits => "would split a time, a URL or a number",
            StageOutcome::NotExact => "refused: did not decode to the original",
            StageOutcome::Panicked => "refused: panicked",
            StageOutcome::OutOfTime => "out of time",
        }
    }
}
