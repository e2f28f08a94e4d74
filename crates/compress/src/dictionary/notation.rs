//! The printed form of a dictionary: written and read back.
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

use std::ops::Range;

use memchr::memmem;

use super::{DecodeError, MAX_ENTRIES};

/// What the two printed forms differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) header: &'static str,
    letter: char,
}

pub(super) const LZW: Style = Style { header: "[Forge LZW Dictionary]\n", letter: 'F' };
pub(super) const REPAIR: Style = Style { header: "[Forge RePair Dictionary]\n", letter: 'R' };

/// Characters that are escaped in an entry, and the letters that stand for them.
const ESCAPES: [(char, char); 4] = [('"', '"'), ('\\', '\\'), ('\n', 'n'), ('\r', 'r')];

/// How markers look in one dictionary.
pub(super) struct Notation {
    style: Style,
    /// What every marker begins with: `<<F1:`.
    opening: String,
}

impl Notation {
    fn new(style: Style, salt: usize) -> Self {
        Notation { style, opening: format!("<<{}{salt}:", style.letter) }
    }

    /// The notation whose markers cannot be mistaken for anything in the text.
    pub(super) fn unlike(text: &str, style: Style) -> Self {
        let stem = format!("<<{}", style.letter);
        let mut salts: Vec<usize> = memmem::find_iter(text.as_bytes(), &stem)
            .filter_map(|at| number(&text[at + stem.len()..], ":"))
            .map(|(salt, _)| salt)
            .collect();
        salts.sort_unstable();
        let salt = salts.iter().fold(1, |free, &salt| if salt == free { free + 1 } else { free });
        Notation::new(style, salt)
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

    /// Does an entry that occurs so often save that many bytes?
    pub(super) fn saves(&self, entry: usize, text: &str, occurrences: usize, bytes: usize) -> bool {
        let before = occurrences * text.len();
        let after = occurrences * self.marker(entry).len() + self.entry(entry, text).len();
        before >= after + bytes
    }

    /// Writes the dictionary: the header, the entries, and the text with the places of each entry replaced.
    /// `places` are in the order of the text and name the entry by its index.
    pub(super) fn write(
        &self,
        text: &str,
        entries: &[&str],
        places: &[(Range<usize>, usize)],
    ) -> String {
        let mut out = String::with_capacity(text.len());
        out.push_str(self.style.header);
        for (index, entry) in entries.iter().enumerate() {
            out.push_str(&self.entry(index + 1, entry));
        }
        let markers: Vec<String> =
            (1..=entries.len()).map(|number| self.marker(number)).collect();
        let mut rest = 0;
        for (place, entry) in places {
            out.push_str(&text[rest..place.start]);
            out.push_str(&markers[*entry]);
            rest = place.end;
        }
        out.push_str(&text[rest..]);
        out
    }
}

/// The style whose header a text begins with, and what follows it.
pub(super) fn open(text: &str) -> Option<(Style, &str)> {
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

/// Reads a dictionary and writes its text out, if that has no more than `max_output` bytes.
pub(super) fn read(text: &str, max_output: usize) -> Result<String, DecodeError> {
    let (style, entries) = open(text).ok_or(DecodeError::NoHeader)?;
    let (salt, _) = entries
        .strip_prefix("<<")
        .and_then(|rest| number(rest.strip_prefix(style.letter)?, ":"))
        .ok_or(DecodeError::NoEntry)?;
    let notation = Notation::new(style, salt);
    let (entries, body) = read_entries(entries, &notation)?;
    expand(body, &entries, &notation, max_output)
}

/// The entries, and the body after them.
fn read_entries<'t>(
    mut rest: &'t str,
    notation: &Notation,
) -> Result<(Vec<String>, &'t str), DecodeError> {
    let mut entries = Vec::new();
    while entries.len() < MAX_ENTRIES {
        let number = entries.len() + 1;
        let marker = notation.marker(number);
        let Some(quoted) = rest.strip_prefix(&marker).and_then(|rest| rest.strip_prefix(" = \""))
        else {
            break;
        };
        let (entry, after) = unquote(quoted).ok_or(DecodeError::BadEntry { number })?;
        if entry.is_empty() || memmem::find(entry.as_bytes(), notation.opening.as_bytes()).is_some()
        {
            return Err(DecodeError::BadEntry { number });
        }
        entries.push(entry);
        rest = after;
    }
    if entries.is_empty() { Err(DecodeError::NoEntry) } else { Ok((entries, rest)) }
}

/// The text of an entry that begins after its opening quote, and what follows its line.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut entry = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some((entry, characters.as_str().strip_prefix('\n')?)),
            '\\' => {
                let letter = characters.next()?;
                entry.push(ESCAPES.iter().find(|(_, escape)| *escape == letter)?.0);
            }
            '\n' | '\r' => return None,
            character => entry.push(character),
        }
    }
}

/// The body with every marker replaced by its entry.
fn expand(
    body: &str,
    entries: &[String],
    notation: &Notation,
    max_output: usize,
) -> Result<String, DecodeError> {
    let mut out = String::new();
    let mut push = |piece: &str| {
        if piece.len() > max_output - out.len() {
            return Err(DecodeError::TooLarge { limit: max_output });
        }
        out.push_str(piece);
        Ok(())
    };
    let mut rest = body;
    while let Some(at) = memmem::find(rest.as_bytes(), notation.opening.as_bytes()) {
        push(&rest[..at])?;
        let marker = &rest[at + notation.opening.len()..];
        let (entry, after) = number(marker, ">>")
            .and_then(|(number, after)| Some((entries.get(number - 1)?, after)))
            .ok_or_else(|| DecodeError::UnknownMarker { offset: body.len() - rest.len() + at })?;
        push(entry)?;
        rest = after;
    }
    push(rest)?;
    Ok(out)
}

/// A number from 1 on as we write it, the `end` behind it, and what follows.
fn number<'t>(text: &'t str, end: &str) -> Option<(usize, &'t str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = text[digits..].strip_prefix(end)?;
    if text.starts_with('0') {
        return None;
    }
    Some((text[..digits].parse().ok()?, after))
}
