//! The three ways in which a line and the heading above it make up the original line.

use super::{LineBlock, matches, names};
use memchr::memrchr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingLayout {
    /// The heading and the line.
    Names,
    /// The heading goes before the last column of the line.
    Columns,
    /// The heading is the file, the line starts with a number.
    Matches,
}

impl HeadingLayout {
    /// Of two that are as good the later is used.
    pub(super) const ALL: [Self; 3] = [Self::Columns, Self::Names, Self::Matches];

    /// The lines that are worth writing in this layout.
    pub(super) fn blocks<'a>(self, lines: &[&'a str]) -> Vec<LineBlock<'a>> {
        match self {
            Self::Names => names::blocks(lines, |_| 0),
            Self::Columns => names::blocks(lines, last_column),
            Self::Matches => matches::blocks(lines),
        }
    }

    /// How good it is to write these blocks so: what it saves, and a little more if a reader knows the layout.
    pub(super) fn score(self, blocks: &[LineBlock]) -> usize {
        let saved: usize = blocks.iter().map(|block| block.saved).sum();
        match self {
            Self::Names | Self::Columns => saved,
            Self::Matches => saved + saved / 8,
        }
    }

    /// The line that opens a block.
    pub(super) fn announcement(self) -> String {
        format!("{}{}", self.opening(), self.rule())
    }

    /// The layout that a line announces.
    pub(super) fn from_announcement(line: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|layout| line.strip_prefix(layout.opening()) == Some(layout.rule()))
    }

    fn opening(self) -> &'static str {
        match self {
            Self::Names | Self::Columns => "[Forge paths",
            Self::Matches => "[Forge matches",
        }
    }

    fn rule(self) -> &'static str {
        match self {
            Self::Names => ": a group's first line goes before each line under it]",
            Self::Columns => {
                ": a group's first line goes before the last column of each line under it]"
            }
            Self::Matches => ": a group's first line is the file of the lines under it]",
        }
    }

    /// Writes the line that `row` stands for.
    pub(super) fn write_line(self, heading: &str, row: &str, out: &mut String) -> Option<()> {
        let parts = match self {
            Self::Names => ["", heading, "", row],
            Self::Columns => {
                let (before, name) = row.split_at_checked(last_column(row))?;
                [before, heading, "", name]
            }
            Self::Matches if matches::separates(row) => ["", "", "", row],
            Self::Matches => ["", heading, matches::delimiter(row)?, row],
        };
        parts.into_iter().for_each(|part| out.push_str(part));
        Some(())
    }
}

/// Where the last column of a line starts: after its last tab; else, in a list of sizes, counts or checksums, after
/// the first blanks, so that names may hold spaces; else after the last blank.
fn last_column(line: &str) -> usize {
    if let Some(tab) = memrchr(b'\t', line.as_bytes()) {
        return tab + 1;
    }
    let blanks = |text: &str| text.len() - text.trim_start_matches(' ').len();
    let start = blanks(line);
    let first = line.get(start..).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let is_checksum = || first.len() >= 32 && first.bytes().all(|byte| byte.is_ascii_hexdigit());
    if first.starts_with(|letter: char| letter.is_ascii_digit()) || is_checksum() {
        let end = start + first.len();
        return end + line.get(end..).map_or(0, blanks);
    }
    memrchr(b' ', line.as_bytes()).map_or(0, |blank| blank + 1)
}
