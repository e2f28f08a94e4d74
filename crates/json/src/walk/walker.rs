//! A streaming walk over the tokens of a JSON text: into what is of interest, past everything else, without recursion.

use super::blocks::Blocks;
use super::scalar;
use crate::MAX_DEPTH;
use crate::escape::unescape;
use crate::refusal::Refusal;
use std::borrow::Cow;
use std::ops::Range;

/// Reads a JSON text once, from its start to its end.
///
/// The functions that read a value take whatever value is there: where it is not of the kind they ask for, they pass it.
pub struct Walker<'a> {
    text: &'a str,
    blocks: Blocks<'a>,
    /// Where the current block starts.
    block: usize,
    /// Its tokens that were not read yet.
    tokens: u64,
    /// The object whose members were read last.
    object: Option<Range<usize>>,
}

/// The name of a member, and where it stands.
pub struct MemberKey<'a> {
    /// The name; as it is spelled if no text can hold it.
    pub name: Cow<'a, str>,
    /// Where its opening quote is.
    pub start: usize,
    /// Where the comma before it is.
    pub comma: Option<usize>,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `"…"`
    String,
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// `-1.5e3`
    Number,
}

/// A value, and its bytes: for a string with its quotes.
#[derive(Debug, Clone)]
pub struct ValueSpan {
    /// What it is.
    pub kind: ValueKind,
    /// Its bytes.
    pub span: Range<usize>,
}

impl ValueSpan {
    /// What stands between the quotes, if it is a string.
    pub fn content(&self) -> Option<Range<usize>> {
        (self.kind == ValueKind::String).then(|| self.span.start + 1..self.span.end - 1)
    }
}

