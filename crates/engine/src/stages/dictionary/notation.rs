//! The printed form of a dictionary, and how it is written.
//!
//! ```text
//! [Forge LZW Dictionary]
//! <<F1:1>> = "error: repeated dependency resolution failure"
//! <<F1:1>> in crate alpha
//! ```
//!
//! Entries are numbered from 1. The number before the colon, the salt, is the smallest for which the text itself has
//! nothing that looks like a marker. So whatever looks like one is one, and the first line that does not
//! begin with the next entry's marker begins the body: that marker is never used there.

use memchr::memmem;

use super::lexemes::Lexemes;
use super::repeats::LexemeRepeat;

/// What the two printed forms differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DictionaryStyle {
    pub(super) header: &'static str,
    pub(super) letter: char,
    /// How many line ends an entry may have.
    pub(super) max_newlines: u16,
}

pub(super) const LZW: DictionaryStyle =
    DictionaryStyle { header: "[Forge LZW Dictionary]\n", letter: 'F', max_newlines: 0 };
pub(super) const REPAIR: DictionaryStyle =
    DictionaryStyle { header: "[Forge RePair Dictionary]\n", letter: 'R', max_newlines: 2 };

/// Characters that are escaped in an entry, and the letters that stand for them.
pub(super) const ESCAPES: [(char, char); 4] = [('"', '"'), ('\\', '\\'), ('\n', 'n'), ('\r', 'r')];

/// How markers look in one dictionary.
pub(super) struct DictionaryNotation {
    style: DictionaryStyle,
    /// What every marker begins with: `<<F1:`.
    pub(super) opening: String,
}

impl DictionaryNotation {
    pub(super) fn new(style: DictionaryStyle, salt: usize) -> Self {
        DictionaryNotation { style, opening: format!("<<{}{salt}:", style.letter) }
    }

    /// The notation whose markers cannot be mistaken for anything in the text.
    pub(super) fn unlike(text: &str, style: DictionaryStyle) -> Self {
        let stem = format!("<<{}", style.letter);
        let mut salts: Vec<usize> = memmem::find_iter(text.as_bytes(), &stem)
            .filter_map(|at| number(&text[at + stem.len()..], ":"))
            .map(|(salt, _)| salt)
            .collect();
        salts.sort_unstable();
        let salt = salts.iter().fold(1, |free, &salt| if salt == free { free + 1 } else { free });
        DictionaryNotation::new(style, salt)
    }

    /// The marker of an entry: `<<F1:1>>`.
    pub(super) fn marker(&self, entry: usize) -> String {
        format!("{}{entry}>>", self.opening)
    }

    /// The line of an entry: `<<F1:1>> = "..."`.
    pub(super) fn entry(&self, entry: usize, text: &str) -> String {
        let mut line = format!("{}{entry}>> = \"", self.opening);
        for character in text.chars() {
            match ESCAPES.iter().find(|(raw, _)| *raw == character) {
                Some(&(_, letter)) => line.extend(['\\', letter]),
                None => line.push(character),
            }
        }
        line.push_str("\"\n");
        line
    }

    pub(super) fn header(&self) -> &'static str {
        self.style.header
    }

    pub(super) fn max_newlines(&self) -> u16 {
        self.style.max_newlines
    }

    /// How many bytes an entry saves that occurs so often.
    pub(super) fn saved_bytes(&self, number: usize, entry: &str, occurrences: usize) -> i64 {
        let before = occurrences * entry.len();
        let after = occurrences * self.marker(number).len() + self.entry(number, entry).len();
        before as i64 - after as i64
    }

    /// Writes the dictionary: the header, the entries, and the text with the places of each entry replaced.
    pub(super) fn write(&self, lexemes: &Lexemes, entries: &[LexemeRepeat]) -> String {
        let text = lexemes.whole();
        let mut out = String::with_capacity(text.len());
        out.push_str(self.style.header);
        let mut places = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            out.push_str(&self.entry(index + 1, lexemes.text(entry.first())));
            let marker = self.marker(index + 1);
            places.extend(entry.occurrences().map(|place| (lexemes.span(place), marker.clone())));
        }
        places.sort_unstable_by_key(|(place, _)| place.start);
        let mut rest = 0;
        for (place, marker) in places {
            out.push_str(&text[rest..place.start]);
            out.push_str(&marker);
            rest = place.end;
        }
        out.push_str(&text[rest..]);
        out
    }
}

/// The style whose header a text begins with, and what follows it.
pub(super) fn open(text: &str) -> Option<(DictionaryStyle, &str)> {
    [LZW, REPAIR].into_iter().find_map(|style| Some((style, text.strip_prefix(style.header)?)))
}

/// Does a line of the text begin like one of the headers?
pub(super) fn mentions_header(text: &str) -> bool {
    let at_line_start = |at: usize| at == 0 || matches!(text.as_bytes()[at - 1], b'\n' | b'\r');
    memmem::find_iter(text.as_bytes(), "[Forge ").any(|at| {
        at_line_start(at)
            && [LZW, REPAIR].iter().any(|style| text[at..].starts_with(style.header.trim_end()))
    })
}

/// A number from 1 on as we write it, the `end` behind it, and what follows.
pub(super) fn number<'t>(text: &'t str, end: &str) -> Option<(usize, &'t str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text[digits..].strip_prefix(end)?;
    if text.starts_with('0') {
        return None;
    }
    Some((text[..digits].parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f10_markers_and_entries_are_written_as_printed() {
        let notation = DictionaryNotation::unlike("no marker here", LZW);
        assert_eq!(notation.marker(1), "<<F1:1>>");
        assert_eq!(notation.entry(1, "workspace crate"), "<<F1:1>> = \"workspace crate\"\n");
        let notation = DictionaryNotation::unlike("no marker here", REPAIR);
        assert_eq!(
            notation.entry(20, "a\"b\\c\r\nd\te"),
            "<<R1:20>> = \"a\\\"b\\\\c\\r\\nd\te\"\n"
        );
    }

    #[test]
    fn the_salt_is_the_smallest_that_no_marker_in_the_text_has() {
        let marker = |text| DictionaryNotation::unlike(text, LZW).marker(1);
        assert_eq!(marker("<<F1:1>>"), "<<F2:1>>");
        assert_eq!(marker("<<F3:1>> <<F1:x <<F1:"), "<<F2:1>>");
        assert_eq!(marker("<<F2:9>><<<F1:7>>"), "<<F3:1>>");
        assert_eq!(marker("<<R1:1>> <<F01:1>> <<F1 <<F: <<F"), "<<F1:1>>");
        assert_eq!(marker("<<F99999999999999999999999999:1>>"), "<<F1:1>>");
    }

    #[test]
    fn a_header_counts_at_the_start_of_a_line_only() {
        assert!(mentions_header("a\n[Forge RePair Dictionary] b"));
        assert!(mentions_header("[Forge LZW Dictionary]"));
        assert!(!mentions_header(" [Forge LZW Dictionary]\n[Forge LZ"));
    }
}
