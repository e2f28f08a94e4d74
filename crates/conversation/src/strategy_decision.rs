//! The decision about a strategy's answer: its text is taken, or refused for a reason that the record names.

/// What is forwarded for a result that a strategy was asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StrategyDecision {
    /// The strategy's text.
    Take(String),
    /// What the stages made of the result.
    Refuse(StrategyRefusal),
}

/// Why the text of a strategy is not forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrategyRefusal {
    /// It gave no text.
    Failed,
    /// Its text is longer than `target_ratio` allows.
    AboveTarget,
    /// Its text, with the reference before it, has no fewer tokens.
    NotSmaller,
    /// The store did not take its text, so a later request could not repeat it.
    NotStored,
}

impl StrategyRefusal {
    const ALL: [Self; 4] = [Self::Failed, Self::AboveTarget, Self::NotSmaller, Self::NotStored];

    /// The name in records: `strategy_failed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed => "strategy_failed",
            Self::AboveTarget => "strategy_above_target",
            Self::NotSmaller => "strategy_not_smaller",
            Self::NotStored => "strategy_not_stored",
        }
    }
}

/// Begins a stored refusal. No text of a strategy begins so.
const REFUSAL: u8 = 0;

impl StrategyDecision {
    /// As the store keeps it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Take(text) => text.as_bytes().to_vec(),
            Self::Refuse(refusal) => [&[REFUSAL], refusal.name().as_bytes()].concat(),
        }
    }

    /// Reads what the store kept; `None` if it is neither a text nor a known refusal.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        match bytes.split_first() {
            Some((&REFUSAL, name)) => {
                let refusal = StrategyRefusal::ALL
                    .into_iter()
                    .find(|refusal| refusal.name().as_bytes() == name)?;
                Some(Self::Refuse(refusal))
            }
            _ => String::from_utf8(bytes).ok().map(Self::Take),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g4_a_stored_decision_is_read_back() {
        let refusals = StrategyRefusal::ALL.map(StrategyDecision::Refuse);
        let texts = ["", "words"].map(|text| StrategyDecision::Take(text.to_owned()));
        for decision in refusals.into_iter().chain(texts) {
            assert_eq!(StrategyDecision::from_bytes(decision.to_bytes()), Some(decision));
        }
        assert_eq!(StrategyDecision::from_bytes(b"\0unknown".to_vec()), None);
        assert_eq!(StrategyDecision::from_bytes(vec![0xff]), None);
    }
}
