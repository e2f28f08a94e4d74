//! Laws about counting tokens.

use tokenforge_tokens::{Counter, Vocabulary};

/// Early exits change no answer.
pub fn early_exit(a: &str, b: &str) {
    for counter in [Counter::Exact(Vocabulary::O200k), Counter::Exact(Vocabulary::Cl100k)] {
        let (tokens, others) = (counter.count(a), counter.count(b));
        assert_eq!(counter.count_within(a, tokens), Some(tokens), "{a}");
        if let Some(less) = tokens.checked_sub(1) {
            assert_eq!(counter.count_within(a, less), None, "{a}");
        }
        assert_eq!(counter.is_cheaper(a, b), tokens < others, "{a:?} {b:?}");
        assert!(tokens <= a.len(), "more tokens than bytes: {a}");
    }
}
