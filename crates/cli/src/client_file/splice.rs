//! Insertion and removal of a JSON value in the text itself, exact to the byte: it goes in front of what is there, and is
//! taken out wherever it stands by then.

use super::document::{SettingsDocument, TextEdits};

/// What may stand between any two things.
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

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
    let node = document.node(value);
    let (begins, ends) = (node.begins, node.span.end);
    if let Some(comma) = node.comma {
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
    if let Some(before) = before.map(|before| document.node(before)) {
        if text[before.span.end..begins].trim_matches(BLANK) == "," {
            edits.replace(before.span.end..ends, "");
            return;
        }
        if let Some(comma) = before.comma {
            edits.replace(comma..comma + 1, "");
        }
    }
    edits.replace(begins..ends, "");
}
