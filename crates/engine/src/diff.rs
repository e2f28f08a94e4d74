//! Is this text a diff? Blanks carry meaning there: a context line that is empty is one space.

use memchr::memmem;

/// Whether the text has a line that only a diff has: `@@ -`, `diff --git ` or a `---`/`+++` pair.
pub(crate) fn is_diff(text: &str) -> bool {
    starts_line(text, "@@ -") || starts_line(text, "diff --git ") || has_file_pair(text)
}

fn starts_line(text: &str, prefix: &str) -> bool {
    text.starts_with(prefix)
        || memmem::find_iter(text.as_bytes(), prefix)
            .any(|at| text.as_bytes()[..at].ends_with(b"\n"))
}

/// `--- a/file` and, on the next line, `+++ b/file`.
fn has_file_pair(text: &str) -> bool {
    memmem::find_iter(text.as_bytes(), "\n+++ ").any(|end| {
        let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..end]).map_or(0, |at| at + 1);
        text.as_bytes()[line_start..].starts_with(b"--- ")
    })
}

#[cfg(test)]
mod tests {
    use super::is_diff;

    #[test]
    fn hunks_and_file_headers_are_diffs() {
        assert!(is_diff("diff --git a/x b/x\nold mode 100644\n"));
        assert!(is_diff("some words\n@@ -1,3 +1,4 @@ fn main()\n"));
        assert!(is_diff("--- a/x\n+++ b/x\n"));
    }

    #[test]
    fn rules_and_mail_addresses_are_not() {
        assert!(!is_diff("a\n--- \nb\n"));
        assert!(!is_diff("see @@ -1 in the text, or diff --git here\n"));
        assert!(!is_diff("+++ b/x\n"));
    }
}
