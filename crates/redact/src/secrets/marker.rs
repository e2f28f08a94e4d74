//! The placeholder: what stands where a secret was.

/// How every marker begins.
pub const MARKER_START: &str = "[REDACTED:";

/// How every marker ends.
pub const MARKER_END: char = ']';

/// What the first marker in the text of a file says behind its rule, because an agent that quotes the line in an edit finds no
/// such line in the file.
pub const EDIT_NOTE: &str = "; edits must not quote lines with this mark";

/// No id of a rule is longer; a test sees to it.
pub(crate) const LONGEST_RULE: usize = 48;

/// The marker of a rule.
///
/// ```
/// assert_eq!(tokenforge_redact::marker("github-token"), "[REDACTED:github-token]");
/// ```
pub fn marker(rule: &str) -> String {
    format!("{MARKER_START}{rule}{MARKER_END}")
}

/// Whether a marker begins at this byte.
pub(crate) fn starts_at(text: &[u8], at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(MARKER_START.as_bytes()))
}

/// Whether a marker ends just before this byte.
pub(crate) fn ends_at(text: &[u8], at: usize) -> bool {
    let Some(marked) = text.get(..at).and_then(|text| text.strip_suffix(b"]")) else {
        return false;
    };
    let id = marked.strip_suffix(EDIT_NOTE.as_bytes()).unwrap_or(marked);
    is_around(id, id.len())
}

/// Whether this byte belongs to what a marker says.
pub(crate) fn is_around(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let is_id = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let id = before.iter().rev().take(LONGEST_RULE).take_while(is_id).count();
    before[..before.len() - id].ends_with(MARKER_START.as_bytes())
}

/// Whether there is a marker in this value.
pub(crate) fn within(value: &str) -> bool {
    value.contains(MARKER_START)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_recognised_from_both_ends() {
        let text = format!("a{}b]", marker("x-1"));
        let bytes = text.as_bytes();
        let ends: Vec<usize> = (0..=bytes.len()).filter(|&at| ends_at(bytes, at)).collect();
        assert_eq!(ends, [text.len() - 2]);
        let starts: Vec<usize> = (0..=bytes.len() + 1).filter(|&at| starts_at(bytes, at)).collect();
        assert_eq!(starts, [1]);
    }

    #[test]
    fn f22_a_marker_with_a_note_ends_as_others_do() {
        let text = format!("{}{EDIT_NOTE}]", marker("x-1").trim_end_matches(']'));
        assert!(ends_at(text.as_bytes(), text.len()));
        assert!(!ends_at(EDIT_NOTE.as_bytes(), EDIT_NOTE.len()));
    }
}
