//! The words of the notation, shared by what writes it and what reads it.

use crate::lexeme;
use memchr::memchr;

/// Starts every text of this notation.
pub(super) const SIGNATURE: &str = "[Forge templates: ";

/// Starts a line that is no row.
pub(super) const LITERAL: &str = "= ";

/// No longer text is written or read in this notation: a few rows can stand for a very long one.
pub(super) const MAX_TEXT: usize = 64 << 20;

/// Templates have short names: `A` to `Z`, then `AA` to `ZZ`.
pub(super) const MAX_TEMPLATES: usize = 26 + 26 * 26;

/// What may be a value's place in a template.
pub(super) const HOLES: [&str; 4] = ["*", "<*>", "{}", "\u{2026}"];
/// What may stand for a value that is in the row above.
pub(super) const DITTOS: [&str; 4] = ["~", "^", "\"", "\u{2026}"];
/// What may stand before the column up to which a blank reaches.
pub(super) const BLANKS: [&str; 3] = ["\u{2192}", "\u{21e5}", "\u{27f6}"];

/// The signs of one text: some that do not occur where they would be read as signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotationSigns {
    pub(super) hole: &'static str,
    /// Only where a value is in the row above.
    pub(super) ditto: Option<&'static str>,
    /// Only where a template has such a blank.
    pub(super) blank: Option<&'static str>,
}

impl NotationSigns {
    /// The signs that a legend announces.
    pub(super) fn read(legend: &str) -> Option<Self> {
        let dittos = || std::iter::once(None).chain(DITTOS.map(Some));
        let blanks = || std::iter::once(None).chain(BLANKS.map(Some));
        let signs = HOLES.iter().flat_map(|hole| dittos().map(move |ditto| (hole, ditto)));
        let mut signs =
            signs.flat_map(|(hole, ditto)| blanks().map(move |blank| Self { hole, ditto, blank }));
        signs.find(|signs| signs.legend() == legend)
    }

    /// The first line: what the notation means.
    pub(super) fn legend(self) -> String {
        let hole = self.hole;
        let ditto = self.ditto.map(|it| format!("; {it} as above")).unwrap_or_default();
        let blank =
            self.blank.map(|it| format!("; {it}9 fills up to column 9")).unwrap_or_default();
        format!(
            "{SIGNATURE}\"A= ...\" is a line with {hole} for what varies, rows below it give only those values; \
             \"A ...\" is a row of A again, \"= ...\" begins plain lines{ditto}{blank}]"
        )
    }
}

/// The first value of a row, and what follows the space behind it. Of all values only times contain spaces.
pub(super) fn split_cell(row: &str) -> Option<(&str, &str)> {
    let time = lexeme::timestamp(row.as_bytes());
    let time = time.filter(|&end| row.as_bytes().get(end) == Some(&b' '));
    let at = time.or_else(|| memchr(b' ', row.as_bytes()))?;
    Some((row.get(..at)?, row.get(at + 1..)?))
}

/// The name of the template with this number.
pub(super) fn template_name(id: usize) -> impl Iterator<Item = char> {
    let letter = |n: usize| char::from(b'A' + (n % 26) as u8);
    let (first, second) = match id.checked_sub(26) {
        None => (letter(id), None),
        Some(id) => (letter(id / 26), Some(letter(id))),
    };
    [first].into_iter().chain(second)
}

/// The number of the template with this name.
fn number(name: &str) -> Option<usize> {
    let digit = |byte: u8| byte.is_ascii_uppercase().then(|| usize::from(byte - b'A'));
    match *name.as_bytes() {
        [one] => digit(one),
        [one, two] => Some(26 + digit(one)? * 26 + digit(two)?),
        _ => None,
    }
}

/// The template among the first `known` that a line names at its start, and what follows the name.
pub(super) fn named_template(line: &str, known: usize) -> Option<(usize, &str)> {
    let (name, rest) = line.split_at_checked(
        line.bytes().take(3).position(|byte| byte == b' ').unwrap_or(line.len()),
    )?;
    let id = number(name).filter(|&id| id < known)?;
    Some((id, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// The text of the template that a line defines, if it is the one after the first `known`.
pub(super) fn defined_template(line: &str, known: usize) -> Option<&str> {
    let at = line.bytes().take(3).position(|byte| byte == b'=')?;
    let (name, text) = line.split_at_checked(at)?;
    let text = text.strip_prefix(LITERAL)?;
    (number(name)? == known).then_some(text)
}
