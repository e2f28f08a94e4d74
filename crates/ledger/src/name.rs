//! A name that others chose, in a length that we choose.

use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// How many characters of a name are kept.
const LONGEST: usize = 64;

/// A name of a tool, a client, a project, a model or a stage: at most 64 characters, none of them invisible.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Name(Box<str>);

impl Name {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Name {
    /// What stands for a session in the ledger: enough to tell it from others, and not its name.
    #[must_use]
    pub fn of_session(session: &str) -> Self {
        Name::from(&*format!("{:016x}", xxhash_rust::xxh3::xxh3_64(session.as_bytes())))
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
        if name.len() <= LONGEST && name.as_bytes().iter().all(is_plain) {
            return Name(name.into());
        }
        let shown = |character: char| if character.is_control() { '\u{fffd}' } else { character };
        Name(name.chars().take(LONGEST).map(shown).collect())
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Name::from(&*name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_bounded_and_moves_no_cursor() {
        assert_eq!(Name::from("Ä".repeat(100).as_str()).as_str(), "Ä".repeat(64));
        assert_eq!(Name::from("a\u{1b}[2Jb").as_str(), "a\u{fffd}[2Jb");
        assert_eq!(Name::from("a\u{7f}\u{9b}b").as_str(), "a\u{fffd}\u{fffd}b");
        assert_eq!(Name::from("a".repeat(65).as_str()).as_str(), "a".repeat(64));
        assert_eq!(Name::from("mcp__a tool~").as_str(), "mcp__a tool~");
    }
}
