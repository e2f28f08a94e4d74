//! A pattern: the columns that rows have in common, and stars for those that are a row's own.

use std::fmt;

use crate::lexeme;
use crate::weight::weight;

/// The columns of a kind of row; `None` is a star.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern<'a> {
    columns: Vec<Option<&'a str>>,
    /// About how many tokens a row saves.
    weight: usize,
}

const STAR: &str = " *";

impl<'a> Pattern<'a> {
    pub(super) fn new(columns: Vec<Option<&'a str>>) -> Self {
        let weight = columns.iter().flatten().map(|column| weight(column)).sum();
        Self { columns, weight }
    }

    /// Reads a pattern as [`Display`](fmt::Display) writes it.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let column = |column: &'a str| (column != STAR && column != "*").then_some(column);
        let columns: Vec<_> = fields(text, usize::MAX).map(column).collect();
        (!columns.is_empty()).then(|| Self::new(columns))
    }

    /// About how many tokens a row saves.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// Is a line of these columns a row of this kind?
    pub(super) fn matches(&self, line: &[&str]) -> bool {
        let equal = |(own, column): (&Option<&str>, &&str)| own.is_none_or(|own| own == *column);
        self.columns.len() == line.len() && self.columns.iter().zip(line).all(equal)
    }

    /// Writes what `line` has in the place of the stars.
    pub(super) fn write_own(&self, line: &str, out: &mut String) {
        let stars = fields(line, self.columns.len()).zip(&self.columns).enumerate();
        for (index, (field, _)) in stars.filter(|(_, (_, column))| column.is_none()) {
            // The first column has no blank before it that would part it from the letter.
            out.push_str(if index == 0 { " " } else { "" });
            out.push_str(field);
        }
    }

    /// Writes the row that has `own` in the place of the stars.
    pub(super) fn write_whole(&self, own: &str, out: &mut String) -> Option<()> {
        let stars = self.columns.iter().filter(|column| column.is_none()).count();
        let own = match self.columns.first()? {
            None => own.strip_prefix(' ')?,
            Some(_) => own,
        };
        let mut fields = fields(own, stars);
        for column in &self.columns {
            out.push_str(match column {
                Some(column) => column,
                None => fields.next()?,
            });
        }
        fields.next().is_none().then_some(())
    }
}

impl fmt::Display for Pattern<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (index, column) in self.columns.iter().enumerate() {
            let star = if index == 0 { STAR.trim_start() } else { STAR };
            f.write_str(column.unwrap_or(star))?;
        }
        Ok(())
    }
}

/// May this column be part of a pattern, or would some of it be taken for a star?
pub(super) fn may_repeat(column: &str) -> bool {
    column.split([' ', '\t']).all(|word| word != STAR.trim_start())
}

/// The first `most` columns of a line, each with the blanks before it; the last takes the rest of the line.
pub(super) fn fields(line: &str, most: usize) -> impl Iterator<Item = &str> {
    let mut rest = line;
    let mut left = most;
    std::iter::from_fn(move || {
        if rest.is_empty() || left == 0 {
            return None;
        }
        left -= 1;
        let blanks = rest.bytes().take_while(is_blank).count();
        let word = word(&rest.as_bytes()[blanks..]);
        let end = if left == 0 { rest.len() } else { blanks + word };
        let (field, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(field)
    })
}

/// The length of the word that a text begins with. A time with its date is one.
fn word(text: &[u8]) -> usize {
    let time = lexeme::timestamp(text).filter(|&end| text.get(end).is_none_or(is_blank));
    time.unwrap_or_else(|| text.iter().take_while(|byte| !is_blank(byte)).count())
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
