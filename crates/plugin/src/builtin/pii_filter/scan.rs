//! The scanner: everything personal in one text, in one pass.

use super::spot::{ScanPosition, is_word};
use super::{card, email, iban, ip, phone};
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::Range;

/// A kind of thing that says who somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum PersonalDataKind {
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

impl PersonalDataKind {
    /// Every kind, in the order in which they are tried: what is checked more strictly goes first.
    pub(super) const ALL: [Self; 5] = [Self::Email, Self::Ip, Self::Iban, Self::Card, Self::Phone];

    fn find(self, spot: &ScanPosition<'_>) -> Option<Range<usize>> {
        match self {
            Self::Email => email::find(spot),
            Self::Ip => ip::find(spot),
            Self::Iban => iban::find(spot),
            Self::Card => card::find(spot),
            Self::Phone => phone::find(spot),
        }
    }
}

/// What is personal in a text, in its order. `name` is that of the member whose value it is, if it is one.
///
/// Each kind looks a bounded way ahead and back, so that the time is linear on any text. What is found begins and ends
/// with a byte of ASCII.
pub(super) fn find(
    name: &str,
    text: &str,
    is_wanted: impl Fn(PersonalDataKind) -> bool,
) -> Vec<(PersonalDataKind, Range<usize>)> {
    let bytes = text.as_bytes();
    let wanted: Vec<PersonalDataKind> =
        PersonalDataKind::ALL.into_iter().filter(|kind| is_wanted(*kind)).collect();
    let mut found = Vec::new();
    let (mut at, mut floor) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' {
            // Text in text: what is escaped must stay so, and its letters belong to no word.
            at += escape(&bytes[at..]);
            floor = at;
            continue;
        }
        let spot = ScanPosition::new(bytes, at, floor, name);
        let first = match may_begin(byte) {
            true => wanted.iter().find_map(|kind| Some((*kind, kind.find(&spot)?))),
            false => None,
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
