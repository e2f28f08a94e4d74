//! Secrets that are known by the name they are given: `DD_API_KEY=...`, `"password": "..."`.

use std::ops::Range;

use super::{
    assignment::{self, Assignment},
    digest,
    finding::{Certainty, Findings},
    marker, randomness,
    rules::{AssignedRule, ValueLooks},
};

/// The words that a name has when it names a secret, and where in them their pair of letters is (see `spots`).
const WORDS: [(&[u8], usize); 8] = [
    (b"token", 2),
    (b"key", 0),
    (b"password", 3),
    (b"passwd", 3),
    (b"pwd", 0),
    (b"secret", 2),
    (b"credential", 0),
    (b"authorization", 6),
];

/// Nothing shorter is a secret.
const SHORTEST: usize = 8;

/// Looks for a secret assigned to the name that has a pair of letters at this byte.
pub(crate) fn find_at(rules: &[AssignedRule], text: &str, pair: usize, findings: &mut Findings) {
    let Some(word) = word_at(text.as_bytes(), pair) else { return };
    let Some(assignment) = assignment::around(text, word) else { return };
    let is_none = is_word(&assignment) || digest::is_labelled(assignment.value);
    if is_none || is_beside_marker(text, pair, &assignment) {
        return;
    }
    let name = Name::of(assignment.name);
    if let Some(rule) = rules.iter().find(|rule| rule.matches(&name, &assignment)) {
        let certainty = if rule.regex.is_some() { Certainty::NameAndForm } else { Certainty::Name };
        findings.add(certainty, rule.id, assignment.range);
    }
}

fn word_at(bytes: &[u8], pair: usize) -> Option<Range<usize>> {
    WORDS.iter().find_map(|(word, place)| {
        let start = pair.checked_sub(*place)?;
        let end = start + word.len();
        bytes.get(start..end)?.eq_ignore_ascii_case(word).then_some(start..end)
    })
}

/// Short, or without a digit: no secret, and said before any rule is asked. Credentials of a header may have none.
fn is_word(assignment: &Assignment) -> bool {
    let has_digit = || assignment.value.bytes().any(|byte| byte.is_ascii_digit());
    assignment.value.len() < SHORTEST || !(assignment.has_scheme || has_digit())
}

/// A name in a marker is none, and what is left of a name or value beside a marker was looked at before.
fn is_beside_marker(text: &str, pair: usize, assignment: &Assignment) -> bool {
    let bytes = text.as_bytes();
    marker::is_around(bytes, pair)
        || marker::ends_at(bytes, assignment.start)
        || marker::within(assignment.value)
        || marker::starts_at(bytes, assignment.range.end)
        || marker::ends_at(bytes, assignment.range.start)
}

/// `ed25519.Ed25519PrivateKey`, as a type or an expression.
fn is_path(assignment: &Assignment) -> bool {
    !assignment.is_literal() && assignment.value.contains('.')
}

impl AssignedRule {
    fn matches(&self, name: &Name, assignment: &Assignment) -> bool {
        self.names.iter().any(|part| name.contains(part))
            && !self.not_names.iter().any(|part| name.contains(part))
            && match self.looks {
                ValueLooks::Form => {
                    !randomness::is_masked(assignment.value) && self.fits(assignment.value)
                }
                ValueLooks::Random => {
                    randomness::is_random(assignment.value)
                        && !is_path(assignment)
                        && !digest::is_named(assignment.name, assignment.value)
                }
                ValueLooks::Password => {
                    randomness::is_password(assignment.value, assignment.is_literal())
                }
                ValueLooks::Header => {
                    assignment.has_scheme && randomness::is_mixed(assignment.value)
                }
            }
    }

    fn fits(&self, value: &str) -> bool {
        self.pattern().is_some_and(|pattern| pattern.is_match(value))
            && randomness::entropy(value) >= self.entropy
    }
}

/// A name as rules see it: lower case, letters and digits alone. `AWS_SECRET`, `awsSecret` and `aws-secret` are one.
struct Name {
    bytes: [u8; 96],
    length: usize,
}

impl Name {
    fn of(name: &str) -> Self {
        let mut simple = Self { bytes: [0; 96], length: 0 };
        let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
        for (place, byte) in simple.bytes.iter_mut().zip(letters) {
            *place = byte.to_ascii_lowercase();
            simple.length += 1;
        }
        simple
    }

    fn contains(&self, part: &str) -> bool {
        let bytes = &self.bytes[..self.length];
        match part.strip_suffix('$') {
            Some(end) => bytes.ends_with(end.as_bytes()),
            None => bytes.windows(part.len()).any(|window| window == part.as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_in_every_spelling() {
        for name in ["AWS_SECRET_KEY", "awsSecretKey", "aws-secret-key", "aws.secret.key"] {
            let name = Name::of(name);
            assert!(name.contains("awssecret") && name.contains("key$"));
            assert!(!name.contains("secret$") && !name.contains("tokens"));
        }
    }

    #[test]
    fn words_are_found_from_their_pair_in_any_case() {
        assert_eq!(word_at(b"a Token", 4), Some(2..7));
        assert_eq!(word_at(b"a KEY", 2), Some(2..5));
        assert_eq!(word_at(b"passwd", 3), Some(0..6));
        assert_eq!(word_at(b"smoke", 3), None);
        assert_eq!(word_at(b"ke", 0), None);
    }
}
