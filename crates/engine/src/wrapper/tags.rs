//! Outputs between tags: the files that opencode reads, the background tasks of Claude Code.

use super::slot::Slot;

/// How such a text starts, and the tags in it that hold payloads.
const TAGGED: &[(&str, &[&str])] = &[
    ("<path>", &["content", "entries"]),
    ("<file>\n", &["file"]),
    ("<retrieval_status>", &["output"]),
    ("<status>", &["stdout", "stderr"]),
];
/// What stands before the first payload is no longer.
const MAX_HEADING: usize = 8 << 10;

pub(super) fn tagged(text: &str) -> Option<Vec<Slot>> {
    let (_, tags) = TAGGED.iter().find(|(start, _)| text.starts_with(start))?;
    let mut slots = Vec::new();
    let mut at = 0_usize;
    for tag in *tags {
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
