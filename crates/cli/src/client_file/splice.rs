//! A value put into a JSON file in front of what is there, and taken out of it wherever it stands by then.

use super::document::{SettingsDocument, TextEdits};
use super::jsonc::{BLANK, behind_comments};

/// Puts a value (with its key, in an object) first into an object or a list, in the layout of what is there. [`cut`]
/// undoes it byte for byte.
pub(crate) fn insert(
    document: &SettingsDocument<'_>,
    into: usize,
    value: &str,
    edits: &mut TextEdits,
) {
    let at = document.node(into).span.start + 1;
    let behind = &document.text[at..];
    let value = if document.children(into).is_empty() {
        value.to_owned()
    } else {
        let lead = &behind[..behind.len() - behind.trim_start_matches(BLANK).len()];
        format!("{lead}{value},")
    };
    edits.replace(at..at, value);
}

/// Takes a value, its key and one comma out of the object or the list that it is directly in. Comments stay.
pub(crate) fn cut(
    document: &SettingsDocument<'_>,
    from: usize,
    value: usize,
    edits: &mut TextEdits,
) {
    let text = document.text;
    let (begins, ends) = (document.node(value).begins, document.node(value).span.end);
    let comma = behind_comments(text, ends);
    if text[comma..].starts_with(',') {
        let behind = &text[comma + 1..];
        let is_last = document.children(from).last() == Some(&value);
        // What follows moves to where this stood.
        let blank = if is_last { behind } else { behind.trim_start_matches(BLANK) };
        if comma == ends {
            edits.replace(begins..text.len() - blank.len(), "");
        } else {
            edits.replace(begins..ends, "");
            edits.replace(comma..comma + 1, "");
        }
        return;
    }
    let before = document.children(from).into_iter().take_while(|child| *child != value).last();
    if let Some(before) = before {
        let end = document.node(before).span.end;
        let comma = behind_comments(text, end);
        if text[end..begins].trim_matches(BLANK) == "," {
            edits.replace(end..ends, "");
            return;
        }
        edits.replace(comma..comma + 1, "");
    }
    edits.replace(begins..ends, "");
}
