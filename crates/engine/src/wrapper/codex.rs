//! Codex: a header of a few lines, `Output:`, and a warning where Codex itself cut the output.

use super::slot::Slot;

/// How the lines of the header start, in every version.
const HEADER: &[&str] = &[
    "Chunk ID: ",
    "Wall time: ",
    "Wall time ",
    "Exit code: ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Total output lines: ",
    "Script completed",
    "Script failed",
    "Script running",
];
const OUTPUT: &str = "Output:";
const WARNING: &[&str] = &["Warning: truncated output ", "Total output lines: "];
const MAX_LINES: usize = 12;

pub(super) fn header(text: &str) -> Option<Vec<Slot>> {
    let mut rest = text;
    for _ in 0..MAX_LINES {
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = behind;
        if line == OUTPUT {
            let payload = text.len() - without_warning(rest).len();
            return (text.len() > OUTPUT.len() + rest.len() + 1)
                .then(|| Slot::unless_blank(text, payload..text.len()));
        }
        if !HEADER.iter().any(|start| line.starts_with(start)) {
            return None;
        }
    }
    None
}

/// The warning ends with an empty line.
fn without_warning(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, behind)) = rest.split_once('\n') {
        if line.is_empty() && rest.len() < text.len() {
            return behind;
        }
        if !WARNING.iter().any(|start| line.starts_with(start)) {
            break;
        }
        rest = behind;
    }
    text
}
