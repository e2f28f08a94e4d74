//! Listings, searches and other lines that begin alike: what they share is written once, above a group of them.
//!
//! ```text
//! ./src/json/scan.rs:12:use std::fmt;         [Forge matches: a group's first line is the file of the lines under it]
//! ./src/json/scan.rs:90:    let x = a::b();   ./src/json/scan.rs
//! ./src/main.rs:7:fn main() {                 12:use std::fmt;
//!                                             90:    let x = a::b();
//!
//!                                             ./src/main.rs
//!                                             7:fn main() {
//! ```
//!
//! Groups are parted by an empty line, which costs no token, and are as `rg --heading` prints them. A heading has the whole
//! path: a folder that all of them share was once said above the groups, and readers left it out. What stands around the
//! lines is left alone.
//!
//! | layout | a line of a group | of |
//! |---|---|---|
//! | names | continues the heading | `find`, `rg -l`, `grep`, `pytest -v`, `sysctl` |
//! | columns | has the path as its last column, which continues the heading | `du`, `wc`, `md5sum`, `git ls-tree` |
//! | matches | `12:text`, or `12-text` for context | `grep -n`, `grep -nC3`, compilers |

mod layout;
mod matches;
mod names;
mod plan;

use super::kinds::{LineCodec, Lossless};
use layout::HeadingLayout;

use crate::diff::is_diff;
use crate::lines::{self, LineOffsets, MAX_TEXT, push_all};

pub(super) static STAGE: Lossless =
    Lossless::notation("path_headings", LineCodec { encode, has_written, decode });

/// The text with the paths of its lines grouped; `None` if that saves too little.
///
/// ```
/// use tokenforge_engine::internals::paths::{decode, encode};
///
/// let found: String = (1..=9).map(|n| format!("/home/user/project/src/part{n}.rs\n")).collect();
/// let grouped = encode(&found).unwrap();
/// assert!(grouped.contains("]\n/home/user/project/src/\npart1.rs\n"));
/// assert!(grouped.ends_with("\npart8.rs\npart9.rs\n"));
/// assert_eq!(decode(&grouped).as_deref(), Some(&*found));
/// ```
pub fn encode(text: &str) -> Option<String> {
    let lines = lines::all(text)?;
    let is_ours = |line: &&str| line.starts_with("[Forge ");
    let too_short = lines.len() < FEWEST_LINES || text.len() / lines.len() < SHORTEST_LINES;
    if too_short || lines.iter().any(is_ours) || is_diff(text) {
        return None;
    }
    let laid_out = HeadingLayout::ALL.into_iter().map(|layout| (layout, layout.blocks(&lines)));
    let (layout, blocks) = laid_out.max_by_key(|(layout, blocks)| layout.score(blocks))?;
    write(text, &lines, layout, &blocks)
}

/// Are paths grouped in this text?
pub(crate) fn has_written(text: &str) -> bool {
    LineOffsets::new(text).any(|(_, line)| HeadingLayout::from_announcement(line).is_some())
}

/// The text whose paths [`encode`] grouped; `None` if it did not make this text.
pub fn decode(text: &str) -> Option<String> {
    let mut out = String::with_capacity(2 * text.len());
    let mut lines = LineOffsets::new(text);
    while let Some((start, line)) = lines.next() {
        let end = lines.offset();
        match HeadingLayout::from_announcement(line) {
            Some(layout) => read_block(layout, text, &mut lines, &mut out)?,
            None if line == END => return None,
            None => out.push_str(text.get(start..end)?),
        }
    }
    Some(out)
}

const FEWEST_LINES: usize = 4;
/// Lines that are shorter than this on average hold no paths worth sharing.
const SHORTEST_LINES: usize = 8;
/// About what the line that announces a block costs, in tokens.
const OVERHEAD: usize = 20;
/// Ends a block that other lines follow.
const END: &str = "[Forge end of groups]";
/// The heading of lines that share nothing with each other.
const ROOT: &str = "./";

/// Neighbouring lines that are written in groups.
#[derive(Debug)]
struct LineBlock<'a> {
    first: usize,
    rows: Vec<GroupRow<'a>>,
    /// Tokens, by a rough guess.
    saved: usize,
}

/// A line without what its group shares.
#[derive(Debug)]
struct GroupRow<'a> {
    /// The heading of the group that starts here.
    heading: Option<&'a str>,
    before: &'a str,
    rest: &'a str,
}

impl GroupRow<'_> {
    /// Would the row or its heading be taken for a line that has a meaning of its own?
    fn could_be_ours(&self) -> bool {
        let is_ours = |line: &str| line.starts_with("[Forge ");
        let heading = self.heading.unwrap_or_default();
        heading == ROOT || is_ours(heading) || (self.before.is_empty() && is_ours(self.rest))
    }
}

fn write(
    text: &str,
    lines: &[&str],
    layout: HeadingLayout,
    blocks: &[LineBlock],
) -> Option<String> {
    if blocks.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut next = 0;
    for block in blocks {
        push_all(&mut out, lines.get(next..block.first)?);
        push_all(&mut out, &[&*layout.announcement()]);
        for (index, row) in block.rows.iter().enumerate() {
            if row.could_be_ours() {
                return None;
            }
            if let Some(heading) = row.heading {
                out.push_str(if index > 0 { "\n" } else { "" });
                push_all(&mut out, &[if heading.is_empty() { ROOT } else { heading }]);
            }
            out.push_str(row.before);
            push_all(&mut out, &[row.rest]);
        }
        next = block.first + block.rows.len();
        if next < lines.len() {
            push_all(&mut out, &[END]);
        }
    }
    push_all(&mut out, lines.get(next..)?);
    if !text.ends_with('\n') {
        out.pop();
    }
    Some(out)
}

/// Reads groups up to the end of the block and writes their lines in full.
fn read_block(
    layout: HeadingLayout,
    text: &str,
    lines: &mut LineOffsets,
    out: &mut String,
) -> Option<()> {
    let mut heading = None;
    for (start, line) in lines.by_ref() {
        match (line, heading) {
            (END, _) => return Some(()),
            ("", None) => return None,
            ("", Some(_)) => heading = None,
            (_, None) => heading = Some(if line == ROOT { "" } else { line }),
            (_, Some(heading)) => {
                layout.write_line(heading, line, out)?;
                let has_newline = text.as_bytes().get(start + line.len()) == Some(&b'\n');
                out.push_str(if has_newline { "\n" } else { "" });
                (out.len() <= MAX_TEXT).then_some(())?;
            }
        }
    }
    Some(())
}
