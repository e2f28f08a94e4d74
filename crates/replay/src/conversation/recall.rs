//! Recall: what an answer used that no text of its request shows, only a reference. The model had to fetch that first.
//!
//! A recording with probes says what later turns used. For others it is guessed: an identifier, a path or a number of twelve
//! characters or more that is in the answer, in an original behind a reference, and nowhere else in the request.

use super::handled_result::HandledResult;
use crate::probes::TextAvailability;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A shorter word may be anybody's. Half of what the corpus' probes found is as long as this.
const WORD: usize = 12;

/// What the model sees in a conversation, to say what it had to fetch.
pub(super) enum RecallIndex {
    /// Probes are looked for, as text: what was said, each with the index of its message.
    Texts(Vec<(usize, String)>),
    /// It is guessed from words.
    Words(WordIndex),
}

/// What an answer used.
#[derive(Debug, Default)]
pub(super) struct RecallDemand {
    /// Texts that are looked for.
    pub(super) needles: Vec<String>,
    /// Words of it.
    words: Vec<u64>,
}

/// Where the words of a conversation stand.
#[derive(Debug, Default)]
pub(super) struct WordIndex {
    /// Those that the user or the model itself said.
    said: HashSet<u64>,
    /// Those that tools said.
    results: HashMap<u64, WordPlace>,
    /// How many results these are.
    indexed: usize,
    /// What was said since the request whose answer is being read.
    fresh: Vec<u64>,
}

/// Where a tool said a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordPlace {
    Shown,
    /// Only behind the reference of the result with this index.
    LeftOut(usize),
}

impl Default for RecallIndex {
    fn default() -> Self {
        RecallIndex::Words(WordIndex::default())
    }
}

impl RecallIndex {
    /// Adds a text that the user or the model said; `answer`, if it was the model.
    pub(super) fn say(&mut self, message: usize, text: String, answer: Option<&mut RecallDemand>) {
        match self {
            RecallIndex::Texts(said) => said.push((message, text)),
            RecallIndex::Words(index) => {
                let from = index.fresh.len();
                index.fresh.extend(words(&text));
                if let Some(answer) = answer {
                    answer.words.extend(index.fresh.get(from..).unwrap_or_default());
                }
            }
        }
    }

    /// So many messages are left.
    pub(super) fn rewind(&mut self, messages: usize) {
        if let RecallIndex::Texts(said) = self {
            said.retain(|(message, _)| *message < messages);
        }
        self.forget_results();
    }

    /// What was forwarded for results has changed.
    pub(super) fn forget_results(&mut self) {
        if let RecallIndex::Words(index) = self {
            (index.results, index.indexed) = (HashMap::new(), 0);
        }
    }

    /// The results that an answer needed, and that were only behind references in the request, which had these results.
    pub(super) fn fetched(
        &mut self,
        demand: &RecallDemand,
        results: &[HandledResult],
    ) -> BTreeSet<usize> {
        let RecallIndex::Words(index) = self else { return BTreeSet::new() };
        index.read(results);
        demand.words.iter().filter_map(|word| index.left_out_in(*word)).collect()
    }

    /// From the next request on, all that was said is in it.
    pub(super) fn advance(&mut self, results: &[HandledResult]) {
        if let RecallIndex::Words(index) = self {
            index.read(results);
            let fresh = std::mem::take(&mut index.fresh);
            index.said.extend(fresh);
        }
    }

    /// How the model could come by a text, in a request of so many messages that has these results.
    pub(super) fn find(
        &self,
        needle: &str,
        messages: usize,
        results: &[HandledResult],
    ) -> TextAvailability {
        let RecallIndex::Texts(said) = self else { return TextAvailability::Lost };
        let mut said = said.iter().take_while(|(message, _)| *message < messages);
        let holds = |is_behind: bool| {
            results.iter().rposition(|result| {
                result.has_reference == is_behind && result.original.text.contains(needle)
            })
        };
        if said.any(|(_, text)| text.contains(needle))
            || results.iter().any(|result| result.shown().contains(needle))
        {
            TextAvailability::Visible
        } else if holds(false).is_some() {
            TextAvailability::Decoded
        } else {
            holds(true).map_or(TextAvailability::Lost, TextAvailability::Retrievable)
        }
    }
}