impl<'a> Walker<'a> {
    /// Reads a body.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub fn new(body: &'a [u8]) -> Result<Self, Refusal> {
        let text = simdutf8::compat::from_utf8(body)
            .map_err(|error| Refusal::NotUtf8 { at: error.valid_up_to() })?;
        Ok(Self::over(text))
    }

    /// Reads what is known to be text.
    pub fn over(text: &'a str) -> Self {
        Walker { text, blocks: Blocks::new(text.as_bytes()), block: 0, tokens: 0, object: None }
    }

    /// Reads the members of an object. `each` must read the value of its member.
    pub fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, MemberKey<'a>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if self.peek() != b'{' {
            self.object = None;
            return self.skip();
        }
        let open = self.token();
        let mut start = self.token();
        let mut comma = None;
        if self.byte(start) == b'}' {
            self.object = Some(open..start + 1);
            return Ok(());
        }
        loop {
            let spelling = self.key(start)?;
            let spelling = &self.text[spelling];
            let name = unescape(spelling).unwrap_or(Cow::Borrowed(spelling));
            each(self, MemberKey { name, start, comma })?;
            let end = self.token();
            match self.byte(end) {
                b',' => comma = Some(end),
                b'}' => {
                    self.object = Some(open..end + 1);
                    return Ok(());
                }
                _ => return Err(Refusal::NotJson { at: end }),
            }
            start = self.token();
        }
    }

    /// Whether the value that comes next is an object.
    pub fn is_at_object(&mut self) -> bool {
        self.peek() == b'{'
    }

    /// Where the object is whose members were read last: nothing if there was something else in its place.
    pub fn last_object(&self) -> Option<Range<usize>> {
        self.object.clone()
    }

    /// Reads the elements of an array and returns its span. `each` must read its element.
    pub fn array(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), Refusal>,
    ) -> Result<Option<Range<usize>>, Refusal> {
        if self.peek() != b'[' {
            return self.skip().map(|()| None);
        }
        let start = self.token();
        if self.peek() == b']' {
            return Ok(Some(start..self.token() + 1));
        }
        each(self)?;
        let end = self.further_elements(each)?;
        Ok(Some(start..end))
    }

    /// Reads the rest of an array, of which an element ends there.
    pub fn array_from(
        &mut self,
        end: usize,
        each: impl FnMut(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.jump(end);
        self.further_elements(each).map(|_| ())
    }

    /// Reads an array behind an element, and returns the offset behind the array.
    fn further_elements(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), Refusal>,
    ) -> Result<usize, Refusal> {
        loop {
            let end = self.token();
            match self.byte(end) {
                b',' => each(self)?,
                b']' => return Ok(end + 1),
                _ => return Err(Refusal::NotJson { at: end }),
            }
        }
    }

    /// Reads a string: nothing if it is not one, or one that no text can hold.
    pub fn text(&mut self) -> Result<Option<Cow<'a, str>>, Refusal> {
        let value = self.value()?;
        Ok(value.content().and_then(|content| unescape(&self.text[content])))
    }

    /// The text from there on.
    pub fn rest(&self, from: usize) -> &'a [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// How what stands there is spelled.
    pub fn spelling(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or_default()
    }

    /// Passes a value.
    pub fn skip(&mut self) -> Result<(), Refusal> {
        self.value().map(|_| ())
    }

    /// Passes a value of any kind and tells what and where it was.
    pub fn value(&mut self) -> Result<ValueSpan, Refusal> {
        let start = self.token();
        let (kind, end) = match self.byte(start) {
            b'"' => (ValueKind::String, self.string()),
            b'{' => (ValueKind::Object, self.container(true)?),
            b'[' => (ValueKind::Array, self.container(false)?),
            b'n' => (ValueKind::Null, self.scalar(start)?),
            b't' => (ValueKind::True, self.scalar(start)?),
            b'f' => (ValueKind::False, self.scalar(start)?),
            _ => (ValueKind::Number, self.scalar(start)?),
        };
        Ok(ValueSpan { kind, span: start..end })
    }

    /// Passes a value like [`value`](Self::value), without a look at a string that is known: `length` is told where what
    /// stands between its quotes begins, and the text from there on, and says how long that is.
    ///
    /// # Errors
    /// What stands there is not JSON, or too deep.
    pub fn value_but(
        &mut self,
        length: impl FnOnce(usize, &[u8]) -> Option<usize>,
    ) -> Result<ValueSpan, Refusal> {
        let start = self.upcoming();
        let content = start + 1;
        let known = match self.rest(start) {
            [b'"', rest @ ..] => length(content, rest),
            _ => None,
        };
        match known.map(|length| content.saturating_add(length)) {
            Some(close) if self.text.as_bytes().get(close) == Some(&b'"') => {
                self.jump(close + 1);
                Ok(ValueSpan { kind: ValueKind::String, span: start..close + 1 })
            }
            _ => self.value(),
        }
    }

    /// What the next value is, told by its first byte.
    pub fn peek(&mut self) -> u8 {
        let at = self.upcoming();
        self.byte(at)
    }

    /// After the document: nothing may follow.
    pub fn finish(mut self) -> Result<(), Refusal> {
        match self.upcoming() {
            at if at < self.text.len() || !self.blocks.is_well_formed() => {
                Err(Refusal::NotJson { at })
            }
            _ => Ok(()),
        }
    }

    /// Passes the rest of a container whose bracket was read, without recursion; returns the offset behind it.
    fn container(&mut self, is_object: bool) -> Result<usize, Refusal> {
        let mut nesting = Nesting::default();
        nesting.open(is_object);
        let mut is_first = true;
        loop {
            let mut at = self.token();
            let is_empty = is_first && self.byte(at) == nesting.closing();
            if !is_empty {
                if nesting.is_object() {
                    self.key(at)?;
                    at = self.token();
                }
                match self.byte(at) {
                    b'"' => self.string(),
                    bracket @ (b'{' | b'[') => {
                        if !nesting.open(bracket == b'{') {
                            return Err(Refusal::TooDeep { at });
                        }
                        is_first = true;
                        continue;
                    }
                    _ => self.scalar(at)?,
                };
                at = self.token();
            }
            // Behind a value: a comma, or the ends of as many containers as end here.
            while self.byte(at) != b',' {
                if self.byte(at) != nesting.closing() {
                    return Err(Refusal::NotJson { at });
                }
                if nesting.close() {
                    return Ok(at + 1);
                }
                at = self.token();
            }
            is_first = false;
        }
    }

    /// Reads the key whose opening quote was read, and its colon; returns what stands between the quotes.
    #[inline]
    fn key(&mut self, open: usize) -> Result<Range<usize>, Refusal> {
        let close = self.token();
        let colon = self.token();
        if self.byte(open) != b'"' || self.byte(colon) != b':' {
            return Err(Refusal::NotJson { at: open });
        }
        Ok(open + 1..close)
    }

    /// The offset behind the string whose opening quote was read: inside it there are no tokens.
    #[inline]
    fn string(&mut self) -> usize {
        self.token() + 1
    }

    #[inline]
    fn scalar(&mut self, at: usize) -> Result<usize, Refusal> {
        scalar::end(self.text.as_bytes(), at).ok_or(Refusal::NotJson { at })
    }

    /// Reads a token and returns its offset: behind the last one that of the end, where no token is right.
    #[inline]
    pub(super) fn token(&mut self) -> usize {
        let at = self.upcoming();
        self.tokens &= self.tokens.wrapping_sub(1);
        at
    }

    /// Goes on behind what need not be looked at.
    fn jump(&mut self, to: usize) {
        self.blocks.jump(to);
        self.tokens = 0;
    }

    /// Where the next token is.
    #[inline]
    pub fn upcoming(&mut self) -> usize {
        if self.tokens == 0 && !self.find_tokens() {
            return self.text.len();
        }
        self.block + self.tokens.trailing_zeros() as usize
    }

    /// Goes on to the next block that has tokens, if there is one.
    #[inline(never)]
    fn find_tokens(&mut self) -> bool {
        let found = self.blocks.advance();
        if let Some((block, tokens)) = found {
            (self.block, self.tokens) = (block, tokens);
        }
        found.is_some()
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(b' ')
    }
}

