//! Truncation: oversized output cut to its head and tail, or to head, error window and tail.
//!
//! Cuts lie on line boundaries, and inside a line only where keeping it whole would waste half a window. The kept text
//! fits the limit; the markers, which state exactly what was left out, come on top. Capping twice changes nothing.

mod signals;

use crate::digit_groups::group_digits;
use crate::fidelity::Fidelity;
use crate::nature::Nature;
use crate::settings::{DEFAULT_MAX_OUTPUT_BYTES, FLOOR_BYTES};
use crate::stage::{Stage, StageContext, StageOutput};
use memchr::{memchr_iter, memmem, memrchr};
use std::ops::Range;

/// The stage that cuts, and its name in the record where a window around the first error stayed.
const NAME: &str = "cap";
const WITH_ERROR_WINDOW: &str = "cap_error_window";

const MARKER: &str = "[Forge left out ";

/// No marker is longer.
const MAX_MARKER: usize = 80;

/// The head, the first error and the tail of what is still far too long.
pub(super) struct Cap;

impl Stage for Cap {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Safety
    }

    fn is_for(&self, subject: &StageContext<'_>) -> bool {
        subject.nature != Nature::File
    }

    fn apply(&self, text: &str, subject: &StageContext<'_>) -> Option<StageOutput> {
        let limit = subject.settings.max_output_bytes.unwrap_or(DEFAULT_MAX_OUTPUT_BYTES);
        let capped = cap(text, limit)?;
        let done = capped.error_window.then_some(WITH_ERROR_WINDOW);
        // A few bytes too many are cheaper than a marker and a reference.
        (capped.text.len() + FLOOR_BYTES < text.len())
            .then(|| StageOutput { done, ..capped.text.into() })
    }
}

/// The stage that a name in a record belongs to: some stages write there which of several things they did.
///
/// ```
/// assert_eq!(tokenforge_engine::recorded_stage("cap_error_window"), "cap");
/// assert_eq!(tokenforge_engine::recorded_stage("html_text"), "html_text");
/// ```
#[must_use]
pub fn recorded_stage(name: &str) -> &str {
    if name == WITH_ERROR_WINDOW { NAME } else { name }
}

/// A text that was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CappedText {
    /// What was kept, around at most two markers.
    pub text: String,
    /// Whether a window around an error was kept between head and tail.
    pub error_window: bool,
    /// How many lines were left out, wholly or in part.
    pub lines: usize,
    /// How many bytes were left out.
    pub bytes: usize,
}

/// The text cut to `max_bytes` (markers not counted); `None` if it fits.
///
/// ```
/// use tokenforge_engine::internals::cap::cap;
///
/// let text = "first\nsecond\nthird\nlast\n";
/// let capped = cap(text, 12).unwrap();
/// assert_eq!(capped.text, "first\n[Forge left out 2 lines (13 bytes)]\nlast\n");
/// assert_eq!(cap(&capped.text, 12), None);
/// ```
pub fn cap(text: &str, max_bytes: usize) -> Option<CappedText> {
    if fits(text, max_bytes) {
        return None;
    }
    let plain = [head(text, max_bytes / 2), tail(text, max_bytes - max_bytes / 2)];
    let error_window = signals::first(text, plain[0].end..plain[1].start).is_some();
    let windows = if error_window { error_windows(text, max_bytes) } else { plain.to_vec() };
    let mut capped = join(text, &merge_windows(windows));
    capped.error_window = error_window;
    Some(capped)
}

/// Whether the text is short enough when two markers of an earlier cap, and the line ends they needed, do not count.
fn fits(text: &str, max_bytes: usize) -> bool {
    text.len() <= max_bytes || {
        // Other lines may look like markers: ours are among them, and no longer than the longest two.
        let mut overheads: Vec<usize> = memmem::find_iter(text.as_bytes(), MARKER)
            .filter(|&at| at == 0 || text.as_bytes()[at - 1] == b'\n')
            .filter_map(|at| marker_at(text, at).map(|line| line.len() + "\n\n".len()))
            .collect();
        overheads.sort_unstable_by(|a, b| b.cmp(a));
        text.len() <= max_bytes.saturating_add(overheads.iter().take(2).sum())
    }
}

