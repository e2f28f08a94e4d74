//! Tokenisation of identifiers and prose: the words of a text as they are indexed and asked for.

/// Function words of English, which say nothing about what a tool does.
const STOP_WORDS: [&str; 50] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "has", "have", "how",
    "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "that", "the",
    "their", "then", "there", "these", "this", "to", "via", "was", "we", "what", "when", "where",
    "which", "who", "will", "with", "would", "you", "your", "using", "should",
];

/// The words of a text, in order: identifiers in their parts (`getTicker_v2` is `get`, `ticker`, `v`, `2`), in lower case,
/// plurals as singulars, without function words. Scripts that put no spaces between words give every two neighbours.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for part in parts(text) {
        if part.starts_with(has_no_spaces) {
            all.extend(neighbours(part));
        } else {
            let word = part.to_lowercase();
            if !is_stop_word(&word) {
                all.push(singular(word));
            }
        }
    }
    all
}

/// The parts of the identifiers of a text, in order, as they are written.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let (part, after) = rest.split_at(part_length(rest));
            rest = after;
            Some(part).filter(|part| !part.is_empty())
        })
    })
}

/// Is it a function word of English, in lower case?
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

/// How many bytes the first part of an identifier has: `HTTP` of `HTTPServer`, `get` of `getTicker`, `v` of `v2`.
fn part_length(run: &str) -> usize {
    let mut all = run.char_indices().peekable();
    let Some((_, mut last)) = all.next() else { return 0 };
    while let Some((at, next)) = all.next() {
        let is_end = match (class(last), class(next)) {
            (Class::Upper, Class::Upper) => {
                // The last capital of several begins the word behind them.
                all.peek().is_some_and(|(_, after)| class(*after) == Class::Lower)
            }
            (Class::Upper, Class::Lower) => false,
            (one, other) => one != other,
        };
        if is_end {
            return at;
        }
        last = next;
    }
    run.len()
}

#[derive(PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Unspaced,
}

fn class(c: char) -> Class {
    if has_no_spaces(c) {
        Class::Unspaced
    } else if c.is_numeric() {
        Class::Digit
    } else if c.is_uppercase() {
        Class::Upper
    } else {
        Class::Lower
    }
}

/// Is it of a script that puts no spaces between words?
fn has_no_spaces(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Every two neighbours; a character that has none, alone.
fn neighbours(part: &str) -> Vec<String> {
    let all: Vec<char> = part.chars().collect();
    match &all[..] {
        [only] => vec![only.to_string()],
        all => all.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

/// Behind these sounds a plural takes `-es`.
const ES: [&str; 5] = ["sses", "shes", "ches", "xes", "zzes"];

/// An English plural as its singular. Endings of verbs stay: taking off `-ing` and `-ed` too found no more of the right
/// tools (dev/bench/TOOL_SEARCH.md).
fn singular(mut word: String) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word;
    }
    if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ES.iter().any(|end| word.ends_with(end)) && word != "caches" {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn m21_identifiers_are_read_in_their_parts() {
        let cases = [
            ("getTickerInfo", "get ticker info"),
            ("list_commits_v2", "list commit v 2"),
            ("HTTPServer", "http server"),
            ("get-station-code-by-names", "get station code name"),
            ("OAuth2Token", "o auth 2 token"),
            ("mcp__git__log", "mcp git log"),
            ("Lists of the queries, classes and status", "list query class status"),
            ("searches branches, patches, boxes and caches", "search branch patch box cache"),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
        assert_eq!(words("搜索网页"), ["搜索", "索网", "网页"]);
        assert_eq!(words("bing搜 Größe"), ["bing", "搜", "größe"]);
    }

    proptest! {
        #[test]
        fn m21_no_text_makes_the_tokeniser_panic_and_words_are_read_alike(text in "\\PC{0,64}") {
            let first = words(&text);
            prop_assert_eq!(&first, &words(&text));
            prop_assert!(first.iter().all(|word| !word.is_empty()));
        }

        #[test]
        fn m21_case_at_the_start_and_what_stands_between_words_do_not_matter(parts in prop::collection::vec("[a-z]{4,9}", 1..5)) {
            let titled = |part: &String| part[..1].to_uppercase() + &part[1..];
            let camel: String = parts.iter().map(titled).collect();
            let plain = words(&parts.join(" "));
            // A function word inside a name is dropped in either.
            prop_assert_eq!(words(&camel), plain.clone());
            prop_assert_eq!(words(&parts.join("_")), plain);
        }
    }
}
