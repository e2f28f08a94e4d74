//! The tape: a JSON text validated and laid out as a flat list of its lexemes, but never interpreted.
//!
//! A [`Json`] holds the text and one 16-byte [`Lexeme`] per key, value and container. Strings and numbers
//! stay slices of the input, so that an encoder copies them byte for byte: no float, no unescaping, no tree.

mod scan;
mod unique;
mod value;

use crate::content::StringContent;
use crate::error::{Error, ErrorKind};
use crate::output::TextOutput;
use std::borrow::Cow;
use std::ops::Range;

pub use value::TapeValue;

/// A JSON text that is known to be valid.
///
/// ```
/// use tokenforge_json::Json;
///
/// let json = Json::parse(r#"{ "price": 1.10, "tags": ["a", "b"] }"#)?;
/// assert_eq!(json.minify(), r#"{"price":1.10,"tags":["a","b"]}"#);
/// # Ok::<(), tokenforge_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Json<'a> {
    text: &'a str,
    tape: Vec<Lexeme>,
    /// Bytes of insignificant white space in the text.
    spaces: usize,
}

/// What a lexeme is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LexemeKind {
    /// Not a value: the name of the value that follows.
    Key,
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number of digits only, with or without a minus.
    Integer,
    /// A number with a fraction or an exponent.
    Decimal,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// One lexeme. Members of an object lie on the tape as key, value, key, value ...
#[derive(Debug, Clone, Copy)]
pub struct Lexeme {
    /// Byte offset of the first character.
    start: u32,
    /// Scalars: byte offset behind the last character. Containers: tape index behind the last descendant.
    end: u32,
    /// Containers: the number of elements or members.
    pub count: u32,
    /// What it is.
    pub kind: LexemeKind,
    /// Strings: what was seen between the quotes.
    pub content: StringContent,
    /// Objects: not empty, and so are all objects inside; no arrays. A table can have it as a row.
    pub is_record: bool,
}

impl LexemeKind {
    /// Is it an object or an array?
    #[inline]
    pub fn is_container(self) -> bool {
        matches!(self, Self::Object | Self::Array)
    }
}

