//! Gemini CLI and Qwen Code: the report of a shell command, and the marks around what is not to be trusted.

use super::slot::Slot;

const CONTEXT: (&str, &str) = ("<untrusted_context>\n", "\n</untrusted_context>");
/// Lines behind the output of a command.
const FOOTER: &[&str] =
    &["Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "];
const OUTPUT: &str = "Output: ";
/// A command and its folder are no longer.
const MAX_HEADING: usize = 64 << 10;

/// Every block between the marks; what stands between blocks stays.
pub(super) fn untrusted_context(text: &str) -> Option<Vec<Slot>> {
    if !text.starts_with(CONTEXT.0) {
        return None;
    }
    let mut slots = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find(CONTEXT.0) {
        let start = at + open + CONTEXT.0.len();
        let Some(length) = text[start..].find(CONTEXT.1) else { break };
        let payload = &text[start..start + length];
        let inside = reported(payload).unwrap_or(0..payload.len());
        slots.extend(Slot::unless_blank(text, start + inside.start..start + inside.end));
        at = start + length + CONTEXT.1.len();
    }
    (at > 0).then_some(slots)
}

/// `Command: ...`, `Directory: ...`, `Output: ...` and a footer.
pub(super) fn report(text: &str) -> Option<Vec<Slot>> {
    text.starts_with("Command: ").then_some(())?;
    reported(text).map(|payload| Slot::unless_blank(text, payload))
}

fn reported(text: &str) -> Option<std::ops::Range<usize>> {
    let start = match text.strip_prefix("Command: ") {
        Some(_) => {
            let heading = &text[..text.floor_char_boundary(MAX_HEADING)];
            let folder = heading.find("\nDirectory: ")? + 1;
            folder + heading[folder..].find("\nOutput: ")? + 1
        }
        None => 0,
    };
    text[start..].starts_with(OUTPUT).then_some(())?;
    let start = start + OUTPUT.len();
    let mut payload = &text[start..];
    for _ in FOOTER {
        match payload.rsplit_once('\n') {
            Some((before, line)) if FOOTER.iter().any(|known| line.starts_with(known)) => {
                payload = before
            }
            _ => break,
        }
    }
    Some(start..start + payload.len())
}
