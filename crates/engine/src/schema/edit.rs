//! The changes to a text of tools: description strings replaced or left out.

use super::minify_description;
use std::ops::Range;
use tokenforge_json::{Edit, MemberPlace, TapeValue, cuts, quote};

/// Minifies the description strings that are members of an object, and leaves out those that are empty then.
pub(super) fn descriptions(object: TapeValue<'_, '_>, edit: &mut Edit<'_>) {
    let mut has_empty = false;
    for (key, value) in object.members() {
        match description(key, value).as_deref() {
            Some("") => has_empty = true,
            Some(text) => edit.splice(span(value), quote(text)),
            None => {}
        }
    }
    if has_empty {
        let members: Vec<_> = object.members().map(|member| place(member, edit.text())).collect();
        cuts(&members).into_iter().for_each(|range| edit.splice(range, ""));
    }
}

/// Where a member stands, and whether it goes: an empty description does.
fn place((key, value): (TapeValue<'_, '_>, TapeValue<'_, '_>), text: &str) -> MemberPlace {
    let before = text[..key.offset()].trim_ascii_end();
    MemberPlace {
        start: key.offset(),
        comma: before.ends_with(',').then(|| before.len() - 1),
        end: span(value).end,
        is_cut: description(key, value).is_some_and(|text| text.is_empty()),
    }
}

/// The minified description, if this is one and it is not minified already.
fn description(key: TapeValue<'_, '_>, value: TapeValue<'_, '_>) -> Option<String> {
    if key.string()? != "description" {
        return None;
    }
    let text = value.string()?;
    let minified = minify_description(&text);
    (minified.is_empty() || *minified != *text).then(|| minified.into_owned())
}

/// Where a scalar stands in the text.
fn span(scalar: TapeValue<'_, '_>) -> Range<usize> {
    let start = scalar.offset();
    start..start + scalar.lexeme().map_or(0, str::len)
}
