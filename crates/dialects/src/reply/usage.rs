//! What a turn cost.

/// Token figures as the provider gives them: whether cached input is part of the input, each provider says for itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// What was sent.
    pub input: Option<u64>,
    /// What the model wrote.
    pub output: Option<u64>,
    /// What was read from the provider's prompt cache.
    pub cache_read: Option<u64>,
    /// What was written to the provider's prompt cache.
    pub cache_write: Option<u64>,
}

/// What a turn cost, over all the replies it took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// The figures of the last reply.
    pub last: Tokens,
    /// The figures of all replies together.
    pub sum: Tokens,
    before: Tokens,
}

impl Usage {
    /// Notes figures of the current reply: later ones replace earlier ones.
    pub(super) fn note(&mut self, tokens: Tokens) {
        self.last = self.last.with(tokens, |_, later| later);
        self.sum = self.before.with(self.last, u64::saturating_add);
    }

    /// Another reply begins.
    pub(super) fn begin(&mut self) {
        self.before = self.sum;
        self.last = Tokens::default();
    }
}

impl Tokens {
    fn with(self, other: Tokens, join: impl Fn(u64, u64) -> u64) -> Tokens {
        let join = |own: Option<u64>, other: Option<u64>| match (own, other) {
            (Some(own), Some(other)) => Some(join(own, other)),
            (own, other) => own.or(other),
        };
        Tokens {
            input: join(self.input, other.input),
            output: join(self.output, other.output),
            cache_read: join(self.cache_read, other.cache_read),
            cache_write: join(self.cache_write, other.cache_write),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g33_the_sum_has_the_final_figures_of_every_reply() {
        let tokens = |input, output| Tokens { input, output, ..Tokens::default() };
        let mut usage = Usage::default();
        usage.note(tokens(Some(10), Some(1)));
        usage.note(tokens(None, Some(7)));
        assert_eq!(usage.last, tokens(Some(10), Some(7)));
        usage.begin();
        usage.note(tokens(Some(20), Some(5)));
        assert_eq!(usage.last, tokens(Some(20), Some(5)));
        assert_eq!(usage.sum, tokens(Some(30), Some(12)));
    }
}
