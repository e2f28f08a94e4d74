//! A name that others chose, in a length that we choose.

use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// How many characters of a name are kept.
const LONGEST: usize = 64;

/// Longer names of programs are none.
const LONGEST_PROGRAM: usize = 32;

/// A name of a tool, a client, a project, a model or a stage: at most 64 characters, none of them invisible.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BoundedName(Box<str>);

impl BoundedName {
    /// A fingerprint of what a client calls its session, which is its own business.
    ///
    /// ```
    /// let name = tokenforge_ledger::BoundedName::of_session("my secret plan");
    /// assert_eq!(name.as_str().len(), 16);
    /// ```
    #[must_use]
    pub fn of_session(session: &str) -> Self {
        BoundedName(format!("{:016x}", xxh3_64(session.as_bytes())).into())
    }

    /// A program that a shell ran, by the end of its path. What does not look like the name of a program may be anything,
    /// and is not written down.
    ///
    /// ```
    /// use tokenforge_ledger::BoundedName;
    ///
    /// assert_eq!(BoundedName::of_program("/usr/bin/git"), Some("git".into()));
    /// assert_eq!(BoundedName::of_program("$(cat key)"), None);
    /// ```
    #[must_use]
    pub fn of_program(program: &str) -> Option<Self> {
        let name = program.rsplit(['/', '\\']).next()?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
        let is_name = (1..=LONGEST_PROGRAM).contains(&name.len()) && name.bytes().all(is_plain);
        is_name.then(|| name.into())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for BoundedName {
    fn from(name: &str) -> Self {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
        if name.len() <= LONGEST && name.as_bytes().iter().all(is_plain) {
            return BoundedName(name.into());
        }
        let shown = |character: char| if character.is_control() { '\u{fffd}' } else { character };
        BoundedName(name.chars().take(LONGEST).map(shown).collect())
    }
}

impl PartialEq<str> for BoundedName {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl fmt::Display for BoundedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for BoundedName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Ok(BoundedName::from(&*name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_bounded_and_moves_no_cursor() {
        assert_eq!(BoundedName::from("Ä".repeat(100).as_str()).as_str(), "Ä".repeat(64));
        assert_eq!(BoundedName::from("a\u{1b}[2Jb").as_str(), "a\u{fffd}[2Jb");
        assert_eq!(BoundedName::from("a\u{7f}\u{9b}b").as_str(), "a\u{fffd}\u{fffd}b");
        assert_eq!(BoundedName::from("a".repeat(65).as_str()).as_str(), "a".repeat(64));
        assert_eq!(BoundedName::from("mcp__a tool~").as_str(), "mcp__a tool~");
    }
}
