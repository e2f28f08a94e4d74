//! The placeholder: what stands where a secret was.

/// How every marker begins.
pub const MARKER_START: &str = "[REDACTED:";

/// How every marker ends.
pub const MARKER_END: char = ']';

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
    at.checked_sub(1).is_some_and(|last| text.get(last) == Some(&b']') && is_around(text, last))
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
}
