//! Personal data (PII) in one text, found in one pass: e-mail addresses, telephone numbers, card numbers and bank accounts
//! whose checksums are right, IP addresses.

mod card;
mod email;
mod iban;
mod ip;
mod phone;
mod spot;

use crate::replace::TextFinder;
use spot::{TextSpot, is_word};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A kind of data that identifies a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PersonalKind {
    /// An address of e-mail.
    Email,
    /// The address of a machine, IPv4 or IPv6.
    Ip,
    /// A bank account.
    Iban,
    /// The number of a payment card.
    Card,
    /// A telephone number.
    Phone,
}

impl PersonalKind {
    /// Every kind, in the order in which they are tried: what is checked more strictly goes first.
    pub const ALL: [Self; 5] = [Self::Email, Self::Ip, Self::Iban, Self::Card, Self::Phone];

    fn find(self, spot: &TextSpot<'_>) -> Option<Range<usize>> {
        match self {
            Self::Email => email::find(spot),
            Self::Ip => ip::find(spot),
            Self::Iban => iban::find(spot),
            Self::Card => card::find(spot),
            Self::Phone => phone::find(spot),
        }
    }
}

/// Finds what is personal, and knows what replaces it: a text without quotes, backslashes and control characters for each
/// kind that is looked for.
#[derive(Debug, Clone, Default)]
pub struct PersonalFinder(pub BTreeMap<PersonalKind, String>);

impl TextFinder for PersonalFinder {
    fn find<'s>(&'s self, name: &str, text: &str) -> Vec<(Range<usize>, Cow<'s, str>)> {
        let found = find(name, text, |kind| self.0.contains_key(&kind));
        found
            .into_iter()
            .filter_map(|(kind, range)| Some((range, self.0.get(&kind)?.into())))
            .collect()
    }
}

/// What is personal in a text, in its order. `name` is that of the member whose value it is, if it is one.
///
/// Each kind looks a bounded way ahead and back, so that the time is linear on any text. What is found begins and ends
/// with a byte of ASCII.
fn find(
    name: &str,
    text: &str,
    is_wanted: impl Fn(PersonalKind) -> bool,
) -> Vec<(PersonalKind, Range<usize>)> {
    let bytes = text.as_bytes();
    let wanted: Vec<PersonalKind> =
        PersonalKind::ALL.into_iter().filter(|kind| is_wanted(*kind)).collect();
    let mut found = Vec::new();
    let (mut at, mut floor) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' {
            // Text in text: what is escaped must stay so, and its letters belong to no word.
            at += escape(&bytes[at..]);
            floor = at;
            continue;
        }
        let spot = TextSpot::new(bytes, at, floor, name);
        let first = if may_begin(byte) {
            wanted.iter().find_map(|kind| Some((*kind, kind.find(&spot)?)))
        } else {
            None
        };
        match first {
            Some((kind, range)) => {
                (at, floor) = (range.end, range.end);
                found.push((kind, range));
            }
            None => at += 1,
        }
    }
    found
}

fn may_begin(byte: u8) -> bool {
    is_word(byte) || b"%+-.:(".contains(&byte)
}

/// How many bytes a backslash makes one of.
fn escape(bytes: &[u8]) -> usize {
    match bytes.get(1) {
        Some(b'u')
            if bytes.get(2..6).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) =>
        {
            6
        }
        Some(byte) if byte.is_ascii() => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
