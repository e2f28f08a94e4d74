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

mod thinned_numbers;

pub(crate) use thinned_numbers::ThinnedNumbers;

use crate::fidelity::Fidelity;
use crate::lines::{self, LineOffsets};
use crate::nature::Nature;
use crate::stage::{Stage, StageContext, StageOutput};
use crate::whole_lines::whole_lines;
use std::iter::repeat_n;

pub(crate) const SIGNATURE: &str = "[Forge lines ";
/// Ten is what people count by: the last digit says how far a line is from the number above it.
const EVERY: u32 = 10;
const FEWEST_LINES: u32 = 6;
/// A client puts no more than this before the first line that it numbers; further down, numbers are the file's.
const LONGEST_HEADING: usize = 4;
/// Wider than any column, and its largest number is no trouble to count on from.
const WIDEST: usize = 9;

/// The line-number column that a client or a command puts before the lines of a file. Elsewhere it is data.
pub(super) struct LineNumbers;

impl Stage for LineNumbers {
    fn name(&self) -> &'static str {
        "line_numbers"
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Lossless
    }

    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        let command = subject.context.command.as_ref();
        let reads = subject.settings.model_class.reads();
        match subject.nature {
            _ if !reads.includes(self.name()) => false,
            Nature::File => true,
            Nature::Excerpt => command.is_some_and(|command| command.numbers_lines()),
            Nature::Diff | Nature::Plain => false,
        }
    }

    fn apply(&self, text: &str, _: &StageContext<'_>) -> Option<StageOutput> {
        encode(text).map(Into::into)
    }

    fn has_written(&self, text: &str) -> bool {
        has_column(text)
    }

    fn decode(&self, text: &str) -> Option<String> {
        decode(text)
    }
}

/// Whether a text has columns of line numbers that are worth thinning.
#[must_use]
pub fn has_line_numbers(text: &str) -> bool {
    encode(text).is_some()
}

/// Does a line announce a run that [`encode`] thinned?
fn has_column(text: &str) -> bool {
    lines::split_lines(text).any(|line| line.starts_with(SIGNATURE))
}

/// The text with its line-number columns thinned; `None` if it has none worth it.
///
/// ```
/// use tokenforge_engine::internals::numbers::{decode, encode};
///
/// let read: String = (1..=30).map(|n| format!("{n:6}→let x{n} = {n};\n")).collect();
/// let thinned = encode(&read).unwrap();
/// assert!(thinned.starts_with("[Forge lines 1-30, every 10th numbered]\n     1→let x1 = 1;\nlet x2 = 2;\n"));
/// assert_eq!(decode(&thinned).as_deref(), Some(&*read));
/// ```
pub fn encode(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut lines = LineOffsets::new(text);
    let (mut before, mut unnumbered) = ("", 0);
    while let Some((start, line)) = lines.next() {
        if line.starts_with(SIGNATURE) || copied == 0 && unnumbered > LONGEST_HEADING {
            return None;
        }
        let above = std::mem::replace(&mut before, line);
        let Some(column) = NumberColumn::of(line) else {
            unnumbered += 1;
            continue;
        };
        // Under a heading of the same make it is a column of a table.
        let is_data = above.contains(column.separator);
        let run = NumberedRun::from(column, line, &mut lines);
        if run.pays() && !is_data {
            out.reserve(text.len() - copied);
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
    let mut lines = LineOffsets::new(text);
    while let Some((start, line)) = lines.next() {
        let Some(announced) = line.strip_prefix(SIGNATURE) else { continue };
        out.push_str(text.get(copied..start)?);
        let run_start = lines.offset();
        let (_, first) = lines.clone().next()?;
        let run = NumberedRun::from_announcement(announced, first)?;
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
struct NumberColumn<'a> {
    number: u32,
    /// Numbers are padded on the left to this many characters.
    width: usize,
    zeros: bool,
    separator: &'a str,
}

impl<'a> NumberColumn<'a> {
    /// The column a line starts with. A space after `:` or `|` is not taken to belong to it yet.
    fn of(line: &'a str) -> Option<Self> {
        let blanks = line.bytes().take_while(|&byte| byte == b' ').count();
        let digits = line.bytes().skip(blanks).take_while(u8::is_ascii_digit).count();
        let width = blanks + digits;
        let number = line.get(blanks..width).filter(|_| width <= WIDEST)?;
        let rest = line.get(width..)?;
        let separators = ["→", "\t", "|", " |", ":", "  "];
        let separator = separators.into_iter().find(|&separator| rest.starts_with(separator))?;
        let zeros = blanks == 0 && number.len() > 1 && number.starts_with('0');
        let separator = rest.get(..separator.len())?;
        Some(Self { number: number.parse().ok()?, width, zeros, separator })
    }

    /// Writes the column as line `number` has it.
    fn write(&self, number: u32, out: &mut String) {
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(number);
        let padding = if self.zeros { '0' } else { ' ' };
        out.extend(repeat_n(padding, self.width.saturating_sub(digits.len())));
        out.push_str(digits);
        out.push_str(self.separator);
    }

    /// May a space that follows the separator be part of the column?
    fn may_have_space(&self) -> bool {
        self.separator.ends_with([':', '|'])
    }
}

/// Lines numbered one after another in the same way.
#[derive(Debug)]
struct NumberedRun<'a> {
    column: NumberColumn<'a>,
    first: u32,
    last: u32,
    /// Bytes of the columns that go away.
    removed: usize,
    /// A space follows the separator on the first line but not on all: it is text.
    space_is_text: bool,
}

impl<'a> NumberedRun<'a> {
    /// Reads on from the run's first line for as long as the numbers go on.
    fn from(column: NumberColumn<'a>, first: &'a str, lines: &mut LineOffsets<'a>) -> Self {
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
        if space_is_text {
            run.space_is_text = true;
        } else {
            run.take_space(first);
        }
        run
    }

    /// The run that an announcement (behind its signature) and the line after it describe.
    fn from_announcement(announced: &str, first_line: &'a str) -> Option<Self> {
        let (first, rest) = announced.split_once('-')?;
        let (last, rest) = rest.split_once(',')?;
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        let column = NumberColumn::of(first_line).filter(|column| column.number == first)?;
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
        let form = if self.space_is_text {
            format!(" as N{}text", self.column.separator)
        } else {
            String::new()
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
        let bare = NumberColumn { width: 0, ..self.column };
        let mut column = String::new();
        let mut lines = whole_lines(text);
        out.push_str(lines.next()?);
        for (number, line) in (self.first + 1..).zip(lines) {
            column.clear();
            self.column.write(number, &mut column);
            if self.shows(number) {
                bare.write(number, out);
            }
            let text = line.strip_prefix(&*column)?;
            // A file may quote our words. Without its number such a line would be taken for ours.
            if text.starts_with(crate::SIGNATURE) && !self.shows(number) {
                return None;
            }
            out.push_str(text);
        }
        Some(())
    }

    /// Writes the thinned lines with all their columns.
    fn fill(&self, text: &str, out: &mut String) -> Option<()> {
        let bare = NumberColumn { width: 0, ..self.column };
        let mut shown = String::new();
        let mut lines = whole_lines(text);
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
