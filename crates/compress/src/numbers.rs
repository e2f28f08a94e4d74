//! Numbered file reads: the column of line numbers thinned to the numbers a reader needs to find any other.
//!
//! ```text
//!      1→fn main() {              [Forge lines 1-46, every 10th numbered]
//!      2→    let a = 1;                  1→fn main() {
//!      3→    let b = 2;      becomes     let a = 1;
//!    ...                              ...
//!     10→}                            10→}
//! ```
//!
//! The file's own text keeps every byte. The first line of a run keeps its column: it shows how all were written, so
//! the announcing line need only say how far the run goes. Every tenth line shows its number without padding.

use std::fmt::Write;

use crate::lines::Lines;

const SIGNATURE: &str = "[Forge lines ";
/// Ten is what people count by: the last digit says how far a line is from the number above it.
const EVERY: u32 = 10;
const FEWEST_LINES: u32 = 6;

/// The text with its line-number columns thinned; `None` if it has none worth it.
///
/// ```
/// use tokenforge_compress::numbers::{decode, encode};
///
/// let read: String = (1..=30).map(|n| format!("{n:6}→let x{n} = {n};\n")).collect();
/// let thinned = encode(&read).unwrap();
/// assert!(thinned.starts_with("[Forge lines 1-30, every 10th numbered]\n     1→let x1 = 1;\nlet x2 = 2;\n"));
/// assert_eq!(decode(&thinned).as_deref(), Some(&*read));
/// ```
pub fn encode(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut lines = Lines::new(text);
    while let Some((start, line)) = lines.next() {
        if line.starts_with(SIGNATURE) {
            return None;
        }
        let Some(column) = Column::of(line) else { continue };
        let run = Run::from(column, line, &mut lines);
        if run.pays() {
            out.push_str(text.get(copied..start)?);
            out.push_str(&run.announcement());
            out.push('\n');
            copied = lines.offset();
            run.thin(text.get(start..copied)?, &mut out)?;
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

/// The text whose columns [`encode`] thinned; `None` if it did not make this text.
pub fn decode(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut copied = 0;
    let mut lines = Lines::new(text);
    while let Some((start, line)) = lines.next() {
        let Some(announced) = line.strip_prefix(SIGNATURE) else { continue };
        out.push_str(text.get(copied..start)?);
        let run_start = lines.offset();
        let (_, first) = lines.clone().next()?;
        let run = Run::announced(announced, first)?;
        for _ in run.first..=run.last {
            lines.next()?;
        }
        copied = lines.offset();
        run.fill(text.get(run_start..copied)?, &mut out)?;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

/// How the number of a line is written before its text.
#[derive(Debug, Clone, Copy)]
struct Column<'a> {
    number: u32,
    /// Numbers are padded on the left to this many characters.
    width: usize,
    zeros: bool,
    separator: &'a str,
}

impl<'a> Column<'a> {
    /// The column a line starts with. A space after `:` or `|` is not taken to belong to it yet.
    fn of(line: &'a str) -> Option<Self> {
        let blanks = line.bytes().take_while(|&byte| byte == b' ').count();
        let digits = line.bytes().skip(blanks).take_while(u8::is_ascii_digit).count();
        let width = blanks + digits;
        let number = line.get(blanks..width).filter(|digits| digits.len() <= 8)?;
        let rest = line.get(width..)?;
        let separators = ["→", "\t", "|", " |", ":", "  "];
        let separator = separators.into_iter().find(|&separator| rest.starts_with(separator))?;
        let zeros = blanks == 0 && number.len() > 1 && number.starts_with('0');
        let separator = rest.get(..separator.len())?;
        Some(Self { number: number.parse().ok()?, width, zeros, separator })
    }

    /// Writes the column as line `number` has it.
    fn write(&self, number: u32, out: &mut String) {
        let Self { width, separator, .. } = self;
        let _ = match self.zeros {
            true => write!(out, "{number:0width$}{separator}"),
            false => write!(out, "{number:width$}{separator}"),
        };
    }

    /// May a space that follows the separator be part of the column?
    fn may_have_space(&self) -> bool {
        self.separator.ends_with([':', '|'])
    }
}

/// Lines numbered one after another in the same way.
#[derive(Debug)]
struct Run<'a> {
    column: Column<'a>,
    first: u32,
    last: u32,
    /// Bytes of the columns that go away.
    removed: usize,
    /// A space follows the separator on the first line but not on all: it is text.
    space_is_text: bool,
}

impl<'a> Run<'a> {
    /// Reads on from the run's first line for as long as the numbers go on.
    fn from(column: Column<'a>, first: &'a str, lines: &mut Lines<'a>) -> Self {
        let (first_number, mut space_is_text) = (column.number, false);
        let mut run =
            Self { column, first: first_number, last: first_number, removed: 0, space_is_text };
        let mut expected = String::new();
        column.write(first_number, &mut expected);
        let has_space = |line: &str, column: &str| line[column.len()..].starts_with(' ');
        let spaced = column.may_have_space() && has_space(first, &expected);
        loop {
            expected.clear();
            column.write(run.last + 1, &mut expected);
            let mut ahead = lines.clone();
            let Some((start, line)) = ahead.next() else { break };
            // Without its column an empty last line that has no newline would be no line at all.
            let vanishes = ahead.offset() == start + line.len() && line.len() <= expected.len() + 1;
            if !line.starts_with(&*expected) || vanishes {
                break;
            }
            *lines = ahead;
            run.last += 1;
            run.removed += if run.shows(run.last) { 0 } else { expected.len() };
            space_is_text |= spaced && !has_space(line, &expected);
        }
        match space_is_text {
            true => run.space_is_text = true,
            false => run.take_space(first),
        }
        run
    }

    /// The run that an announcement (behind its signature) and the line after it describe.
    fn announced(announced: &str, first_line: &'a str) -> Option<Self> {
        let (first, rest) = announced.split_once('-')?;
        let (last, rest) = rest.split_once(',')?;
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        let column = Column::of(first_line).filter(|column| column.number == first)?;
        let mut run = Self { column, first, last, removed: 0, space_is_text: false };
        if rest != run.rest_of_announcement() {
            run.space_is_text = true;
            return (rest == run.rest_of_announcement()).then_some(run);
        }
        run.take_space(first_line);
        Some(run)
    }

    /// Makes the space that follows the separator part of it, if there is one.
    fn take_space(&mut self, first_line: &'a str) {
        let start = self.column.width;
        let end = start + self.column.separator.len() + 1;
        let spaced = first_line.get(start..end).filter(|separator| separator.ends_with(' '));
        if let Some(separator) = spaced.filter(|_| self.column.may_have_space()) {
            self.column.separator = separator;
        }
    }

    fn announcement(&self) -> String {
        format!("{SIGNATURE}{}-{},{}", self.first, self.last, self.rest_of_announcement())
    }

    fn rest_of_announcement(&self) -> String {
        let form = match self.space_is_text {
            true => format!(" as N{}text", self.column.separator),
            false => String::new(),
        };
        format!(" every {EVERY}th numbered{form}]")
    }

    fn pays(&self) -> bool {
        self.last - self.first >= FEWEST_LINES - 1 && self.removed > self.announcement().len() + 1
    }

    /// Does the line with this number show it?
    fn shows(&self, number: u32) -> bool {
        number.is_multiple_of(EVERY)
    }

    /// Writes the numbered lines with their columns thinned.
    fn thin(&self, text: &str, out: &mut String) -> Option<()> {
        let bare = Column { width: 0, ..self.column };
        let mut column = String::new();
        let mut lines = text.split_inclusive('\n');
        out.push_str(lines.next()?);
        for (number, line) in (self.first + 1..).zip(lines) {
            column.clear();
            self.column.write(number, &mut column);
            if self.shows(number) {
                bare.write(number, out);
            }
            out.push_str(line.strip_prefix(&*column)?);
        }
        Some(())
    }

    /// Writes the thinned lines with all their columns.
    fn fill(&self, text: &str, out: &mut String) -> Option<()> {
        let bare = Column { width: 0, ..self.column };
        let mut shown = String::new();
        let mut lines = text.split_inclusive('\n');
        out.push_str(lines.next()?);
        for (number, line) in (self.first + 1..).zip(lines) {
            shown.clear();
            if self.shows(number) {
                bare.write(number, &mut shown);
            }
            self.column.write(number, out);
            out.push_str(line.strip_prefix(&*shown)?);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decode, encode};

    /// A file of `count` lines as a client shows it from line `first` on.
    fn numbered(first: u32, count: u32, column: impl Fn(u32) -> String) -> String {
        let text = ["fn f() {", "", "    let x = \"1: a|b\";", "\ttab", "}", " one space"];
        let line = |n: u32| format!("{}{}\n", column(n), text[n as usize % text.len()]);
        (first..first + count).map(line).collect()
    }

    fn assert_thinned(text: &str) -> String {
        let thinned = encode(text).unwrap_or_else(|| panic!("not thinned: {text}"));
        assert!(thinned.len() < text.len(), "{thinned}");
        assert_eq!(decode(&thinned).as_deref(), Some(text), "{thinned}");
        thinned
    }

    #[test]
    fn every_clients_column_is_thinned_and_comes_back() {
        let columns: [fn(u32) -> String; 9] = [
            |n| format!("{n:6}→"),
            |n| format!("{n:6}\t"),
            |n| format!("{n}\t"),
            |n| format!("{n}: "),
            |n| format!("{n:05}| "),
            |n| format!("{n:3} | "),
            |n| format!("{n}|"),
            |n| format!("{n}:"),
            |n| format!("{n:5}  "),
        ];
        for column in columns {
            for first in [0, 1, 8, 95, 999, 123_456] {
                assert_thinned(&numbered(first, 40, column));
            }
        }
    }

    #[test]
    fn decision_10_file_text_keeps_every_byte_and_its_place() {
        let thinned = assert_thinned(&numbered(1, 25, |n| format!("{n:6}→")));
        let lines: Vec<_> = thinned.lines().collect();
        assert_eq!(lines[0], "[Forge lines 1-25, every 10th numbered]");
        assert_eq!(lines[1], "     1→");
        assert_eq!(lines[2], "    let x = \"1: a|b\";");
        assert_eq!(lines[10], "10→}");
        assert_eq!(lines[11], " one space");
        assert_eq!(lines.len(), 26);
    }

    #[test]
    fn a_space_that_is_text_on_some_lines_is_text_on_all() {
        let view: String =
            (100..160).map(|n| format!("{n}:{}x\n", " ".repeat(n as usize % 3))).collect();
        let thinned = assert_thinned(&view);
        let expected = "[Forge lines 100-159, every 10th numbered as N:text]\n100: x\n  x\nx\n x\n";
        assert!(thinned.starts_with(expected), "{thinned}");
    }

    #[test]
    fn what_stands_around_a_run_stays() {
        let run = numbered(7, 30, |n| format!("{n:6}\t"));
        let text = format!("The file has been updated:\n{run}\n<system-reminder>\nx\n{run}end");
        let thinned = assert_thinned(&text);
        assert_eq!(thinned.matches("[Forge lines 7-36, ").count(), 2);
        assert!(thinned.ends_with("end"));
    }

    #[test]
    fn carriage_returns_and_a_missing_last_newline_survive() {
        let text = numbered(1, 30, |n| format!("{n:6}→")).replace('\n', "\r\n");
        assert_thinned(&text);
        assert_thinned(text.trim_end_matches('\n'));
        for column in ["→", ": "] {
            let read: String = (1..=30).map(|n| format!("{n:6}{column}\n")).collect();
            assert_thinned(read.trim_end_matches('\n'));
        }
        assert_thinned(&numbered(1, 30, |n| format!("{n}: ")).replace('\n', "\r\n"));
    }

    #[test]
    fn lines_that_look_like_the_notation_are_text_inside_a_run_and_a_refusal_outside() {
        let quoted: String =
            (1..30).map(|n| format!("{n:6}→[Forge lines 1-9, every 10th numbered]\n")).collect();
        assert_thinned(&quoted);
        let run = numbered(1, 30, |n| format!("{n:6}→"));
        assert_eq!(encode(&format!("{run}[Forge lines 1-9, every 10th numbered]\n")), None);
    }

    #[test]
    fn short_runs_and_other_numbers_are_left_alone() {
        for text in [
            numbered(1, 4, |n| format!("{n:6}→")),
            numbered(1, 8, |n| format!("{n}\t")),
            (1..40).map(|n| format!("{}:match\n", n * 2)).collect(),
            (1..40).map(|n| format!("{n}. item\n")).collect(),
            "a\n\n\nb\n".into(),
            String::new(),
        ] {
            assert_eq!(encode(&text), None, "{text}");
        }
    }

    #[test]
    fn decode_refuses_what_encode_did_not_write() {
        for text in [
            "[Forge lines 1-9, every 10th numbered]\n",
            "[Forge lines 1-9, every 10th numbered]\n     1→a\nb\n",
            "[Forge lines 1-1, every 7th numbered]\n     1→a\n",
            "[Forge lines 4294967295-4294967295, every 10th numbered]\n4294967295:a\n",
            "[Forge lines 2-1, ]\n",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn l3_thinned_text_comes_back(
            before in "(?s).{0,20}", after in "(?s).{0,20}", first in 0u32..2000, count in 0u32..60,
            style in 0usize..6, cut in 0usize..3000,
        ) {
            let column = |n: u32| match style {
                0 => format!("{n:6}→"),
                1 => format!("{n:6}\t"),
                2 => format!("{n}: "),
                3 => format!("{n:04}|"),
                4 => format!("{n:3} | "),
                _ => format!("{n}:"),
            };
            let mut text = format!("{before}\n{}{after}", numbered(first, count, column));
            if text.is_char_boundary(cut) {
                text.insert(cut.min(text.len()), '\n');
            }
            if let Some(thinned) = encode(&text) {
                prop_assert_eq!(decode(&thinned), Some(text));
            }
        }

        #[test]
        fn l3_any_text_that_encodes_comes_back(text in "([ 0-9]{0,3}[0-9][:|\t→][ a]?\n?){0,60}") {
            if let Some(thinned) = encode(&text) {
                prop_assert_eq!(decode(&thinned), Some(text));
            }
        }

        #[test]
        fn decode_survives_any_text(text in "(\\[Forge lines [0-9]{1,3}-[0-9]{1,3}, every 10th numbered\\]\n)?(?s).{0,60}") {
            let _ = decode(&text);
        }
    }
}
