//! What an expansion gives back of an original: all of it, values of its JSON, a range of lines, or the lines a search
//! finds.

mod grep;
mod path;
mod range;

pub use grep::Grep;
pub use path::JsonPath;
pub use range::LineRange;

use std::borrow::Cow;

/// The largest expansion unless the caller says otherwise: 1 MiB, the largest output that a request may ask to keep.
pub const MAX_BYTES: usize = 1 << 20;

/// Which part of an original is wanted. The default is all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Only these values of an original that is JSON, as they are written. What follows is about their text.
    pub path: Option<JsonPath>,
    /// Only these lines.
    pub lines: Option<LineRange>,
    /// Only what a search finds in them, as `12:text`, with its context as `13-text`.
    pub grep: Option<Grep>,
    /// At most about this many bytes; what is left out is announced, with the lines to ask for next.
    pub max_bytes: usize,
}

impl Default for Selection {
    fn default() -> Self {
        Self { path: None, lines: None, grep: None, max_bytes: MAX_BYTES }
    }
}

/// Why a selection gives nothing. Each says what would.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// The line range is not one.
    #[error(
        "lines `{given}` is not a range: expected `A-B`, `A-` or `A`, counted from 1, such as `20-80`"
    )]
    BadRange {
        /// What was given.
        given: String,
    },
    /// The line range starts behind the last line.
    #[error("there is no line {first}: the text has {lines} lines")]
    BeyondEnd {
        /// The first line asked for.
        first: usize,
        /// How many there are.
        lines: usize,
    },
    /// The pattern is not a regular expression, or too large a one.
    #[error("grep pattern: {reason}")]
    BadPattern {
        /// What is wrong with it.
        reason: String,
    },
    /// The path is not one.
    #[error(
        "path `{given}` is not understood: expected names and elements, such as `items[3].name`, `items[2-5]`, \
         `items[*].id` or `[\"odd name\"]`"
    )]
    BadPath {
        /// What was given, or the start of it.
        given: String,
    },
    /// There is no JSON that a path could lead into.
    #[error("the original is not JSON; ask for lines or grep instead of path")]
    NotJson,
    /// The path leads nowhere.
    #[error("no {wanted} at `{at}`; {instead}")]
    NotThere {
        /// The step that could not be made.
        wanted: String,
        /// The path up to it.
        at: String,
        /// What is there, in words.
        instead: String,
    },
}

/// The part of an original that was asked for.
///
/// ```
/// use tokenforge_engine::expansion::{Selection, select};
///
/// let original = "one\ntwo\nthree\nfour\n";
/// assert_eq!(select(original, &Selection::default())?, original);
///
/// let lines = Selection { lines: Some("2-3".parse()?), ..Selection::default() };
/// assert_eq!(select(original, &lines)?, "two\nthree\n");
///
/// let grep = Selection { grep: Some("^t".into()), ..Selection::default() };
/// assert_eq!(select(original, &grep)?, "2:two\n3:three\n");
///
/// let path = Selection { path: Some("items[1].id".parse()?), ..Selection::default() };
/// assert_eq!(select(r#"{"items": [{"id": 7}, {"id": 8}]}"#, &path)?, "8");
/// # Ok::<(), tokenforge_engine::expansion::SelectionError>(())
/// ```
pub fn select<'t>(
    original: &'t str,
    selection: &Selection,
) -> Result<Cow<'t, str>, SelectionError> {
    match &selection.path {
        None => select_lines(original, selection),
        Some(path) => {
            let values = path.find(original)?;
            select_lines(&values, selection).map(|part| Cow::Owned(part.into_owned()))
        }
    }
}

fn select_lines<'t>(text: &'t str, selection: &Selection) -> Result<Cow<'t, str>, SelectionError> {
    let (first, part) = match selection.lines {
        Some(range) => (range.first(), range.cut_from(text)?),
        None => (1, text),
    };
    match &selection.grep {
        Some(grep) => grep.search(part, first, selection.max_bytes).map(Cow::Owned),
        None => Ok(cut_to_bytes(part, first, selection.max_bytes)),
    }
}

