//! Deduplication by back references: what is written once and referred to afterwards, equal values and strings that start alike.
//!
//! A document is walked twice. The first walk counts what would be written; what was written often enough then gets a
//! number where the second walk meets it first, and is a reference where it is met again.

mod prefix;

use super::audience::Audience;
use super::fingerprints::{Fingerprint, Fingerprints};
use hashbrown::HashTable;
use tokenforge_json::tape::{Json, LexemeKind};

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
    prints: Fingerprints,
    entries: Vec<SharedEntry>,
    /// Indices of entries, by the prints of their values.
    table: HashTable<u32>,
    prefixes: Vec<Prefix<'a>>,
    is_counting: bool,
    /// Numbers given.
    numbers: u32,
    reader: Audience,
}

struct SharedEntry {
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
    pub(super) fn new(prints: Fingerprints, reader: Audience) -> Self {
        let (entries, table, prefixes) = (Vec::new(), HashTable::new(), Vec::new());
        Self { prints, entries, table, prefixes, is_counting: true, numbers: 0, reader }
    }

    /// How the string or non-empty container at `at` is written, which is to be written now.
    pub(super) fn meet(&mut self, json: &Json<'a>, at: usize) -> Sharing<'a> {
        // What is more than half of the document is there once.
        if 2 * (json.next(at) - at) > json.next(0) {
            return Sharing::Plain;
        }
        if json.node(at).kind.is_container() && !self.reader.may_refer_to_containers() {
            return Sharing::Plain;
        }
        let print = self.prints.of(json, at);
        if u64::from(print.weight) <= REFERENCE_COST {
            return Sharing::Plain;
        }
        let Some(entry) = self.entry(json, at, print) else { return Sharing::Plain };
        let entry = &mut self.entries[entry];
        if self.is_counting {
            entry.uses += 1;
            // Written or not, what is inside is not counted again.
            let is_counted = entry.uses > 1 && json.node(at).kind != LexemeKind::String;
            return if is_counted { Sharing::Reference(0) } else { Sharing::Plain };
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

    /// The entry of a value. While counting there always is one.
    fn entry(&mut self, json: &Json<'a>, at: usize, print: Fingerprint) -> Option<usize> {
        if print.entry > 0 {
            return Some(print.entry as usize - 1);
        }
        let Fingerprint { hash, weight, .. } = print;
        let entries = &mut self.entries;
        let is_same = |index: &u32| {
            let entry = &entries[*index as usize];
            entry.hash == hash && json.same_value(entry.at, at)
        };
        let index = match self.table.find(hash, is_same) {
            Some(index) => *index,
            None if !self.is_counting => return None,
            None => {
                let index = entries.len() as u32;
                let (uses, is_shared, number, prefix) = (0, false, 0, 0);
                entries.push(SharedEntry { at, hash, weight, uses, is_shared, number, prefix });
                self.table.insert_unique(hash, index, |index| entries[*index as usize].hash);
                index
            }
        };
        self.prints.set_entry(at, index + 1);
        Some(index as usize)
    }

    /// Ends the counting: chooses what is shared.
    pub(super) fn choose(&mut self, json: &Json<'a>) {
        self.is_counting = false;
        for entry in &mut self.entries {
            let weight = u64::from(entry.weight);
            let again = u64::from(entry.uses).saturating_sub(1);
            entry.is_shared = weight >= self.reader.least_shared_weight()
                && again * (weight - REFERENCE_COST) > ANCHOR_COST;
        }
        self.choose_prefixes(json);
    }
}
