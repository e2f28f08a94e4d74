//! Tool declarations as entries have them: which tools a request offers, with their tokens, and which of them were called.
//!
//! A list is the same in every request of a session, so its names are written once a day, and everywhere else the name of
//! the list stands for it. Names and numbers only, as everywhere here.

use crate::{BoundedName, LedgerEntry, UtcDay};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::hash::Hasher;
use xxhash_rust::xxh3::Xxh3;

/// So many tools of a list are named; the others are added up in the last.
const NAMED: usize = 256;
const OTHERS: &str = "(others)";

/// So many lists are known to be written.
const LISTS: usize = 1000;

/// The tools that a request declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredTools {
    /// Tells the list from others: a fingerprint of its names and tokens.
    pub list: BoundedName,
    /// Its tools. Left out where an earlier entry of the day has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<DeclaredTool>,
    /// Which of them the conversation has called so far, by their places in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub called: Vec<u16>,
    /// Tokens that schema compression took away.
    #[serde(default, skip_serializing_if = "crate::entry::is_default")]
    pub shortened: u64,
}

/// A tool, and the tokens of its declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredTool {
    /// What its calls name.
    pub name: BoundedName,
    /// The tokens of its name, description and schema.
    pub tokens: u64,
}

impl DeclaredTools {
    /// A list of which nothing was called yet.
    pub fn new(tools: impl IntoIterator<Item = (BoundedName, u64)>) -> Self {
        let (mut declared, mut hash) = (Vec::<DeclaredTool>::new(), Xxh3::new());
        for (name, tokens) in tools {
            hash.write(name.as_str().as_bytes());
            hash.write_u64(tokens);
            let is_full = declared.len() >= NAMED;
            match declared.last_mut().filter(|_| is_full) {
                Some(last) => {
                    last.name = OTHERS.into();
                    last.tokens = last.tokens.saturating_add(tokens);
                }
                None => declared.push(DeclaredTool { name, tokens }),
            }
        }
        let list = BoundedName::from(&*format!("{:016x}", hash.finish()));
        DeclaredTools { list, declared, called: Vec::new(), shortened: 0 }
    }
}

impl DeclaredTool {
    /// Does it stand for several?
    pub(crate) fn is_others(&self) -> bool {
        self.name == *OTHERS
    }
}

/// Which lists one writer has written today.
#[derive(Debug, Default)]
pub struct WrittenLists {
    day: Option<UtcDay>,
    lists: HashSet<BoundedName>,
}

impl WrittenLists {
    /// Takes the names out of an entry if they were written today.
    pub fn leave_out_known(&mut self, entry: &mut LedgerEntry) {
        let Some(tools) = entry.tools.as_mut().filter(|tools| !tools.declared.is_empty()) else {
            return;
        };
        let day = Some(UtcDay::of(entry.time));
        if self.day != day || self.lists.len() >= LISTS {
            *self = WrittenLists { day, lists: HashSet::new() };
        }
        if !self.lists.insert(tools.list.clone()) {
            tools.declared = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntrySource;

    fn list(names: &[&str]) -> DeclaredTools {
        DeclaredTools::new(names.iter().map(|name| (BoundedName::from(*name), 100)))
    }

    fn entry(time: u64, tools: DeclaredTools) -> LedgerEntry {
        let mut entry = LedgerEntry::new(EntrySource::Gateway, time);
        entry.tools = Some(tools);
        entry
    }

    #[test]
    fn u1_a_list_is_written_once_a_day_and_named_afterwards() {
        let mut written = WrittenLists::default();
        let mut left = |time, names: &[&str]| {
            let mut entry = entry(time, list(names));
            written.leave_out_known(&mut entry);
            entry.tools.unwrap().declared.len()
        };
        assert_eq!(left(10, &["a", "b"]), 2);
        assert_eq!(left(20, &["a", "b"]), 0);
        assert_eq!(left(30, &["a", "c"]), 2, "another list");
        assert_eq!(left(40, &["a", "b"]), 0);
        assert_eq!(left(86_400, &["a", "b"]), 2, "another day");
        assert_ne!(list(&["a", "b"]).list, list(&["ab"]).list);
    }

    #[test]
    fn u1_however_many_tools_there_are_an_entry_is_bounded() {
        let name = |at: usize| BoundedName::from(&*format!("{at} {}", "Ä".repeat(100)));
        let tools = DeclaredTools::new((0..10_000).map(|at| (name(at), 7)));
        let tokens: u64 = tools.declared.iter().map(|tool| tool.tokens).sum();
        assert_eq!((tools.declared.len(), tokens), (NAMED, 70_000));
        assert!(tools.declared[NAMED - 1].is_others());
        let entry = entry(0, DeclaredTools { called: (0..NAMED as u16).collect(), ..tools });
        let line = serde_json::to_string(&entry).unwrap();
        assert!(line.len() < crate::reader::LONGEST / 2, "{} bytes", line.len());
        assert_eq!(serde_json::from_str::<LedgerEntry>(&line).unwrap(), entry);
    }
}
