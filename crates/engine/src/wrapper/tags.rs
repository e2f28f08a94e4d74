//! Outputs between tags: the files that opencode reads, the background tasks of Claude Code. Which tags these are is in
//! the data files of `tokenforge-agents`.

use super::slot::Slot;
use std::sync::LazyLock;
use tokenforge_agents::TaggedOutput;

static KNOWN: LazyLock<Vec<&TaggedOutput>> = LazyLock::new(|| {
    tokenforge_agents::all().iter().flat_map(|agent| &agent.output.tagged).collect()
});

/// What stands before the first payload is no longer.
const MAX_HEADING: usize = 8 << 10;

pub(super) fn tagged(text: &str) -> Option<Vec<Slot>> {
    let TaggedOutput { tags, .. } = KNOWN.iter().find(|known| text.starts_with(&known.begins))?;
    let mut slots = Vec::new();
    let mut at = 0_usize;
    for tag in tags {
        let (open, close) = (format!("<{tag}>\n"), format!("\n</{tag}>"));
        let head = &text[at..text.floor_char_boundary(at.saturating_add(MAX_HEADING)).max(at)];
        let Some(start) = head.find(&open).map(|found| at + found + open.len()) else { continue };
        // The text may hold the same tag, but not behind its own end.
        let Some(end) = text[start..].rfind(&close).map(|found| start + found) else { continue };
        slots.extend(Slot::unless_blank(text, start..end));
        at = end + close.len();
    }
    (at > 0).then_some(slots)
}
