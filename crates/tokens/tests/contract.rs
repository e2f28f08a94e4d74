//! What a caller may rely on, over texts made to break it.

mod texts;

use proptest::prelude::*;
use texts::Texts;
use tokenforge_tokens::{Counter, Vocabulary};

fn text() -> impl Strategy<Value = String> {
    any::<u64>().prop_map(|seed| Texts::new(seed).next_text())
}

/// Two texts that share their ends, as an output and its replacement do.
fn related() -> impl Strategy<Value = (String, String)> {
    (text(), text(), text(), text())
        .prop_map(|(head, a, b, tail)| (format!("{head}{a}{tail}"), format!("{head}{b}{tail}")))
}

fn counter() -> impl Strategy<Value = Counter> {
    let exact = Vocabulary::ALL.iter().copied().map(Counter::Exact);
    proptest::sample::select(exact.chain([Counter::Estimate]).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn count_within_is_count_up_to_any_limit(counter in counter(), text in text(), part in 0..=200_usize) {
        let tokens = counter.count(&text);
        for limit in [tokens * part / 100, tokens, tokens.saturating_sub(1), 0, usize::MAX] {
            let expected = (tokens <= limit).then_some(tokens);
            prop_assert_eq!(counter.count_within(&text, limit), expected, "limit {}", limit);
        }
    }

    #[test]
    fn l2_is_cheaper_agrees_with_count(counter in counter(), (a, b) in related()) {
        prop_assert_eq!(counter.is_cheaper(&a, &b), counter.count(&a) < counter.count(&b));
    }

    #[test]
    fn l2_nothing_is_cheaper_than_itself(counter in counter(), text in text()) {
        prop_assert!(!counter.is_cheaper(&text, &text));
    }

    #[test]
    fn a_count_is_at_most_the_bytes_and_zero_only_for_nothing(text in text()) {
        for &vocabulary in Vocabulary::ALL {
            let tokens = Counter::Exact(vocabulary).count(&text);
            prop_assert!(tokens <= text.len(), "{}", vocabulary);
            prop_assert_eq!(tokens == 0, text.is_empty(), "{}", vocabulary);
        }
    }
}

/// The pieces we count in have to add up to what the tokenizer says of the whole.
#[test]
fn decision_1_counting_in_pieces_changes_no_count_of_any_vocabulary() {
    let mut texts = Texts::new(3);
    for _ in 0..8 {
        let long: String = (0..400).map(|_| texts.next_text()).collect();
        for vocabulary in Vocabulary::ALL {
            let whole = tiktoken::get_encoding(vocabulary.name()).expect("embedded");
            assert_eq!(
                Counter::Exact(*vocabulary).count(&long),
                whole.count(&long),
                "{vocabulary}"
            );
        }
    }
}

#[test]
fn decision_1_the_default_is_exact_o200k() {
    assert_eq!(Counter::default(), Counter::Exact(Vocabulary::O200k));
}

/// The figures that [`Counter::Estimate`] documents, held to within a point.
#[test]
fn decision_1_the_estimate_stays_near_o200k_on_the_corpus() {
    let Some(corpus) = texts::corpus() else {
        return;
    };
    let errors: Vec<f64> = corpus
        .iter()
        .filter(|(kind, _)| kind != "session")
        .map(|(_, text)| (Counter::default().count(text), Counter::Estimate.count(text)))
        .filter(|(exact, _)| *exact >= 20)
        .map(|(exact, estimate)| estimate.abs_diff(exact) as f64 / exact as f64)
        .collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean < 0.057, "mean error {:.1} %", 100.0 * mean);
}

/// The tokenizer keeps a cache of over a megabyte for each thread, on the heap one hopes.
#[test]
fn a_small_stack_is_enough() {
    let count = || Counter::default().count("an unlikelyword: Donaudampfschifffahrt");
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(count);
    assert!(thread.expect("spawned").join().expect("no overflow") > 0);
}
