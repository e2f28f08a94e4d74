//! Tokens that are known by their own form: `ghp_...`, `AKIA...`, `SG....`.
//!
//! A token begins with a literal, and a long run of token characters begins in that literal or soon after it. So only
//! the bytes around the beginning of a run are compared with the literals of the rules.

use crate::{chance, finding, finding::Findings, marker, rules::Token};

/// How far behind its beginning a run may still hold the literal: `\u003d` and the like come before it.
const AHEAD: usize = 6;

/// How far before a run the literal may begin: `hooks.slack.com/services/T.../B.../`.
const BEFORE: usize = 80;

/// No token is longer, some JWTs aside.
const WINDOW: usize = 8192;

/// The rules and the index of their literals.
pub(crate) struct Tokens {
    rules: Vec<Token>,
    /// The literals in order, each with its rule.
    literals: Vec<(&'static [u8], usize)>,
    /// One bit for the hash of the first three bytes of every literal.
    beginnings: Box<[u64; 1024]>,
}

impl Tokens {
    pub(crate) fn new(rules: Vec<Token>) -> Self {
        let mut literals: Vec<(&[u8], usize)> = vec![];
        for (index, rule) in rules.iter().enumerate() {
            literals.extend(rule.literals.iter().map(|literal| (literal.as_bytes(), index)));
        }
        literals.sort_unstable();
        let mut beginnings = Box::new([0; 1024]);
        for hash in literals.iter().filter_map(|(literal, _)| beginning(literal)) {
            beginnings[hash / 64] |= 1 << (hash % 64);
        }
        Self { rules, literals, beginnings }
    }

    /// Looks for tokens around the beginning of a run.
    pub(crate) fn find_at(&self, text: &str, run: usize, findings: &mut Findings) {
        let bytes = text.as_bytes();
        for at in run.saturating_sub(reach_back(bytes, run))..=run + AHEAD {
            let Some(rest) = bytes.get(at..) else { return };
            if beginning(rest)
                .is_some_and(|hash| self.beginnings[hash / 64] >> (hash % 64) & 1 == 1)
            {
                for rule in self.rules_at(rest) {
                    if let Some(range) = rule.matches(text, at) {
                        findings.add(finding::Certainty::Form, rule.id, range);
                    }
                }
            }
        }
    }

    /// The rules that have a literal which these bytes begin with.
    fn rules_at(&self, bytes: &[u8]) -> impl Iterator<Item = &Token> {
        let first = self.literals.partition_point(|(literal, _)| literal.first() < bytes.first());
        let same = self
            .literals
            .iter()
            .skip(first)
            .take_while(move |(literal, _)| literal.first() == bytes.first());
        same.filter(move |(literal, _)| bytes.starts_with(literal))
            .filter_map(|&(_, rule)| self.rules.get(rule))
    }

    pub(crate) fn rules(&self) -> &[Token] {
        &self.rules
    }
}

impl Token {
    /// The secret, if the token whose literal is at this byte is one.
    fn matches(&self, text: &str, at: usize) -> Option<std::ops::Range<usize>> {
        let start = text.floor_char_boundary(at.saturating_sub(self.back));
        let end = text.floor_char_boundary(at + WINDOW);
        let captures = self.pattern().captures(text.get(start..end)?)?;
        let whole = captures.get(0)?;
        let secret = captures.get(1).unwrap_or(whole);
        let is_token = begins_freely(text.as_bytes(), start + whole.start())
            && ends_freely(text.as_bytes(), start + whole.end())
            && start + whole.start() <= at
            && at < start + whole.end()
            && !chance::is_masked(secret.as_str())
            && self.is_even(secret.as_str());
        is_token.then(|| start + secret.start()..start + secret.end())
    }

    fn is_even(&self, secret: &str) -> bool {
        let has_digit = || secret.bytes().any(|byte| byte.is_ascii_digit());
        self.entropy == 0.0 || (has_digit() && chance::entropy(secret) >= self.entropy)
    }
}

/// How far before a run its literal may begin: not at all, unless the run continues something.
fn reach_back(bytes: &[u8], run: usize) -> usize {
    match run.checked_sub(1).and_then(|before| bytes.get(before)) {
        Some(b'.' | b'/' | b'~' | b':' | b'$' | b'@' | b'!') => BEFORE,
        Some(b'=') => 8,
        _ => 0,
    }
}

fn beginning(bytes: &[u8]) -> Option<usize> {
    let &[a, b, c] = bytes.first_chunk()?;
    Some((u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1) >> 16) as usize)
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