/// Which of the open containers are objects: one bit each.
#[derive(Default)]
struct Nesting {
    are_objects: [u64; MAX_DEPTH / 64],
    depth: usize,
    is_object: bool,
}

impl Nesting {
    /// Whether there was room for one more.
    fn open(&mut self, is_object: bool) -> bool {
        if self.depth == MAX_DEPTH {
            return false;
        }
        let (word, bit) = (self.depth / 64, self.depth % 64);
        self.are_objects[word] &= !(1 << bit);
        self.are_objects[word] |= u64::from(is_object) << bit;
        self.depth += 1;
        self.is_object = is_object;
        true
    }

    /// Whether that was the outermost one.
    fn close(&mut self) -> bool {
        self.depth -= 1;
        if let Some(outer) = self.depth.checked_sub(1) {
            self.is_object = self.are_objects[outer / 64] >> (outer % 64) & 1 == 1;
        }
        self.depth == 0
    }

    fn is_object(&self) -> bool {
        self.is_object
    }

    fn closing(&self) -> u8 {
        if self.is_object { b'}' } else { b']' }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tokenforge_samples::{Nasty, nasty};

    fn read(text: &[u8]) -> Result<ValueSpan, Refusal> {
        let mut reader = Walker::new(text)?;
        let value = reader.value()?;
        reader.finish()?;
        Ok(value)
    }

    #[test]
    fn a_value_is_passed_from_its_first_byte_to_its_last() {
        for text in ["{}", "[]", "1", "\"\"", r#"{"a":[1,{"b":"]}"}],"c":null}"#, "[[],[[]],{}]"] {
            let value = read(format!(" {text}\n").as_bytes()).unwrap();
            assert_eq!(value.span, 1..1 + text.len(), "{text}");
        }
    }

    #[test]
    fn members_may_spell_their_names_as_they_like() {
        let mut reader = Walker::new(br#"{ "\u0074ype" : 1 , "b":[2] , "\ud800":3 }"#).unwrap();
        let mut names = vec![];
        let mut each = |reader: &mut Walker<'_>, key: MemberKey<'_>| {
            names.push((key.name.into_owned(), key.start, key.comma));
            reader.skip()
        };
        reader.object(&mut each).unwrap();
        reader.finish().unwrap();
        let expected = [("type", 2, None), ("b", 20, Some(18)), (r"\ud800", 30, Some(28))];
        assert_eq!(names, expected.map(|(name, start, comma)| (name.to_owned(), start, comma)));
    }

    #[test]
    fn a_document_may_be_as_deep_as_the_limit_and_no_deeper() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert_eq!(
            read(nested(MAX_DEPTH + 1).as_bytes()).unwrap_err(),
            Refusal::TooDeep { at: MAX_DEPTH }
        );
        assert!(matches!(read(nested(100_000).as_bytes()), Err(Refusal::TooDeep { .. })));
        assert!(matches!(read("{\"a\":".repeat(100_000).as_bytes()), Err(Refusal::TooDeep { .. })));
    }

    fn is_json(text: &[u8]) -> bool {
        serde_json::from_slice::<&serde_json::value::RawValue>(text).is_ok()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn what_is_json_is_what_serde_json_takes_for_it(seed: u64, cut: prop::sample::Index, byte: u8) {
            let document = nasty(seed, Nasty::default()).into_bytes();
            prop_assert!(read(&document).is_ok());
            let at = cut.index(document.len());
            prop_assert_eq!(read(&document[..at]).is_ok(), is_json(&document[..at]));
            let mut damaged = document;
            damaged[at] = byte;
            prop_assert_eq!(read(&damaged).is_ok(), is_json(&damaged));
        }

        #[test]
        fn random_tokens_are_json_only_if_serde_json_agrees(
            text in r#"([\[\]{}:, ]|"a"|"\\[n"u]00e9"|1|-0.5e3|true|null){0,12}"#
        ) {
            prop_assert_eq!(read(text.as_bytes()).is_ok(), is_json(text.as_bytes()));
        }
    }
}
