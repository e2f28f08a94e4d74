//! Laws of tool-family filters.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use tokenforge_engine::filter::FamilyFilter;

/// What the filter leaves of any output is shorter, counted line by line, and left alone the second time.
pub fn filter(filter: &FamilyFilter, output: &str) {
    let Some(filtered) = filter.apply(output) else { return };
    let (name, text) = (filter.name(), filtered.text.as_str());
    assert!(text.len() < output.len(), "{name} made it longer: {output:?}");
    assert_eq!(filter.apply(text), None, "{name} changed its own output: {output:?}");
    assert_eq!(
        filter.apply(output).as_ref(),
        Some(&filtered),
        "{name} is no function of the output: {output:?}"
    );

    let counts = text.split('\n').filter_map(count).sum::<usize>();
    assert_eq!(counts, filtered.left_out_lines, "{name} miscounted: {output:?}");
    if notes(output) == 0 {
        let stay = lines(text) - notes(text);
        assert_eq!(lines(output), stay + filtered.left_out_lines, "{name} lost lines: {output:?}");
    }
}

/// Every line that looks like a failure is still there, letter by letter; if it came more than once, at least once.
///
/// A line looks like a failure if a failing status is its first word or its last (`not ok`, `FAIL`, `✗`), if it is a
/// diagnostic (`a.c:3:4: warning: …`, `error: …`, `ValueError: …`), or if it counts failures (`2 failed`, `3 errors`).
pub fn failures_stay(filter: &FamilyFilter, output: &str) {
    for filtered in
        [filter.apply(output), filter.apply_to_failed_call(output)].into_iter().flatten()
    {
        let stay: HashSet<&str> = filtered.text.split('\n').collect();
        for line in output.split('\n').filter(|line| looks_like_failure(line)) {
            assert!(stay.contains(line), "{} lost {line:?} of {output:?}", filter.name());
        }
    }
}

/// The rule of [`failures_stay`].
pub fn looks_like_failure(line: &str) -> bool {
    static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
        let first = r"^[ \t]*(?:not ok\b|(?:--- )?(?:FAIL|FAILED|ERROR)\b|\[ *(?:FAIL|FAILED|ERROR) *\]|[✗✘✖✕❌])";
        let last = r"[ .|\t](?:FAIL|FAILED|ERROR)(?: \||\])?[ \t\r]*$";
        let diagnostic =
            r"^[ \t]*(?:\S+:\d+(?::\d+)?:? )?(?i:fatal|error|warning)(?:\[[\w-]+\])?: ";
        let exception = r"^[ \t]*[A-Za-z_.]*(?:Error|Exception|Failure): ";
        let count = r"(?i:\b[1-9]\d* (?:tests? )?(?:failed|failures?|errors?|warnings?)\b)";
        Regex::new(&[first, last, diagnostic, exception, count].join("|")).expect("is a pattern")
    });
    FAILURE.is_match(line)
}

fn lines(text: &str) -> usize {
    text.split_terminator('\n').count()
}

/// Lines that begin as what Tokenforge itself writes.
fn notes(text: &str) -> usize {
    text.split('\n').filter(|line| line.starts_with("[Forge ")).count()
}

/// The number in `[Forge left out 12 ...]`.
fn count(line: &str) -> Option<usize> {
    line.strip_prefix("[Forge left out ")?.split(' ').next()?.parse().ok()
}
