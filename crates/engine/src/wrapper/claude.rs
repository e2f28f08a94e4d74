//! Claude Code: blocks that are not to be touched, the exit code before an output and reminders behind it.

use super::slot::Slot;

const PERSISTED: (&str, &str) = ("<persisted-output>", "</persisted-output>");
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

/// An error in the use of a tool, and the preview of an output that Claude Code saved: both stay as they are.
pub(super) fn untouchable(text: &str) -> Option<Vec<Slot>> {
    let start = text.trim_start();
    if start.starts_with("<tool_use_error>") {
        return Some(Vec::new());
    }
    if !start.starts_with(PERSISTED.0) {
        return None;
    }
    let end = text.rfind(PERSISTED.1).map_or(text.len(), |at| at + PERSISTED.1.len());
    Some(Slot::unless_blank(text, end..text.len()))
}

/// Reminders to the model behind a result.
pub(super) fn reminders(text: &str) -> Option<Vec<Slot>> {
    let mut payload = text.trim_end();
    while let Some(before) = payload.strip_suffix(REMINDER.1) {
        match before.rfind(REMINDER.0) {
            Some(start) => payload = before[..start].trim_end(),
            None => break,
        }
    }
    let is_found = payload.len() < text.trim_end().len();
    is_found.then(|| Slot::unless_blank(text, 0..payload.len()))
}

/// The exit code of a command that failed.
pub(super) fn exit_code(text: &str) -> Option<Vec<Slot>> {
    let (code, _) = text.strip_prefix("Exit code ")?.split_once('\n')?;
    let is_code =
        !code.is_empty() && code.len() < 10 && code.bytes().all(|byte| byte.is_ascii_digit());
    let payload = "Exit code ".len() + code.len() + 1;
    is_code.then(|| Slot::unless_blank(text, payload..text.len()))
}
