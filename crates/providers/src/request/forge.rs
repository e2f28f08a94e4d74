//! Our own member at the top of a body, which the provider must not see.

use super::slot::Slot;
use crate::json::text::unescape;
use crate::json::{Key, Reader};
use crate::refusal::Refusal;
use crate::splice::Splice;
use memchr::{memchr, memchr2};
use std::borrow::Cow;
use std::ops::Range;

/// The name of the member.
pub(crate) const NAME: &str = "_forge";

/// Where the `_forge` member is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeMember {
    /// Its value.
    pub value: Range<usize>,
    /// The bytes to cut so that it is gone, with one comma, and what remains is JSON.
    pub cut: Range<usize>,
}

impl ForgeMember {
    /// Finds the member at the top of any JSON body, whatever else the body says.
    ///
    /// # Errors
    /// The body is not JSON, or the member occurs twice.
    pub fn find(body: &[u8]) -> Result<Option<Self>, Refusal> {
        let mut reader = Reader::new(body)?;
        let mut member = ForgeSlot::default();
        reader.object(|reader, key| {
            member.note_next(&key);
            match &*key.name {
                NAME => member.read(reader, &key),
                _ => reader.skip(),
            }
        })?;
        reader.finish()?;
        Ok(member.take())
    }

    /// Whether a member of this name stands anywhere in a text like JSON, however deep that nests: [`find`](Self::find)
    /// refuses a body that is too deep to be read.
    #[must_use]
    pub fn is_named(body: &[u8]) -> bool {
        let mut at = 0;
        while let Some(start) =
            body.get(at..).and_then(|rest| memchr(b'"', rest)).map(|found| at + found + 1)
        {
            let Some(end) = end_of_string(body, start) else { return false };
            let behind = body.get(end + 1..).unwrap_or_default().trim_ascii_start();
            let name = body.get(start..end).and_then(|name| str::from_utf8(name).ok());
            if behind.first() == Some(&b':') && name.and_then(unescape).as_deref() == Some(NAME) {
                return true;
            }
            at = end + 1;
        }
        false
    }

    /// Cuts the member out.
    #[must_use]
    pub fn removal(&self) -> Splice<'static> {
        Splice { range: self.cut.clone(), with: Cow::Borrowed("") }
    }
}

/// Where the quote stands that ends a string.
fn end_of_string(body: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr2(b'"', b'\\', body.get(at..)?)?;
        match body.get(at)? {
            b'"' => return Some(at),
            _ => at += 2,
        }
    }
}

/// The member, while the others are still being read.
#[derive(Default)]
pub(crate) struct ForgeSlot {
    slot: Slot<ForgeMember>,
    /// It was the latest member.
    is_last: bool,
    start: usize,
    next: Option<usize>,
}

impl ForgeSlot {
    pub(crate) fn read(&mut self, reader: &mut Reader<'_>, key: &Key<'_>) -> Result<(), Refusal> {
        let value = reader.value()?.span;
        // If nothing follows, the comma before it goes, too.
        let cut = key.comma.unwrap_or(key.start)..value.end;
        self.slot.set(key, Some(ForgeMember { value, cut }))?;
        (self.is_last, self.start) = (true, key.start);
        Ok(())
    }

    /// Another member follows.
    pub(crate) fn note_next(&mut self, key: &Key<'_>) {
        if std::mem::take(&mut self.is_last) {
            self.next = Some(key.start);
        }
    }

    pub(crate) fn take(self) -> Option<ForgeMember> {
        let forge = self.slot.take()?;
        Some(match self.next {
            // Up to the next key, so that the white space before it stands before that one.
            Some(next) => ForgeMember { cut: self.start..next, ..forge },
            None => forge,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{ForgeMember, Refusal, RequestHead, splice};

    #[track_caller]
    fn cut(body: &str) -> (String, String) {
        let forge = RequestHead::read(body.as_bytes()).unwrap().forge.unwrap();
        assert_eq!(ForgeMember::find(body.as_bytes()).unwrap().as_ref(), Some(&forge));
        let rest = splice(body.as_bytes(), &[forge.removal()]).unwrap();
        (body[forge.value].to_owned(), String::from_utf8(rest).unwrap())
    }

    #[test]
    fn f5_the_member_is_cut_out_wherever_it_stands() {
        for (body, value, rest) in [
            (r#"{"_forge":{"mode":"safe"},"a":1}"#, r#"{"mode":"safe"}"#, r#"{"a":1}"#),
            (r#"{"a":1,"_forge":"safe","b":2}"#, r#""safe""#, r#"{"a":1,"b":2}"#),
            (r#"{"a":1,"_forge":[1,2]}"#, "[1,2]", r#"{"a":1}"#),
            (r#"{"_forge":null}"#, "null", "{}"),
            (
                "{\n  \"a\": 1,\n  \"_forge\": {},\n  \"b\": 2\n}",
                "{}",
                "{\n  \"a\": 1,\n  \"b\": 2\n}",
            ),
            ("{\n  \"a\": 1 ,\n  \"_forge\" : 0\n}", "0", "{\n  \"a\": 1 \n}"),
            (r#"{"\u005fforge":1,"a":{"_forge":2}}"#, "1", r#"{"a":{"_forge":2}}"#),
        ] {
            assert_eq!(cut(body), (value.to_owned(), rest.to_owned()), "{body}");
        }
    }

    #[test]
    fn f5_two_of_them_are_refused_and_none_is_none() {
        let refusal = RequestHead::read(br#"{"_forge":1,"_forge":2}"#).unwrap_err();
        assert_eq!(refusal, Refusal::Ambiguous { key: "_forge".to_owned(), at: 12 });
        assert_eq!(RequestHead::read(br#"{"a":{"_forge":1}}"#).unwrap().forge, None);
        assert_eq!(ForgeMember::find(br#"{"_forge":1,"_forge":2}"#).unwrap_err(), refusal);
        assert_eq!(ForgeMember::find(br#"{"a":{"_forge":1}}"#), Ok(None));
        assert_eq!(ForgeMember::find(br#"[{"_forge":1}]"#), Ok(None));
    }
}
