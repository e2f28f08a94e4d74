//! The words of the notation, shared by what writes it and what reads it.

use std::fmt::Write as _;

/// Starts every text of this notation.
pub(super) const SIGNATURE: &str = "[Forge templates: ";

/// Starts a line that is no row.
pub(super) const LITERAL: &str = "= ";

/// Templates have short names: `A` to `Z`, then `AA` to `ZZ`.
pub(super) const MAX_TEMPLATES: usize = 26 + 26 * 26;

/// The signs a text is written with: some that do not occur where they would be read as signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signs {
    /// A value's place in a template.
    pub(super) hole: &'static str,
    /// A value that is in the row above.
    pub(super) ditto: &'static str,
}

impl Signs {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        HOLES.iter().flat_map(|hole| DITTOS.iter().map(|ditto| Self { hole, ditto }))
    }

    /// The first line: what the notation means.
    pub(super) fn legend(self) -> String {
        let Self { hole, ditto } = self;
        let mut legend = String::from(SIGNATURE);
        let _ = write!(
            legend,
            "\"A= ...\" is a line with {hole} for what varies; each row below it gives the {hole} values in order \
             ({ditto}: as in the row above, {ditto}9: as above but with that ending). \"A ...\" is a row of A again, \
             \"= ...\" a line as it was]"
        );
        legend
    }
}

pub(super) const HOLES: [&str; 4] = ["*", "<*>", "{}", "\u{2026}"];
pub(super) const DITTOS: [&str; 4] = ["~", "^", "\"", "\u{2026}"];

/// The name of the template with this number.
pub(super) fn name(id: usize) -> String {
    let letter = |n: usize| char::from(b'A' + (n % 26) as u8);
    match id.checked_sub(26) {
        None => letter(id).to_string(),
        Some(id) => [letter(id / 26), letter(id)].iter().collect(),
    }
}

/// The number of the template with this name.
pub(super) fn number(name: &str) -> Option<usize> {
    let digit = |byte: u8| byte.is_ascii_uppercase().then(|| usize::from(byte - b'A'));
    match *name.as_bytes() {
        [one] => digit(one),
        [one, two] => Some(26 + digit(one)? * 26 + digit(two)?),
        _ => None,
    }
}

/// The template among the first `known` that a line names at its start, and what follows the name.
pub(super) fn named(line: &str, known: usize) -> Option<(usize, &str)> {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    number(name).filter(|&id| id < known).map(|id| (id, rest))
}

/// The text of the template that a line defines, if it is the one after the first `known`.
pub(super) fn defined(line: &str, known: usize) -> Option<&str> {
    let (name, text) = line.split_once("= ")?;
    (number(name)? == known).then_some(text)
}

/// The part of a time that a row above may share with it: everything up to the last group that differs.
/// Only for values of digits with colons, or seconds with a fraction, of equal length.
pub(super) fn clock(value: &str) -> bool {
    let mut colons = 0;
    let mut points = 0;
    for byte in value.bytes() {
        match byte {
            b'0'..=b'9' => {}
            b':' => colons += 1,
            b'.' | b',' => points += 1,
            _ => return false,
        }
    }
    match value.find(|c: char| !c.is_ascii_digit()) {
        Some(1 | 2) => colons > 0,
        Some(9..=11) => colons == 0 && points == 1,
        _ => false,
    }
}
