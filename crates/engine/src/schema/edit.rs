//! The changes to a text of tools: description strings replaced or left out, in the order of the text.

use super::minify_description;
use std::ops::Range;
use tokenforge_formats::Value;

pub(super) struct Edits<'t> {
    text: &'t str,
    changes: Vec<(Range<usize>, String)>,
}

impl<'t> Edits<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, changes: Vec::new() }
    }

    /// Minifies the description strings that are members of an object.
    pub(super) fn descriptions_of(&mut self, object: Value<'_, '_>) {
        let mut has_kept = false;
        let mut members = object.members().peekable();
        while let Some((key, value)) = members.next() {
            let next = members.peek().map(|(next, _)| next.offset());
            let minified = description(key, value);
            match minified.as_deref() {
                Some("") => self.drop_member(key, value, has_kept, next),
                Some(text) => self.changes.push((span(value), quoted(text))),
                None => {}
            }
            has_kept |= minified.as_deref() != Some("");
        }
    }

    /// Leaves out a member and one comma: the one before it, or behind it where nothing before it is left.
    fn drop_member(
        &mut self,
        key: Value<'_, '_>,
        value: Value<'_, '_>,
        has_kept: bool,
        next: Option<usize>,
    ) {
        let before = self.text[..key.offset()].trim_ascii_end();
        let dropped = match next {
            _ if has_kept => before.len().saturating_sub(1)..span(value).end,
            Some(next) => key.offset()..next,
            None => key.offset()..span(value).end,
        };
        self.changes.push((dropped, String::new()));
    }

    /// The changed text, if anything changed. Objects were visited from the outside in, so the changes are sorted first.
    pub(super) fn apply(mut self) -> Option<String> {
        if self.changes.is_empty() {
            return None;
        }
        self.changes.sort_by_key(|(span, _)| span.start);
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for (span, replacement) in self.changes {
            out.push_str(&self.text[at..span.start]);
            out.push_str(&replacement);
            at = span.end;
        }
        out.push_str(&self.text[at..]);
        Some(out)
    }
}

/// The minified description, if this is one and it is not minified already.
fn description(key: Value<'_, '_>, value: Value<'_, '_>) -> Option<String> {
    if key.string()? != "description" {
        return None;
    }
    let text = value.string()?;
    let minified = minify_description(&text);
    (minified.is_empty() || *minified != *text).then(|| minified.into_owned())
}

/// Where a scalar stands in the text.
fn span(scalar: Value<'_, '_>) -> Range<usize> {
    let start = scalar.offset();
    start..start + scalar.lexeme().map_or(0, str::len)
}

/// A text as a JSON string, with the escapes that must be.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}
