//! Token usage: what a turn cost.

/// Token figures as the provider gives them: whether cached input is part of the input, each provider says for itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenCounts {
    /// What was sent.
    pub input: Option<u64>,
    /// What the model wrote.
    pub output: Option<u64>,
    /// What was read from the provider's prompt cache.
    pub cache_read: Option<u64>,
    /// What was written to the provider's prompt cache.
    pub cache_write: Option<u64>,
    /// Of `cache_write`, what is kept for an hour: it costs more than what is kept for five minutes.
    pub cache_write_1h: Option<u64>,
}

/// What a turn cost, over all the replies it took.
///
/// `last` and `sum` are what replies say of themselves at the top, which is what a client's context meter reads. What is
/// charged may be more: a provider that samples several times for one reply (compaction, an advisor) lists every
/// iteration, and its figures at the top leave some of them out. That is in `billed`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnUsage {
    /// The figures of the last reply.
    pub last: TokenCounts,
    /// The figures of all replies together.
    pub sum: TokenCounts,
    /// What is charged for all replies together, at the price of the model that was asked.
    pub billed: TokenCounts,
    /// Of `billed`, what is charged for every reply but the last.
    pub billed_earlier: TokenCounts,
    /// What other models did meanwhile, each charged at its own price.
    pub advisors: Vec<ModelTokens>,
    before: TokenCounts,
    /// Those of the current reply, if it lists them.
    iterations: Option<SamplingIterations>,
    advisors_earlier: usize,
}

/// What one model did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTokens {
    /// The model.
    pub model: String,
    /// What it did.
    pub tokens: TokenCounts,
}

/// The sampling iterations of one reply, added up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SamplingIterations {
    /// Of the model that was asked.
    pub(crate) own: TokenCounts,
    /// Of others.
    pub(crate) others: Vec<ModelTokens>,
}

impl SamplingIterations {
    /// Adds one, of the model that was asked or of another.
    pub(crate) fn add(&mut self, model: Option<String>, tokens: TokenCounts) {
        match model {
            Some(model) => self.others.push(ModelTokens { model, tokens }),
            None => self.own = self.own.plus(tokens),
        }
    }
}

impl TurnUsage {
    /// Notes figures of the current reply: later ones replace earlier ones.
    pub(crate) fn note(&mut self, tokens: TokenCounts) {
        self.last = self.last.with(tokens, |_, later| later);
        self.sum = self.before.plus(self.last);
        self.charge();
    }

    /// Notes the iterations of the current reply: a later list replaces an earlier one.
    pub(crate) fn note_iterations(&mut self, iterations: SamplingIterations) {
        self.iterations = Some(iterations);
        self.charge();
    }

    fn charge(&mut self) {
        self.advisors.truncate(self.advisors_earlier);
        let own = match &self.iterations {
            Some(iterations) => {
                self.advisors.extend(iterations.others.iter().cloned());
                iterations.own
            }
            None => self.last,
        };
        self.billed = self.billed_earlier.plus(own);
    }

    /// Another reply begins.
    pub(crate) fn begin(&mut self) {
        self.before = self.sum;
        self.billed_earlier = self.billed;
        self.advisors_earlier = self.advisors.len();
        self.last = TokenCounts::default();
        self.iterations = None;
    }
}

impl TokenCounts {
    fn plus(self, other: TokenCounts) -> TokenCounts {
        self.with(other, u64::saturating_add)
    }

    fn with(self, other: TokenCounts, join: impl Fn(u64, u64) -> u64) -> TokenCounts {
        let join = |own: Option<u64>, other: Option<u64>| match (own, other) {
            (Some(own), Some(other)) => Some(join(own, other)),
            (own, other) => own.or(other),
        };
        TokenCounts {
            input: join(self.input, other.input),
            output: join(self.output, other.output),
            cache_read: join(self.cache_read, other.cache_read),
            cache_write: join(self.cache_write, other.cache_write),
            cache_write_1h: join(self.cache_write_1h, other.cache_write_1h),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g33_the_sum_has_the_final_figures_of_every_reply() {
        let tokens = |input, output| TokenCounts { input, output, ..TokenCounts::default() };
        let mut usage = TurnUsage::default();
        usage.note(tokens(Some(10), Some(1)));
        usage.note(tokens(None, Some(7)));
        assert_eq!(usage.last, tokens(Some(10), Some(7)));
        usage.begin();
        usage.note(tokens(Some(20), Some(5)));
        assert_eq!(usage.last, tokens(Some(20), Some(5)));
        assert_eq!(usage.sum, tokens(Some(30), Some(12)));
    }

    #[test]
    fn d30_what_is_charged_has_every_iteration_of_every_reply() {
        let tokens = |input, output| TokenCounts {
            input: Some(input),
            output: Some(output),
            ..TokenCounts::default()
        };
        let mut usage = TurnUsage::default();
        usage.note(tokens(23_000, 1_000));
        let mut iterations = SamplingIterations::default();
        iterations.add(None, tokens(180_000, 3_500));
        iterations.add(None, tokens(23_000, 1_000));
        iterations.add(Some("claude-opus-5".to_owned()), tokens(9_000, 400));
        usage.note_iterations(iterations);
        assert_eq!(usage.sum, tokens(23_000, 1_000));
        assert_eq!(usage.billed, tokens(203_000, 4_500));
        usage.begin();
        usage.note(tokens(24_000, 10));
        assert_eq!(usage.billed, tokens(227_000, 4_510));
        assert_eq!(usage.billed_earlier, tokens(203_000, 4_500));
        assert_eq!((usage.advisors.len(), &*usage.advisors[0].model), (1, "claude-opus-5"));
    }
}
