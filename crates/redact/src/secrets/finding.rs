//! Where a secret is, and what happens to findings that overlap.

use std::ops::Range;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The id of the rule that found it.
    pub rule: &'static str,
    /// The bytes of the secret alone, without the name or the quotes around it.
    pub range: Range<usize>,
}

/// How much a rule knows. Of two that claim the same bytes, the one that knows more names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// Only the name says that it is a secret.
    Name,
    /// Name and form fit together.
    NameAndForm,
    /// The form belongs to one vendor.
    Form,
    /// A whole key block.
    Block,
}

/// Findings in the order they were made.
#[derive(Default)]
pub(crate) struct Findings(Vec<(Certainty, Finding)>);

impl Findings {
    pub(crate) fn add(&mut self, certainty: Certainty, rule: &'static str, range: Range<usize>) {
        self.0.push((certainty, Finding { rule, range }));
    }

    /// Whether the last finding is of this rule and reaches beyond this byte: the rule has been there.
    pub(crate) fn covers(&self, rule: &str, at: usize) -> bool {
        self.0.last().is_some_and(|(_, last)| last.rule == rule && at < last.range.end)
    }

    /// Sorted, with those that overlap made one, so that nothing of a secret stays behind beside another.
    pub(crate) fn into_disjoint(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|(_, finding)| finding.range.start);
        self.0.dedup_by(|(next_certainty, next), (certainty, kept)| {
            let overlaps = next.range.start < kept.range.end;
            if overlaps {
                let rank = (*certainty, kept.range.len());
                if (*next_certainty, next.range.len()) > rank {
                    (*certainty, kept.rule) = (*next_certainty, next.rule);
                }
                kept.range.end = kept.range.end.max(next.range.end);
            }
            overlaps
        });
        self.0.into_iter().map(|(_, finding)| finding).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_findings_become_one_named_by_the_surest() {
        let mut findings = Findings::default();
        findings.add(Certainty::Form, "token", 30..40);
        findings.add(Certainty::Name, "name", 10..20);
        findings.add(Certainty::Form, "form", 12..25);
        findings.add(Certainty::NameAndForm, "both", 25..26);
        let disjoint: Vec<_> =
            findings.into_disjoint().into_iter().map(|found| (found.rule, found.range)).collect();
        assert_eq!(disjoint, [("form", 10..25), ("both", 25..26), ("token", 30..40)]);
    }
}
