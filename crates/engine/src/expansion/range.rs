//! A range of lines, as a person or a model writes it: `20-80`.

use super::SelectionError;
use std::str::FromStr;

/// The lines from one to another, both included, counted from 1. A range may reach beyond the last line.
///
/// ```
/// use tokenforge_engine::expansion::LineRange;
///
/// assert_eq!("7".parse(), "7-7".parse::<LineRange>());
/// assert!("80-20".parse::<LineRange>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    first: usize,
    last: usize,
}

impl LineRange {
    /// The number of the first line.
    pub fn first(self) -> usize {
        self.first
    }

    /// These lines of a text, with their line ends.
    pub(super) fn cut_from(self, text: &str) -> Result<&str, SelectionError> {
        let mut lines = text.split_inclusive('\n');
        let before = lines.by_ref().take(self.first - 1);
        let (count, start) = before.fold((0, 0), |(count, at), line| (count + 1, at + line.len()));
        let wanted = self.last - self.first + 1;
        let length: usize = lines.take(wanted).map(str::len).sum();
        if length == 0 {
            return Err(SelectionError::BeyondEnd { first: self.first, lines: count });
        }
        Ok(&text[start..start + length])
    }
}

impl FromStr for LineRange {
    type Err = SelectionError;

    fn from_str(given: &str) -> Result<Self, SelectionError> {
        let number = |text: &str| -> Option<usize> {
            let text = text.trim();
            // A number beyond all lines means the last one; anything but digits means nothing.
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().unwrap_or(usize::MAX - 1))
        };
        let range = match given.split_once('-') {
            Some((first, last)) if last.trim().is_empty() => {
                number(first).zip(Some(usize::MAX - 1))
            }
            Some((first, last)) => number(first).zip(number(last)),
            None => number(given).map(|line| (line, line)),
        };
        range
            .filter(|(first, last)| 1 <= *first && first <= last)
            .map(|(first, last)| Self { first, last })
            .ok_or_else(|| SelectionError::BadRange { given: given.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\r\ntwo\n\nfour";

    fn cut(range: &str) -> Result<&'static str, SelectionError> {
        range.parse::<LineRange>()?.cut_from(TEXT)
    }

    #[test]
    fn lines_keep_their_ends() {
        assert_eq!(cut("1-1"), Ok("one\r\n"));
        assert_eq!(cut("2-3"), Ok("two\n\n"));
        assert_eq!(cut(" 3 - 4 "), Ok("\nfour"));
        assert_eq!(cut("4"), Ok("four"));
        assert_eq!(cut("2-"), Ok("two\n\nfour"));
    }

    #[test]
    fn a_range_is_clamped_to_the_last_line() {
        assert_eq!(cut("4-900"), Ok("four"));
        assert_eq!(cut("1-99999999999999999999999"), Ok(TEXT));
    }

    #[test]
    fn a_range_behind_the_last_line_says_how_many_there_are() {
        assert_eq!(cut("5-6"), Err(SelectionError::BeyondEnd { first: 5, lines: 4 }));
        let range: LineRange = "1-2".parse().unwrap();
        assert_eq!(range.cut_from(""), Err(SelectionError::BeyondEnd { first: 1, lines: 0 }));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for given in
            ["", "-", "0-3", "0", "3-2", "a-b", "1-2-3", "-5", "+1-2", "1..2", "1,2", "１-２"]
        {
            let error = SelectionError::BadRange { given: given.to_owned() };
            assert_eq!(given.parse::<LineRange>(), Err(error));
        }
    }
}
