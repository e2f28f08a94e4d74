//! Common prefixes: strings that start alike are neighbours in sorted order.

use super::super::cost::{cost, is_word};
use super::super::cut;
use super::{Prefix, SharedEntry, Shares};
use std::collections::HashMap;
use tokenforge_json::tape::{Json, LexemeKind};

/// Shorter strings are left alone.
const MIN_STRING: usize = 12;

/// A prefix has at least this many bytes.
const MIN_PREFIX: usize = 8;

/// So many neighbours are looked at for one group. A prefix that was chosen before is used again.
const WINDOW: usize = 16;

/// What a reference costs in place of a prefix.
const REFERENCE_COST: i64 = 3;

/// What giving a number costs.
const ANCHOR_COST: i64 = 5;

/// Neighbours that start alike.
struct Group {
    /// How many strings behind the first.
    others: usize,
    /// The bytes they have in common.
    length: usize,
    saved: i64,
}

impl<'a> Shares<'a> {
    /// Chooses prefixes among the strings that are not shared as a whole.
    pub(super) fn choose_prefixes(&mut self, json: &Json<'a>) {
        let mut entries: Vec<&mut SharedEntry> = self
            .entries
            .iter_mut()
            .filter(|entry| {
                let node = json.node(entry.at);
                let is_plain = node.kind == LexemeKind::String && !node.content.has_escape();
                is_plain && !entry.is_shared && json.unquoted(entry.at).len() >= MIN_STRING
            })
            .collect();
        entries.sort_unstable_by_key(|entry| json.unquoted(entry.at));
        let texts: Vec<&'a str> = entries.iter().map(|entry| json.unquoted(entry.at)).collect();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut at = 0;
        while at < texts.len() {
            let may_split =
                |group: &Group| self.reader.may_split_behind(&texts[at][..group.length]);
            let Some(group) = best_group(&texts[at..]).filter(may_split) else {
                at += 1;
                continue;
            };
            let text = &texts[at][..group.length];
            let prefix = *known.entry(text).or_insert_with(|| {
                self.prefixes.push(Prefix { text, number: 0 });
                self.prefixes.len()
            });
            for _ in 0..=group.others {
                entries[at].prefix = prefix;
                at += 1;
            }
        }
    }
}

/// The group at the start of these strings that saves most; of equals the largest.
fn best_group(texts: &[&str]) -> Option<Group> {
    let (first, others) = texts.split_first()?;
    let mut best: Option<Group> = None;
    let mut length = first.len();
    for (index, _) in others.iter().take(WINDOW - 1).enumerate() {
        length = common(&first.as_bytes()[..length], &texts[..index + 2]);
        if length < MIN_PREFIX {
            break;
        }
        let others = index + 1;
        let price = i64::from(cost(&first.as_bytes()[..length]));
        let saved = others as i64 * (price - REFERENCE_COST) - ANCHOR_COST;
        if saved > 0 && best.as_ref().is_none_or(|best| saved >= best.saved) {
            best = Some(Group { others, length, saved });
        }
    }
    best
}

/// The length of what some strings start with, up to where no word goes on in any of them and all may be cut. All but the last
/// have `start` in common.
fn common(start: &[u8], texts: &[&str]) -> usize {
    let last = texts.last().map_or(&[][..], |text| text.as_bytes());
    let mut length = start.iter().zip(last).take_while(|(one, other)| one == other).count();
    let goes_on = |text: &[u8], length: usize| text.get(length).is_some_and(|byte| is_word(*byte));
    let is_end = |text: &&str, length: usize| {
        !goes_on(text.as_bytes(), length) && cut::is_allowed(text.as_bytes(), length)
    };
    while length > 0 && !texts.iter().rev().all(|text| is_end(text, length)) {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f20_a_prefix_ends_where_all_its_strings_may_be_cut() {
        let length = |texts: &[&str]| common(texts[0].as_bytes(), texts);
        assert_eq!(length(&["https://a.example/repo", "https://a.example/repo/forks"]), 22);
        assert_eq!(length(&["2026-07-14T19", "2026-07-13T15"]), 0);
        assert_eq!(length(&["built on 2026-07-14", "built on 2026-07-13"]), "built on".len());
        // The first two could be cut behind the year, if the third did not go on with a month.
        assert_eq!(length(&["in 2026 all", "in 2026 none", "in 2026 May"]), "in".len());
        assert_eq!(length(&["ééé-é", "éééé"]), 0);
    }

    #[test]
    fn two_strings_with_a_long_start_are_a_group() {
        let texts =
            ["https://api.example.com/repos/x/y", "https://api.example.com/repos/x/y/forks"];
        let group = best_group(&texts).unwrap();
        assert_eq!((group.others, group.length), (1, texts[0].len()));
        assert!(best_group(&["short words", "short wants"]).is_none());
    }
}