impl WordIndex {
    /// Reads the results that are new.
    fn read(&mut self, results: &[HandledResult]) {
        for (index, result) in results.iter().enumerate().skip(self.indexed) {
            // What a lossless form shows can be read there.
            let shown = if result.has_reference { result.shown() } else { &result.original.text };
            self.results.extend(words(shown).map(|word| (word, WordPlace::Shown)));
            if result.has_reference {
                for word in words(&result.original.text) {
                    let place = self.results.entry(word).or_insert(WordPlace::LeftOut(index));
                    if *place != WordPlace::Shown {
                        *place = WordPlace::LeftOut(index);
                    }
                }
            }
        }
        self.indexed = self.indexed.max(results.len());
    }

    fn left_out_in(&self, word: u64) -> Option<usize> {
        match self.results.get(&word) {
            Some(WordPlace::LeftOut(index)) if !self.said.contains(&word) => Some(*index),
            _ => None,
        }
    }
}

/// Hashes of the words that are hardly anywhere by chance. A backslash ends one, with what it escapes: arguments are JSON.
fn words(text: &str) -> impl Iterator<Item = u64> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = rest.find(|character| !is_in_word(character)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            let separator = behind.chars().next();
            let skipped = separator.map_or(0, char::len_utf8);
            let escaped = behind.get(skipped..).and_then(|it| it.chars().next());
            let escaped = escaped.filter(|_| separator == Some('\\')).map_or(0, char::len_utf8);
            rest = behind.get(skipped + escaped..).unwrap_or_default();
            let word = word.trim_matches(|character: char| !character.is_ascii_alphanumeric());
            if is_telling(word) {
                let mut hasher = DefaultHasher::new();
                word.hash(&mut hasher);
                return Some(hasher.finish());
            }
        }
        None
    })
}

fn is_in_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | '/' | '@')
}

/// An identifier, a path or a number, not a word of a language.
fn is_telling(word: &str) -> bool {
    word.len() >= WORD && word.chars().skip(1).any(|character| !character.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::ToolResult;

    fn count(text: &str) -> usize {
        words(text).count()
    }

    #[test]
    fn decision_33_words_that_tell_are_identifiers_paths_and_numbers() {
        for text in [
            "src/parser/lexer.rs",
            "parse_the_header",
            "ParseTheHeader",
            "202611151938",
            "see (src/parser/lexer.rs).",
        ] {
            assert_eq!(count(text), 1, "{text}");
        }
        for text in [
            "",
            "short",
            "implementation of abbreviations",
            "------------",
            "日本語の長い文章である",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
        let plain: Vec<u64> = words("one\nparse_the_header\ttwo").collect();
        let escaped: Vec<u64> = words(r#"edit {"old":"one\nparse_the_header\ttwo"}"#).collect();
        assert_eq!(plain, escaped);
        assert_eq!(count(&"\\".repeat(99)), 0);
    }

    #[test]
    fn decision_33_only_what_is_behind_a_reference_alone_has_to_be_fetched() {
        let result = |original: &str, shown: Option<&str>| {
            let original = ToolResult { text: original.to_owned(), ..ToolResult::default() };
            HandledResult::example(original, shown)
        };
        let results = [
            result("alpha_identifier beta_identifier", Some("left out")),
            result("beta_identifier", None),
            result("gamma_identifier", Some("left out, but for gamma_identifier")),
        ];
        let mut recall = RecallIndex::default();
        recall.say(0, "what is delta_identifier?".to_owned(), None);
        recall.advance(&results);
        let mut fetched = |answer: &str| {
            let mut demand = RecallDemand::default();
            recall.say(1, answer.to_owned(), Some(&mut demand));
            let fetched: Vec<usize> = recall.fetched(&demand, &results).into_iter().collect();
            recall.advance(&results);
            fetched
        };
        assert_eq!(fetched("beta_identifier gamma_identifier delta_identifier"), [0; 0]);
        assert_eq!(fetched(r#"grep {"pattern":"alpha_identifier"}"#), [0]);
        assert_eq!(fetched(r#"grep {"pattern":"alpha_identifier"}"#), [0; 0], "it said so itself");
    }
}