impl<'a> Json<'a> {
    /// Validates a JSON text. The text must be one value nested at most [`MAX_DEPTH`](crate::MAX_DEPTH) deep, without a byte order mark.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::at(ErrorKind::InputTooLarge, text, 0));
        }
        let (tape, spaces) = scan::tape(text.as_bytes()).map_err(|fault| fault.locate(text))?;
        Ok(Self { text, tape, spaces })
    }

    /// Like [`parse`](Self::parse), for bytes that may not even be UTF-8.
    pub fn from_slice(bytes: &'a [u8]) -> Result<Self, Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(text),
            Err(error) => {
                let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                Err(Error::at(ErrorKind::NotUtf8, valid, valid.len()))
            }
        }
    }

    /// The text as it was given.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The length of the minified text in bytes.
    pub fn minified_len(&self) -> usize {
        self.text.len() - self.spaces
    }

    /// The text without insignificant white space; everything else stays as it was written.
    #[must_use]
    pub fn minify(&self) -> Cow<'a, str> {
        if self.spaces == 0 {
            return Cow::Borrowed(self.text);
        }
        let mut out = TextOutput::with_capacity(self.minified_len());
        self.minify_value(0, &mut out);
        Cow::Owned(out.into_string())
    }

    fn minify_value(&self, at: usize, out: &mut TextOutput) -> usize {
        let node = self.tape[at];
        match node.kind {
            LexemeKind::Object => {
                let mut child = at + 1;
                out.push(b'{');
                for index in 0..node.count {
                    if index > 0 {
                        out.push(b',');
                    }
                    self.copy_raw(child, out);
                    out.push(b':');
                    child = self.minify_value(child + 1, out);
                }
                out.push(b'}');
                child
            }
            LexemeKind::Array => {
                let mut child = at + 1;
                out.push(b'[');
                for index in 0..node.count {
                    if index > 0 {
                        out.push(b',');
                    }
                    child = self.minify_value(child, out);
                }
                out.push(b']');
                child
            }
            _ => {
                self.copy_raw(at, out);
                at + 1
            }
        }
    }

    /// The lexeme at a tape index; the root is at 0.
    #[inline]
    pub fn node(&self, at: usize) -> Lexeme {
        self.tape[at]
    }

    /// A run of lexemes, for hot loops.
    #[inline]
    pub fn nodes(&self, at: usize, count: usize) -> &[Lexeme] {
        &self.tape[at..at + count]
    }

    /// The number of elements or members of the container at `at`.
    #[inline]
    pub fn count(&self, at: usize) -> usize {
        self.tape[at].count as usize
    }

    /// The tape index behind the value at `at` and all its descendants.
    #[inline]
    pub fn next(&self, at: usize) -> usize {
        let node = self.tape[at];
        if node.kind.is_container() { node.end as usize } else { at + 1 }
    }

    /// The lexeme of a scalar or key as it was written, strings with their quotes.
    #[inline]
    pub fn raw(&self, at: usize) -> &'a str {
        let node = self.tape[at];
        &self.text[node.start as usize..node.end as usize]
    }

    /// Are two keys or scalars written the same?
    #[inline]
    pub fn same_raw(&self, one: usize, other: usize) -> bool {
        self.same_text(&self.tape[one], &self.tape[other])
    }

    /// The same, of two lexemes of this text.
    #[inline]
    pub fn same_text(&self, one: &Lexeme, other: &Lexeme) -> bool {
        let bytes = |node: &Lexeme| &self.text.as_bytes()[node.start as usize..node.end as usize];
        same_bytes(bytes(one), bytes(other))
    }

    /// Are two values the same once minified?
    #[inline]
    pub fn same_value(&self, one: usize, other: usize) -> bool {
        let (first, second) = (self.tape[one], self.tape[other]);
        if first.kind != second.kind {
            return false;
        }
        if !first.kind.is_container() {
            return self.same_text(&first, &second);
        }
        self.same_container(one, other)
    }

    fn same_container(&self, one: usize, other: usize) -> bool {
        let size = self.next(one) - one;
        let nodes = || self.nodes(one, size).iter().zip(self.nodes(other, size));
        self.next(other) - other == size
            && nodes().all(|(one, other)| one.kind == other.kind && one.count == other.count)
            && nodes().all(|(one, other)| one.kind.is_container() || self.same_text(one, other))
    }

    /// Copies the lexeme of a scalar or key as it was written.
    #[inline(always)]
    pub fn copy_raw(&self, at: usize, out: &mut TextOutput) {
        let node = self.tape[at];
        out.copy(self.text.as_bytes(), node.start as usize, node.end as usize);
    }

    /// Copies the text between the quotes of a string or key, escapes as they were written.
    #[inline(always)]
    pub fn copy_unquoted(&self, at: usize, out: &mut TextOutput) {
        let node = self.tape[at];
        out.copy(self.text.as_bytes(), node.start as usize + 1, node.end as usize - 1);
    }

    /// Where the text between the quotes of a string or key is.
    #[inline]
    pub fn inside(&self, at: usize) -> Range<usize> {
        let node = self.tape[at];
        node.start as usize + 1..node.end as usize - 1
    }

    /// The text between the quotes of a string or key, escapes as they were written.
    #[inline]
    pub fn unquoted(&self, at: usize) -> &'a str {
        let node = self.tape[at];
        &self.text[node.start as usize + 1..node.end as usize - 1]
    }

    /// The same as bytes, for hot code that only looks at ASCII.
    #[inline]
    pub fn unquoted_bytes(&self, at: usize) -> &'a [u8] {
        let node = self.tape[at];
        &self.text.as_bytes()[node.start as usize + 1..node.end as usize - 1]
    }

    /// Byte offset of the value or key at `at`.
    #[inline]
    pub fn offset(&self, at: usize) -> usize {
        self.tape[at].start as usize
    }

    /// Tape indices of the elements of the array at `at`.
    #[inline]
    pub fn elements(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = at + 1;
        (0..self.count(at)).map(move |_| {
            let element = next;
            next = self.next(element);
            element
        })
    }

    /// Tape indices of the keys of the object at `at`; each value is one further.
    #[inline]
    pub fn keys(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = at + 1;
        (0..self.count(at)).map(move |_| {
            let key = next;
            next = self.next(key + 1);
            key
        })
    }
}

/// Equality of short slices: the first and last bytes, which overlap, are all. Faster than a call of `memcmp`.
#[inline]
fn same_bytes(one: &[u8], other: &[u8]) -> bool {
    #[inline(always)]
    fn same_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
        let firsts = one.first_chunk::<N>().zip(other.first_chunk());
        let lasts = one.last_chunk::<N>().zip(other.last_chunk());
        firsts
            .zip(lasts)
            .is_some_and(|(firsts, lasts)| (firsts.0 == firsts.1) & (lasts.0 == lasts.1))
    }
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        2..=3 => same_ends::<2>(one, other),
        4..=7 => same_ends::<4>(one, other),
        8..=15 => same_ends::<8>(one, other),
        16..=32 => same_ends::<16>(one, other),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::same_bytes;

    #[test]
    fn slices_of_every_length_are_compared_whole() {
        for length in 0..40 {
            let one = vec![b'x'; length];
            assert!(same_bytes(&one, &one.clone()));
            for at in 0..length {
                let mut other = one.clone();
                other[at] = b'y';
                assert!(!same_bytes(&one, &other), "{at} of {length}");
            }
            assert!(!same_bytes(&one, &vec![b'x'; length + 1]));
        }
    }
}
