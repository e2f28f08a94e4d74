//! What is written once and referred to afterwards: equal values, and strings that start alike.
//!
//! A document is walked twice. The first walk counts what would be written; what was written often enough then gets a
//! number where the second walk meets it first, and is a reference where it is met again.

mod prefix;

use super::prints::{Print, Prints};
use crate::json::{Json, Kind};
use hashbrown::HashTable;

/// What a reference costs.
const REFERENCE_COST: u64 = 2;

/// What giving a number costs.
const ANCHOR_COST: u64 = 3;

/// How the value at hand is written.
pub(super) enum Sharing<'a> {
    /// As ever.
    Plain,
    /// With this number before it, for references to come.
    Anchor(u32),
    /// As a reference to this number.
    Reference(u32),
    /// A string that starts with the text of the prefix: the number of the prefix, and whether it is new.
    Prefix { text: &'a str, number: u32, is_new: bool },
}

/// The values of a document that are, or may be, shared.
pub(super) struct Shares<'a> {
    prints: Prints,
    entries: HashTable<Entry>,
    prefixes: Vec<Prefix<'a>>,
    is_counting: bool,
    /// Numbers given.
    numbers: u32,
}

struct Entry {
    /// Tape index of the value where it was met first.
    at: usize,
    hash: u64,
    weight: u32,
    uses: u32,
    is_shared: bool,
    /// The number it was given, or 0.
    number: u32,
    /// The prefix it starts with plus one, or 0.
    prefix: usize,
}

/// The start of several strings.
struct Prefix<'a> {
    text: &'a str,
    number: u32,
}

impl<'a> Shares<'a> {
    /// Ready to count.
    pub(super) fn new(prints: Prints) -> Self {
        let (entries, prefixes) = (HashTable::new(), Vec::new());
        Self { prints, entries, prefixes, is_counting: true, numbers: 0 }
    }

    /// How the string or non-empty container at `at` is written, which is to be written now.
    pub(super) fn meet(&mut self, json: &Json<'a>, at: usize) -> Sharing<'a> {
        // What is more than half of the document is there once.
        if 2 * (json.next(at) - at) > json.next(0) {
            return Sharing::Plain;
        }
        let Print { hash, weight } = self.prints.of(json, at);
        if u64::from(weight) <= REFERENCE_COST {
            return Sharing::Plain;
        }
        let is_same = |entry: &Entry| entry.hash == hash && json.same_value(entry.at, at);
        let Some(entry) = self.entries.find_mut(hash, is_same) else {
            if self.is_counting {
                let (uses, is_shared, number, prefix) = (1, false, 0, 0);
                let entry = Entry { at, hash, weight, uses, is_shared, number, prefix };
                self.entries.insert_unique(hash, entry, |entry| entry.hash);
            }
            return Sharing::Plain;
        };
        if self.is_counting {
            entry.uses += 1;
            // Written or not, what is inside is not counted again.
            return match json.node(at).kind {
                Kind::String => Sharing::Plain,
                _ => Sharing::Reference(0),
            };
        }
        if entry.number > 0 {
            return Sharing::Reference(entry.number);
        }
        if entry.is_shared {
            self.numbers += 1;
            entry.number = self.numbers;
            return Sharing::Anchor(entry.number);
        }
        let Some(prefix) =
            entry.prefix.checked_sub(1).and_then(|prefix| self.prefixes.get_mut(prefix))
        else {
            return Sharing::Plain;
        };
        let is_new = prefix.number == 0;
        if is_new {
            self.numbers += 1;
            prefix.number = self.numbers;
        }
        Sharing::Prefix { text: prefix.text, number: prefix.number, is_new }
    }

    /// Ends the counting: chooses what is shared.
    pub(super) fn choose(&mut self, json: &Json<'a>) {
        self.is_counting = false;
        for entry in &mut self.entries {
            let weight = u64::from(entry.weight);
            let again = u64::from(entry.uses) - 1;
            entry.is_shared = again * (weight - REFERENCE_COST) > ANCHOR_COST;
        }
        self.choose_prefixes(json);
    }
}
