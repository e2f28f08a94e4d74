//! A place in a text where something may begin.

/// A place in a text where something may begin.
#[derive(Clone, Copy)]
pub(super) struct ScanPosition<'t> {
    text: &'t [u8],
    /// Where it is.
    pub(super) at: usize,
    /// What is before this byte belongs to something else: an escape, or what was found last.
    floor: usize,
    /// What the text is called, where it is the value of a member.
    name: &'t str,
}

impl<'t> ScanPosition<'t> {
    pub(super) fn new(text: &'t [u8], at: usize, floor: usize, name: &'t str) -> Self {
        Self { text, at, floor, name }
    }

    /// The text from here on.
    pub(super) fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The byte so many before this one, counted from 1.
    pub(super) fn before(&self, count: usize) -> Option<u8> {
        let at = self.at.checked_sub(count).filter(|at| *at >= self.floor)?;
        self.text.get(at).copied()
    }

    /// The word that introduces this place: `Tel` in `Tel.: 030`, or the last word of the member's name.
    pub(super) fn label(&self) -> &'t [u8] {
        const FARTHEST: usize = 4;
        const LONGEST: usize = 12;
        let before = self.text.get(self.floor..self.at).unwrap_or_default();
        let between =
            before.iter().rev().take(FARTHEST).take_while(|byte| b" :=.#'\"(".contains(byte));
        match &before[..before.len() - between.count()] {
            [] => last_word(self.name.as_bytes()),
            before => {
                let letters =
                    before.iter().rev().take(LONGEST).take_while(|byte| byte.is_ascii_alphabetic());
                &before[before.len() - letters.count()..]
            }
        }
    }

    /// Is the label one of these? They are given in small letters.
    pub(super) fn is_labelled(&self, words: &[&str]) -> bool {
        let label = self.label();
        words.iter().any(|word| label.eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// `phone` in `workPhone`, `work_phone` and `phone_number`.
fn last_word(name: &[u8]) -> &[u8] {
    const NUMBER: usize = "number".len();
    let is_number = |end: &[u8]| end.eq_ignore_ascii_case(b"number");
    let name = match name.split_last_chunk::<NUMBER>() {
        Some((before, end)) if is_number(end) => before.strip_suffix(b"_").unwrap_or(before),
        _ => name,
    };
    let is_begin = |at: &usize| !name[*at].is_ascii_alphabetic() || name[*at].is_ascii_uppercase();
    match (0..name.len()).rev().find(is_begin) {
        Some(at) if name[at].is_ascii_alphabetic() => &name[at..],
        Some(at) => &name[at + 1..],
        None => name,
    }
}

/// May this byte be part of a word or a number?
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes there are at the beginning of which this holds, up to a limit.
pub(super) fn run(bytes: &[u8], limit: usize, holds: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take(limit).take_while(|byte| holds(**byte)).count()
}
