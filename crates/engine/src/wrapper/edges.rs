//! Lines that agents put before or behind an output; which they are is in the data files of `tokenforge-agents`.

use super::slot::Slot;
use std::sync::LazyLock;
use tokenforge_agents::{LineEdges, OutputEdges};

/// The edges of all agents' outputs.
#[derive(Default)]
struct KnownEdges {
    first_lines: Vec<&'static LineEdges>,
    first_blocks: Vec<&'static LineEdges>,
    last_lines: Vec<&'static LineEdges>,
}

static KNOWN: LazyLock<KnownEdges> = LazyLock::new(|| {
    let mut known = KnownEdges::default();
    for OutputEdges { first_lines, first_blocks, last_lines, .. } in
        tokenforge_agents::all().iter().map(|agent| &agent.output)
    {
        known.first_lines.extend(first_lines);
        known.first_blocks.extend(first_blocks);
        known.last_lines.extend(last_lines);
    }
    known
});

/// No heading is longer.
const MAX_HEADING: usize = 1024;

const MAX_LAST_LINES: usize = 8;

/// A heading that says how the output came about.
pub(super) fn first_lines(text: &str) -> Option<Vec<Slot>> {
    let line = text.lines().next()?;
    let heading = if KNOWN.first_lines.iter().any(|known| is_between(line, known)) {
        line.len() + 1
    } else {
        let is_it = |known: &&&LineEdges| text.starts_with(&known.begins);
        let LineEdges { begins, ends } = KNOWN.first_blocks.iter().find(is_it)?;
        let head = text.get(..text.floor_char_boundary(MAX_HEADING))?;
        begins.len() + head.get(begins.len()..)?.find(ends)? + ends.len()
    };
    Some(Slot::unless_blank(text, heading.min(text.len())..text.len()))
}

/// Lines about the exit of a command or the end of a file.
pub(super) fn last_lines(text: &str) -> Option<Vec<Slot>> {
    let mut payload = text.trim_end();
    for _ in 0..MAX_LAST_LINES {
        let start = payload.rfind('\n').map_or(0, |at| at + 1);
        let line = &payload[start..];
        if line.is_empty() || !KNOWN.last_lines.iter().any(|known| is_between(line, known)) {
            break;
        }
        payload = match line {
            "</bash_metadata>" => {
                payload.rfind("<bash_metadata>").map_or(payload, |at| &payload[..at])
            }
            _ => &payload[..start],
        }
        .trim_end();
    }
    let is_found = payload.len() < text.trim_end().len();
    is_found.then(|| Slot::unless_blank(text, 0..payload.len()))
}

fn is_between(line: &str, LineEdges { begins, ends }: &LineEdges) -> bool {
    line.starts_with(begins) && line.ends_with(ends)
}
