//! The changes to a text of tools: description strings replaced or left out, and keywords left out.

use super::describe::minify_description;
use super::keywords::KeywordCuts;
use std::ops::Range;
use tokenforge_json::{Edit, MemberPlace, TapeValue, quote};

/// Minifies the description strings that are members of an object, and leaves out those that are empty then, with the
/// keywords that are to be cut.
pub(super) fn members(object: TapeValue<'_, '_>, cuts: KeywordCuts, edit: &mut Edit<'_>) {
    let mut has_cut = false;
    for (key, value) in object.members() {
        match description(key, value).as_deref() {
            Some("") => has_cut = true,
            Some(text) => edit.splice(span(value), quote(text)),
            None => has_cut |= cuts.has(key, value),
        }
    }
    if has_cut {
        let place = |member| place(member, cuts, edit.text());
        let members: Vec<_> = object.members().map(place).collect();
        tokenforge_json::cuts(&members).into_iter().for_each(|range| edit.splice(range, ""));
    }
}

/// Where a member stands, and whether it goes: an empty description does, and a keyword that is to be cut.
fn place(
    (key, value): (TapeValue<'_, '_>, TapeValue<'_, '_>),
    cuts: KeywordCuts,
    text: &str,
) -> MemberPlace {
    let before = text[..key.offset()].trim_ascii_end();
    let is_empty = || description(key, value).is_some_and(|text| text.is_empty());
    MemberPlace {
        start: key.offset(),
        comma: before.ends_with(',').then(|| before.len() - 1),
        end: span(value).end,
        is_cut: cuts.has(key, value) || is_empty(),
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
