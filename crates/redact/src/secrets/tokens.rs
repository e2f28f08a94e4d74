//! Tokens that are known by their own form: `ghp_...`, `AKIA...`, `SG....`.
//!
//! A token begins with a literal, and a long run of token characters begins in that literal or soon after it. So only
//! the bytes around the beginning of a run are compared with the literals of the rules.

use std::ops::Range;

use super::{
    finding::{Certainty, Findings},
    marker, randomness,
    rules::TokenRule,
};

/// How far behind its beginning a run may still hold the literal: `\u003d` and the like come before it.
const AHEAD: usize = 6;

/// No token is longer, some JWTs aside.
const WINDOW: usize = 8192;

/// The first bytes of a literal.
type Beginning = [u8; 3];

/// The rules and the index of their literals.
pub(crate) struct TokenRules {
    rules: Vec<TokenRule>,
    /// The beginning of every literal in order, the literal and its rule.
    literals: Vec<(Beginning, &'static [u8], usize)>,
    /// One bit for the hash of every beginning.
    hashes: Box<[u64; 1024]>,
}

impl TokenRules {
    pub(crate) fn new(rules: Vec<TokenRule>) -> Self {
        let mut literals = vec![];
        for (index, rule) in rules.iter().enumerate() {
            let bytes = rule.literals.iter().map(|literal| literal.as_bytes());
            literals.extend(
                bytes.filter_map(|literal| Some((*literal.first_chunk()?, literal, index))),
            );
        }
        literals.sort_unstable();
        let mut hashes = Box::new([0; 1024]);
        for (beginning, ..) in &literals {
            let hash = hash(*beginning);
            hashes[hash / 64] |= 1 << (hash % 64);
        }
        Self { rules, literals, hashes }
    }

    /// Looks for tokens around the beginning of a run.
    pub(crate) fn find_at(&self, text: &str, run: usize, findings: &mut Findings) {
        let bytes = text.as_bytes();
        if marker::ends_at(bytes, run) {
            return; // the rest of a run that was looked at before it was redacted
        }
        for at in run.saturating_sub(reach_back(bytes, run))..=run + AHEAD {
            let Some(&beginning) = bytes.get(at..).and_then(|rest| rest.first_chunk()) else {
                return;
            };
            let hash = hash(beginning);
            if self.hashes[hash / 64] >> (hash % 64) & 1 == 1 {
                self.find_literal(text, at, beginning, findings);
            }
        }
    }

    fn find_literal(&self, text: &str, at: usize, beginning: Beginning, findings: &mut Findings) {
        let first = self.literals.partition_point(|(other, ..)| *other < beginning);
        let literals =
            self.literals.iter().skip(first).take_while(|(other, ..)| *other == beginning);
        for (_, literal, rule) in literals {
            let Some(rule) = self.rules.get(*rule) else { continue };
            if text.as_bytes()[at..].starts_with(literal)
                && !findings.covers(rule.id, at)
                && let Some(range) = rule.matches(text, at)
            {
                findings.add(Certainty::Form, rule.id, range);
            }
        }
    }

    pub(crate) fn rules(&self) -> &[TokenRule] {
        &self.rules
    }
}

impl TokenRule {
    /// The secret, if the token whose literal is at this byte is one.
    fn matches(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        if !self.is_possible(bytes, at) {
            return None;
        }
        let start = text.floor_char_boundary(at.saturating_sub(self.back));
        let window = text.get(start..text.floor_char_boundary(at + WINDOW))?;
        let captures = self.pattern().captures(window)?;
        let whole = captures.get(0)?;
        let secret = captures.get(1).unwrap_or(whole);
        let is_around = (start + whole.start()..start + whole.end()).contains(&at);
        let is_whole = begins_freely(bytes, start + whole.start())
            && (ends_freely(bytes, start + whole.end()) || whole.end() == window.len());
        let range = start + secret.start()..start + secret.end();
        let is_token = is_around && is_whole && !randomness::is_masked(secret.as_str());
        (is_token && self.is_even(text, range.clone())).then_some(range)
    }

    /// What can be said without the pattern.
    fn is_possible(&self, bytes: &[u8], at: usize) -> bool {
        let soon = bytes.get(at..bytes.len().min(at + 64)).unwrap_or_default();
        (self.back > 0 || begins_freely(bytes, at))
            && (self.entropy == 0.0 || soon.iter().any(u8::is_ascii_digit))
    }

    /// Whether a token that others could be mistaken for is random, and no piece of base64.
    fn is_even(&self, text: &str, secret: Range<usize>) -> bool {
        let is_base64 = |at: Option<usize>| {
            at.and_then(|at| text.as_bytes().get(at))
                .is_some_and(|byte| matches!(byte, b'+' | b'/'))
        };
        let is_piece = is_base64(secret.start.checked_sub(1)) && is_base64(Some(secret.end));
        let secret = &text[secret];
        let has_digit = || secret.bytes().any(|byte| byte.is_ascii_digit());
        self.entropy == 0.0
            || (!is_piece && has_digit() && randomness::entropy(secret) >= self.entropy)
    }
}

/// How far before a run the literal of its token may begin: that depends on what joins the two.
fn reach_back(bytes: &[u8], run: usize) -> usize {
    match run.checked_sub(1).and_then(|before| bytes.get(before)) {
        Some(b'$') => 32,        // access_token$production$
        Some(b'.' | b'!') => 20, // dp.st.production.
        Some(b'~' | b'=') => 8,  // sha256~ sig=
        Some(b'/' | b':') => 4,  // 1//0 :AA
        _ => 0,
    }
}

/// A hash of 16 bits.
fn hash([a, b, c]: Beginning) -> usize {
    (u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// Whether a token may begin here: not within a word, except behind what is left of an escape (`\n`, `%3D`, `ESC[1m`).
fn begins_freely(bytes: &[u8], at: usize) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = bytes.get(at.saturating_sub(8)..at).unwrap_or_default();
    let word = before.iter().rev().take_while(|byte| is_word(byte)).count();
    let (rest, word) = before.split_at(before.len() - word);
    match (rest.last(), word) {
        (_, []) => !marker::ends_at(bytes, at),
        (Some(b'\\'), [b'n' | b't' | b'r']) => true,
        (Some(b'\\'), [b'u', code @ ..]) => code.len() == 4,
        (Some(b'%'), code) => code.len() == 2,
        (Some(b'[' | b';'), [codes @ .., b'm']) => codes.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn ends_freely(bytes: &[u8], at: usize) -> bool {
    !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) && !marker::starts_at(bytes, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_begins_at_a_word_or_behind_an_escape() {
        let freely = |before: &str| begins_freely(before.as_bytes(), before.len());
        for before in
            ["", " ", "=", "\"", "-", r"\n", r"\\n", "%3D", r"\u003d", "\x1b[1m", "\x1b[0;32m", "é"]
        {
            assert!(freely(before), "{before}");
        }
        for before in ["a", "_", "x_", "task", r"\x", "100%3", "[REDACTED:jwt]"] {
            assert!(!freely(before), "{before}");
        }
    }
}