/// Cuts a text whose first line has the number `first` behind the last line that fits, and says so.
fn cut_to_bytes(text: &str, first: usize, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let last = first + text.lines().count() - 1;
    let limit = text.floor_char_boundary(max_bytes);
    let cut = match text[..limit].rfind('\n') {
        Some(end) => {
            let shown = &text[..=end];
            let next = first + shown.lines().count();
            format!("{shown}[Forge cut here; ask for lines {next}-{last}]")
        }
        None => {
            let shown = &text[..limit];
            let length = text.find('\n').unwrap_or(text.len());
            let line = format!(
                "[Forge cut line {first} of {length} bytes here; grep shows the rest in pieces"
            );
            let next = first + 1;
            let lines =
                if last > first { format!("; ask for lines {next}-{last}") } else { String::new() };
            format!("{shown}\n{line}{lines}]")
        }
    };
    Cow::Owned(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered_lines(lines: usize) -> String {
        (1..=lines).map(|line| format!("line {line}\n")).collect()
    }

    fn whole(max_bytes: usize) -> Selection {
        Selection { max_bytes, ..Selection::default() }
    }

    #[test]
    fn l4_the_whole_original_comes_back_byte_for_byte() {
        for original in ["", "\n", "no newline", "a\r\nb\r\n", "é\0\u{1b}[0m\n"] {
            assert_eq!(select(original, &Selection::default()).unwrap(), original);
        }
    }

    #[test]
    fn l4_what_a_bound_cuts_off_can_be_asked_for() {
        let original = numbered_lines(1000);
        let mut selection = whole(1000);
        let mut seen = String::new();
        loop {
            let part = select(&original, &selection).unwrap().into_owned();
            let Some((shown, note)) = part.split_once("[Forge cut here; ask for lines ") else {
                seen.push_str(&part);
                break;
            };
            seen.push_str(shown);
            selection.lines = Some(note.trim_end_matches(']').parse().unwrap());
        }
        assert_eq!(seen, original);
    }

    #[test]
    fn a_single_long_line_is_cut_between_characters() {
        let original = "é".repeat(1000);
        let part = select(&original, &whole(101)).unwrap();
        let note = "\n[Forge cut line 1 of 2000 bytes here; grep shows the rest in pieces]";
        assert_eq!(part, format!("{}{note}", "é".repeat(50)));
    }

    #[test]
    fn a_search_looks_only_at_the_lines_given_and_counts_from_the_start() {
        let lines = Some("10-20".parse().unwrap());
        let selection = Selection { lines, grep: Some("5$".into()), ..Selection::default() };
        assert_eq!(select(&numbered_lines(30), &selection).unwrap(), "15:line 15\n");
    }

    #[test]
    fn lines_and_a_search_are_about_what_the_path_gives() {
        let rows: Vec<String> = (0..500).map(|n| format!("{{\"id\": {n}}}")).collect();
        let original = format!("{{\"rows\": [{}]}}", rows.join(",\n"));
        let path = "rows[*].id".parse().ok();
        let lines = Selection { path: path.clone(), lines: "2-3".parse().ok(), ..whole(1000) };
        assert_eq!(select(&original, &lines).unwrap(), "1\n2\n");
        let grep = Selection { path: path.clone(), grep: Some("99".into()), ..whole(1000) };
        assert_eq!(
            select(&original, &grep).unwrap(),
            "100:99\n200:199\n300:299\n400:399\n500:499\n"
        );
        let bounded = Selection { path, ..whole(20) };
        let expected = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n[Forge cut here; ask for lines 11-500]";
        assert_eq!(select(&original, &bounded).unwrap(), expected);
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let error = select("a\nb", &Selection { lines: "5-9".parse().ok(), ..whole(10) });
        let message = error.unwrap_err().to_string();
        assert_eq!(message, "there is no line 5: the text has 2 lines");
    }
}
