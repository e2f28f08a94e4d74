//! Splices: replacing bytes of a body and nothing else.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes of a body, and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice<'a> {
    /// Which bytes.
    pub range: Range<usize>,
    /// What instead: JSON as it is to be written, escaped already.
    pub with: Cow<'a, str>,
}

impl Splice<'_> {
    /// The same change, which borrows from no text.
    #[must_use]
    pub fn into_owned(self) -> Splice<'static> {
        Splice { range: self.range, with: Cow::Owned(self.with.into_owned()) }
    }
}

/// The body with its splices, given in any order. Outside them the bytes are the same.
///
/// Nothing if two of them overlap or one is not inside the body: then they were not made for this body.
#[must_use]
pub fn splice(body: &[u8], splices: &[Splice<'_>]) -> Option<Vec<u8>> {
    replace(body, splices.iter().map(|splice| (splice.range.clone(), &*splice.with)))
}

/// The body with other bytes in these ranges, which are given in any order: like [`splice`].
#[must_use]
pub fn replace<'w>(
    body: &[u8],
    ranges: impl Iterator<Item = (Range<usize>, &'w str)>,
) -> Option<Vec<u8>> {
    let mut ordered: Vec<(Range<usize>, &str)> = ranges.collect();
    ordered.sort_by_key(|(range, _)| (range.start, range.end));
    let added: usize = ordered.iter().map(|(_, with)| with.len()).sum();
    let removed: usize = ordered.iter().map(|(range, _)| range.len()).sum();
    let mut spliced = Vec::with_capacity((body.len() + added).saturating_sub(removed));
    let mut at = 0;
    for (range, with) in ordered {
        spliced.extend_from_slice(body.get(at..range.start)?);
        spliced.extend_from_slice(with.as_bytes());
        at = range.end.max(range.start);
    }
    spliced.extend_from_slice(body.get(at..)?);
    Some(spliced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(range: Range<usize>, with: &str) -> Splice<'_> {
        Splice { range, with: Cow::Borrowed(with) }
    }

    #[test]
    fn l1_only_the_spliced_bytes_change_in_whatever_order_they_are_given() {
        let spliced =
            splice(b"0123456789", &[at(7..9, ""), at(2..2, "+"), at(2..4, "ab")]).unwrap();
        assert_eq!(spliced, b"01+ab4569");
        assert_eq!(splice(b"same", &[]).unwrap(), b"same");
    }

    #[test]
    fn splices_of_another_body_are_refused() {
        for splices in [[at(0..3, ""), at(2..4, "")], [at(0..1, ""), at(3..9, "")]] {
            assert_eq!(splice(b"0123", &splices), None);
        }
    }
}
