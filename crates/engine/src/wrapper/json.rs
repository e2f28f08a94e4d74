//! Just enough JSON to find the strings of an envelope: where members and elements are, not what they mean.
//!
//! Clients cut long outputs, so a text may end inside a string or an object.

use std::ops::Range;

/// A value: where it stands, and its kind by its first character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    range: Range<usize>,
    kind: u8,
    /// Is its end there, or was the text cut?
    is_closed: bool,
}

impl Value {
    /// The value that fills the text, but for white space.
    pub(super) fn whole(text: &str) -> Option<Self> {
        let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
        let value = cursor.value()?;
        cursor.skip_blank();
        (cursor.at == text.len()).then_some(value)
    }

    /// The length of its text.
    pub(super) fn len(&self) -> usize {
        self.range.len()
    }

    /// What stands between the quotes of a string.
    pub(super) fn string(&self) -> Option<Range<usize>> {
        let end = self.range.end - usize::from(self.is_closed);
        (self.kind == b'"').then_some(self.range.start + 1..end)
    }

    /// The keys, as written between their quotes, and values of an object.
    pub(super) fn members<'t>(&self, text: &'t str) -> Option<Vec<(&'t str, Self)>> {
        let mut cursor = self.inside(text, b'{')?;
        let mut members = Vec::new();
        while cursor.has_more(b'}') {
            let key = cursor.value()?.string()?;
            if cursor.passes(b':') {
                members.push((text.get(key)?, cursor.value()?));
            } else if cursor.is_at_end() {
                break;
            } else {
                return None;
            }
        }
        Some(members)
    }

    /// The elements of an array.
    pub(super) fn elements(&self, text: &str) -> Option<Vec<Self>> {
        let mut cursor = self.inside(text, b'[')?;
        let mut elements = Vec::new();
        while cursor.has_more(b']') {
            elements.push(cursor.value()?);
        }
        Some(elements)
    }

    fn inside<'t>(&self, text: &'t str, kind: u8) -> Option<Cursor<'t>> {
        let bytes = text.as_bytes().get(..self.range.end)?;
        (self.kind == kind).then_some(Cursor { bytes, at: self.range.start + 1 })
    }
}

struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn skip_blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn passes(&mut self, byte: u8) -> bool {
        self.skip_blank();
        let is_there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Does something follow in this container?
    fn has_more(&mut self, close: u8) -> bool {
        self.passes(b',');
        self.skip_blank();
        self.bytes.get(self.at).is_some_and(|byte| *byte != close)
    }

    fn value(&mut self) -> Option<Value> {
        self.skip_blank();
        let start = self.at;
        let kind = *self.bytes.get(start)?;
        let is_closed = match kind {
            b'"' => self.skip_string(),
            b'{' | b'[' => self.skip_container(),
            b',' | b':' | b'}' | b']' => return None,
            _ => self.skip_word(),
        };
        Some(Value { range: start..self.at, kind, is_closed })
    }

    fn skip_word(&mut self) -> bool {
        let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
        true
    }

    fn skip_string(&mut self) -> bool {
        self.at += 1;
        while let Some(found) =
            memchr::memchr2(b'"', b'\\', self.bytes.get(self.at..).unwrap_or_default())
        {
            self.at += found;
            if self.bytes[self.at] == b'"' {
                self.at += 1;
                return true;
            }
            self.at += 2;
        }
        self.at = self.bytes.len();
        false
    }

    fn skip_container(&mut self) -> bool {
        let mut open = 0_usize;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.skip_string();
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Option<Vec<String>> {
        let members = Value::whole(text)?.members(text)?;
        Some(
            members
                .iter()
                .map(|(key, value)| format!("{key}={}", &text[value.range.clone()]))
                .collect(),
        )
    }

    #[test]
    fn members_are_found_where_they_stand() {
        let found = keys(r#" { "a" : "x\"}" , "b":[1,{"c":"]"}],"d":true } "#).unwrap();
        assert_eq!(found, ["a=\"x\\\"}\"", "b=[1,{\"c\":\"]\"}]", "d=true"]);
    }

    #[test]
    fn a_text_that_was_cut_has_what_is_there() {
        let text = r#"{"a":1,"b":[{"c":"xy"#;
        assert_eq!(keys(text).unwrap(), ["a=1", "b=[{\"c\":\"xy"]);
        let list = Value::whole(text).unwrap().members(text).unwrap()[1].1.elements(text).unwrap();
        let string = list[0].members(text).unwrap()[0].1.string().unwrap();
        assert_eq!(&text[string], "xy");
        for cut in 1..text.len() {
            let _ = keys(&text[..cut]);
        }
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        for text in ["", "x", "[]", "{} x", "{1:2}", "{\"a\" 1}", "}", "{]"] {
            assert!(keys(text).is_none_or(|keys| keys.is_empty()), "{text}");
        }
    }
}
