//! Lines that clients put before or behind an output.

use super::slot::Slot;

/// OpenHands and SWE-agent on a file they show.
const FIRST_LINES: &[(&str, &str)] =
    &[("Here's the result of running `cat -n` on ", ":"), ("[File: ", "]")];
/// Qwen and Gemini on a file they cut.
const FIRST_BLOCKS: &[(&str, &str)] = &[
    ("Showing lines ", "\n\n---\n\n"),
    ("IMPORTANT: The file content has been truncated.\n", "--- FILE CONTENT (truncated) ---\n"),
];
/// No heading is longer.
const MAX_HEADING: usize = 1024;

const LAST_LINES: &[(&str, &str)] = &[
    // Copilot
    ("<shellId: ", ">"),
    ("<exited with exit code ", ">"),
    ("<command with shellId: ", ">"),
    // pi
    ("Command exited with code ", ""),
    ("Command timed out after ", " seconds"),
    ("[Showing lines ", "]"),
    // SWE-agent
    ("bash-$", ""),
    ("(Current directory: ", ")"),
    ("(Open file: ", ")"),
    // OpenHands
    ("[The command completed with exit code ", "]"),
    ("[Command finished with exit code ", "]"),
    ("[Python Interpreter: ", "]"),
    ("[Python interpreter: ", "]"),
    ("[Current working directory: ", "]"),
    // opencode
    ("(End of file - total ", ")"),
    ("(Showing lines ", ")"),
    ("</bash_metadata>", ""),
];
const MAX_LAST_LINES: usize = 8;

/// A heading that says how the output came about.
pub(super) fn first_lines(text: &str) -> Option<Vec<Slot>> {
    let line = text.lines().next()?;
    let is_heading = |(start, end): &&(&str, &str)| line.starts_with(start) && line.ends_with(end);
    let heading = if FIRST_LINES.iter().any(|known| is_heading(&known)) {
        line.len() + 1
    } else {
        let (start, end) = FIRST_BLOCKS.iter().find(|(start, _)| text.starts_with(start))?;
        let head = text.get(..text.floor_char_boundary(MAX_HEADING))?;
        start.len() + head[start.len()..].find(end)? + end.len()
    };
    Some(Slot::unless_blank(text, heading.min(text.len())..text.len()))
}

/// Lines about the exit of a command or the end of a file.
pub(super) fn last_lines(text: &str) -> Option<Vec<Slot>> {
    let mut payload = text.trim_end();
    for _ in 0..MAX_LAST_LINES {
        let start = payload.rfind('\n').map_or(0, |at| at + 1);
        let line = &payload[start..];
        let is_known =
            |(first, last): &(&str, &str)| line.starts_with(first) && line.ends_with(last);
        if line.is_empty() || !LAST_LINES.iter().any(is_known) {
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