/// The line at `at`, if it is one that [`marker`] writes.
fn marker_at(text: &str, at: usize) -> Option<&str> {
    let end = memchr::memchr(b']', &text.as_bytes()[at..text.len().min(at + MAX_MARKER)])?;
    let line = &text[at..=at + end];
    let counts = line.strip_prefix(MARKER)?;
    let counts =
        counts.strip_suffix(" bytes)]").or_else(|| counts.strip_suffix(" bytes of this line]"))?;
    counts.chars().all(|c| c.is_ascii_digit() || ", lines(".contains(c)).then_some(line)
}

/// Head, a window at the first error after it, and tail: three, two and three eighths.
fn error_windows(text: &str, max_bytes: usize) -> Vec<Range<usize>> {
    let side = max_bytes / 8 * 3;
    let head = head(text, side);
    let tail = tail(text, side);
    let window =
        signals::first(text, head.end..tail.start).map(|at| window(text, at, max_bytes / 4));
    [Some(head), window, Some(tail)].into_iter().flatten().collect()
}

/// The start of the text, at most `budget` bytes.
fn head(text: &str, budget: usize) -> Range<usize> {
    0..end_within(text, 0, budget)
}

/// The end of the text, at most `budget` bytes.
fn tail(text: &str, budget: usize) -> Range<usize> {
    let start = text.ceil_char_boundary(text.len().saturating_sub(budget));
    let wasted = memchr::memchr(b'\n', &text.as_bytes()[start..]).map(|newline| newline + 1);
    let on_line = start == 0 || text.as_bytes()[start - 1] == b'\n';
    match wasted {
        Some(wasted) if !on_line && wasted <= budget / 2 => start + wasted..text.len(),
        _ => start..text.len(),
    }
}

/// At most `budget` bytes from a little before the line that holds `at`.
fn window(text: &str, at: usize, budget: usize) -> Range<usize> {
    const CONTEXT_LINES: usize = 3;
    let bytes = text.as_bytes();
    let line_start = |at: usize| memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    let mut start = line_start(at);
    if at - start > budget / 4 {
        // The error lies deep inside one long line.
        start = text.ceil_char_boundary(at - budget / 4);
    } else {
        for _ in 0..CONTEXT_LINES {
            let earlier = line_start(start.saturating_sub(1));
            if at - earlier > budget / 4 {
                break;
            }
            start = earlier;
        }
    }
    start..end_within(text, start, budget)
}

/// The end of at most `budget` bytes from `start`: after a line, or inside one if that would waste half of them.
fn end_within(text: &str, start: usize, budget: usize) -> usize {
    let end = text.floor_char_boundary(start.saturating_add(budget).min(text.len())).max(start);
    match memrchr(b'\n', &text.as_bytes()[start..end]) {
        Some(newline) if newline + 1 >= budget / 2 => start + newline + 1,
        _ => end,
    }
}

/// The windows in order, those that touch made one.
fn merge_windows(windows: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(windows.len());
    for window in windows {
        match merged.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => merged.push(window),
        }
    }
    merged
}

fn join(text: &str, windows: &[Range<usize>]) -> CappedText {
    let mut capped = CappedText { text: String::new(), error_window: false, lines: 0, bytes: 0 };
    let mut shown = 0;
    for window in windows {
        if window.start > shown {
            leave_out(&mut capped, &text[shown..window.start]);
        }
        capped.text.push_str(&text[window.clone()]);
        shown = window.end;
    }
    if shown < text.len() {
        leave_out(&mut capped, &text[shown..]);
    }
    capped
}

