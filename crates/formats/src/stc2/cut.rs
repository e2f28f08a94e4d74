//! Where a string may be cut: never inside a word, name, number or timestamp, because a reader would have to join its parts, and
//! models at work did not.

use super::cost::is_word;

/// May what stands before `at` in a text, and what stands behind it, be written in two places?
///
/// Every prefix, suffix and text around a source ends where this says yes; `spec/stc2.md`, "Cuts", is the same rule in words.
pub(super) fn is_allowed(text: &[u8], at: usize) -> bool {
    at == 0 || at >= text.len() || !is_in_name(text, at) && !is_between_time_parts(text, at)
}

/// Is the byte at `at` one that joins words to one name or number? `kube-proxy`, `a.rs`, `2020-12-01T20:29:04.3Z`, `x@y.org`,
/// `1e+9`. An apostrophe is as often a quotation mark, and joins letters on both sides only: `don't`.
fn joins(text: &[u8], at: usize) -> bool {
    let is_word_at = |at: usize| text.get(at).copied().is_some_and(is_word);
    match text.get(at) {
        Some(b'_' | b'-' | b'.' | b':' | b'@' | b'+' | b'%' | b'~') => true,
        Some(b'\'') => at > 0 && is_word_at(at - 1) && is_word_at(at + 1),
        _ => false,
    }
}

/// Does a name go on from one side to the other? A sign that no name follows ends none: `a:` in `a://b`.
fn is_in_name(text: &[u8], at: usize) -> bool {
    let is_name = |at: usize| text.get(at).copied().is_some_and(is_word) || joins(text, at);
    let goes_on = || is_word(text[at]) || joins(text, at - 1) || is_name(at + 1);
    is_name(at - 1) && is_name(at) && goes_on()
}

/// Between the parts of a timestamp or number stand no more bytes than these, on either side of a cut.
const LONGEST_GAP: usize = 3;

/// Are the words around `at` both parts of one timestamp or number? `2020-12-01 20:29`, `4 Dec 2020`, `1,234`, `3 / 12`.
fn is_between_time_parts(text: &[u8], at: usize) -> bool {
    let is_gap = |byte: &&u8| b" ,/()_-.:@+%~".contains(byte);
    let left = text[..at].iter().rev().take(LONGEST_GAP).take_while(is_gap).count();
    let right = text[at..].iter().take(LONGEST_GAP).take_while(is_gap).count();
    let (before, after) = (&text[..at - left], &text[at + right..]);
    let start = before.iter().rposition(|byte| !is_word(*byte)).map_or(0, |sign| sign + 1);
    let end = after.iter().position(|byte| !is_word(*byte)).unwrap_or(after.len());
    is_time_part(&before[start..]) && is_time_part(&after[..end])
}

/// The words of timestamps. Those of months and weekdays are also written with three letters.
const TIME_WORDS: [&[u8]; 23] = [
    b"january",
    b"february",
    b"march",
    b"april",
    b"may",
    b"june",
    b"july",
    b"august",
    b"september",
    b"october",
    b"november",
    b"december",
    b"monday",
    b"tuesday",
    b"wednesday",
    b"thursday",
    b"friday",
    b"saturday",
    b"sunday",
    b"gmt",
    b"utc",
    b"am",
    b"pm",
];

fn is_time_part(word: &[u8]) -> bool {
    let is_name = |name: &&[u8]| {
        let short = name.get(..3).unwrap_or(name);
        word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(short)
    };
    word.first().is_some_and(u8::is_ascii_digit) || TIME_WORDS.iter().any(is_name)
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    /// The text with a `|` wherever it may be cut.
    fn cuts(text: &str) -> String {
        let cut = |at: usize| (at > 0 && is_allowed(text.as_bytes(), at)).then_some("|");
        text.char_indices()
            .flat_map(|(at, c)| [cut(at).map(str::to_owned), Some(c.to_string())])
            .flatten()
            .collect()
    }

    #[test]
    fn f20_words_names_numbers_and_timestamps_are_never_cut() {
        for whole in [
            "2020-12-01T20:29:04.3Z",
            "2020-12-01 20:29:04 +0000",
            "Thu, 04 Dec 2020 10:00:00 GMT",
            "04/Dec/2020:10:00:00",
            "2020/12/01",
            "12:30 PM",
            "1,234,567.89",
            "-5",
            "1e+9",
            "10.0.0.1:8080",
            "kube-proxy-9drwg",
            "snake_case",
            "CVE-2019-1559",
            "sha256:4afb99",
            "musl@1.1.22-r3",
            "x.y@z.org",
            "a.rs",
            "don't",
            "été",
            "+55 (11) 91234-5678",
        ] {
            assert_eq!(cuts(whole), whole);
        }
    }

    #[test]
    fn f20_texts_are_cut_around_the_signs_between_names() {
        for marked in [
            "https|:|/|/|api.x.org|/|repos|/|1|?|p|=|2",
            "src|/|main.rs",
            "arn:aws:iam::12:role|/|x",
            "Upgrade| |musl| |to| |1.1",
            "10| |of| |the| |files",
            "done|.| |Next",
            "a| |--all",
            "it's| |'|here|'",
        ] {
            assert_eq!(cuts(&marked.replace('|', "")), marked);
        }
    }
}
