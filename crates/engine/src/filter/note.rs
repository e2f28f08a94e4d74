//! What a filter says of its own: exact counts in words that cannot be misread.

const LEFT_OUT: &str = "[Forge left out ";
const SHORTENED: &str = "[Forge shortened ";

/// `[Forge left out 214 passed tests]`: `{s}` in what is said becomes the plural's s.
pub(super) fn left_out(count: usize, say: &str) -> String {
    format!("{LEFT_OUT}{count} {}]", with_plural(say, count))
}

/// The same for lines that did not stand together.
pub(super) fn left_out_here_and_below(count: usize, say: &str) -> String {
    format!("{LEFT_OUT}{count} {}, here and below]", with_plural(say, count))
}

/// A note that ends with what is to be said when no line is left.
pub(super) fn and_no_more(note: &str, on_empty: &str) -> String {
    format!("{}; {on_empty}]", note.trim_end_matches(']'))
}

/// `[Forge shortened 3 lines: timings removed]`
pub(super) fn shortened_note(count: usize, say: &str) -> String {
    format!("{SHORTENED}{count} {}: {say}]", with_plural("line{s}", count))
}

/// Whether a filter has already written into this text.
pub(super) fn is_in(text: &str) -> bool {
    [LEFT_OUT, SHORTENED]
        .iter()
        .any(|mark| text.starts_with(mark) || text.contains(&format!("\n{mark}")))
}

fn with_plural(say: &str, count: usize) -> String {
    say.replace("{s}", if count == 1 { "" } else { "s" })
}