/// Writes the marker for a part, on a line of its own.
fn leave_out(capped: &mut CappedText, part: &str) {
    if !capped.text.is_empty() && !capped.text.ends_with('\n') {
        capped.text.push('\n');
    }
    let newlines = memchr_iter(b'\n', part.as_bytes()).count();
    let lines = newlines + usize::from(!part.ends_with('\n'));
    capped.text.push_str(&marker(newlines, lines, part.len()));
    capped.lines += lines;
    capped.bytes += part.len();
}

fn marker(newlines: usize, lines: usize, bytes: usize) -> String {
    match (newlines, lines) {
        (0, _) => format!("{MARKER}{} bytes of this line]\n", group_digits(bytes)),
        (_, 1) => format!("{MARKER}1 line ({} bytes)]\n", group_digits(bytes)),
        _ => format!("{MARKER}{} lines ({} bytes)]\n", group_digits(lines), group_digits(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::cap;

    fn numbered_lines(range: std::ops::Range<usize>) -> String {
        range.map(|number| format!("line {number:04}\n")).collect()
    }

    #[test]
    fn f8_cap_keeps_head_and_tail_on_line_boundaries() {
        let capped = cap(&numbered_lines(0..1000), 100).unwrap();
        let expected = format!(
            "{}[Forge left out 990 lines (9,900 bytes)]\n{}",
            numbered_lines(0..5),
            numbered_lines(995..1000)
        );
        assert_eq!(capped.text, expected);
        assert_eq!((capped.lines, capped.bytes, capped.error_window), (990, 9_900, false));
    }

    #[test]
    fn f8_cap_keeps_a_window_at_the_first_error_it_would_drop() {
        let text = numbered_lines(0..500)
            + "error: it broke\n"
            + &numbered_lines(500..800)
            + "error: again\n"
            + &numbered_lines(800..1000);
        let capped = cap(&text, 800).unwrap();
        assert!(capped.error_window);
        assert!(capped.text.contains("line 0499\nerror: it broke\nline 0500\n"), "{}", capped.text);
        assert_eq!(capped.text.matches("[Forge left out ").count(), 2);
        assert!(capped.text.starts_with("line 0000\n") && capped.text.ends_with("line 0999\n"));
        assert_eq!(
            text.len() - capped.bytes,
            capped
                .text
                .lines()
                .filter(|line| !line.starts_with('['))
                .map(|line| line.len() + 1)
                .sum::<usize>()
        );
    }

    #[test]
    fn f8_windows_that_touch_merge() {
        let text = numbered_lines(0..32)
            + "Traceback (most recent call last):\n"
            + &numbered_lines(33..500)
            + "FAILED\n"
            + &numbered_lines(500..999);
        let capped = cap(&text, 800).unwrap();
        assert!(capped.error_window);
        assert_eq!(capped.text.matches("[Forge left out ").count(), 1);
        assert!(capped.text.contains("line 0031\nTraceback"));
    }

    #[test]
    fn f8_an_error_that_is_kept_anyway_needs_no_window() {
        let text = numbered_lines(0..1000) + "error: at the end\n";
        let capped = cap(&text, 100).unwrap();
        assert!(!capped.error_window);
        assert!(capped.text.ends_with("error: at the end\n"));
    }

    #[test]
    fn f8_a_line_longer_than_the_limit_is_cut_between_characters() {
        let capped = cap(&"é".repeat(1000), 101).unwrap();
        let half = "é".repeat(25);
        assert_eq!(
            capped.text,
            format!("{half}\n[Forge left out 1,900 bytes of this line]\n{half}")
        );
        assert_eq!(cap(&capped.text, 101), None);
    }

    #[test]
    fn f8_a_text_that_fits_is_left_alone() {
        assert_eq!(cap("abc\n", 4), None);
        assert_eq!(cap("", 0), None);
        assert_eq!(cap("abc\n", 0).unwrap().text, "[Forge left out 1 line (4 bytes)]\n");
    }

    #[test]
    fn crlf_is_kept() {
        let capped = cap(&"line\r\n".repeat(100), 24).unwrap();
        assert_eq!(
            capped.text,
            "line\r\nline\r\n[Forge left out 96 lines (576 bytes)]\nline\r\nline\r\n"
        );
    }
}
