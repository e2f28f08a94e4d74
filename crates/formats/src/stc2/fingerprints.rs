//! A fingerprint and a weight of values: equal values have equal prints, and what weighs little is not shared.

use super::cost::cost;
use super::spell;
use hashbrown::DefaultHashBuilder;
use std::hash::{BuildHasher, Hasher};
use tokenforge_json::tape::{Json, LexemeKind};

/// The prints and weights of a document's values, made when they are first asked for.
///
/// Prints are seeded anew in every process, so that no input can be made to collide. Nothing that is written depends
/// on them but through equality.
pub(super) struct Fingerprints {
    builder: DefaultHashBuilder,
    /// By node; where the weight is 0 there is none yet.
    made: Vec<Fingerprint>,
}

/// The print of a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Fingerprint {
    pub(super) hash: u64,
    /// About how many tokens the value costs where it is written plainly; 1 at least.
    pub(super) weight: u32,
    /// Which of the values that may be shared it is, plus one; 0 until it is assigned.
    pub(super) entry: u32,
}

impl Fingerprints {
    pub(super) fn new(json: &Json<'_>) -> Self {
        let made = vec![Fingerprint::default(); json.next(0)];
        Self { builder: DefaultHashBuilder::default(), made }
    }

    /// The print of the value at `at`.
    #[inline]
    pub(super) fn of(&mut self, json: &Json<'_>, at: usize) -> Fingerprint {
        if self.made[at].weight == 0 {
            // From the end: what is inside a container lies behind it.
            for inner in (at..json.next(at)).rev() {
                if self.made[inner].weight == 0 {
                    self.made[inner] = self.make(json, inner);
                }
            }
        }
        self.made[at]
    }

    /// Says which entry the value at `at` is.
    #[inline]
    pub(super) fn set_entry(&mut self, at: usize, entry: u32) {
        self.made[at].entry = entry;
    }

    fn make(&self, json: &Json<'_>, at: usize) -> Fingerprint {
        let mut hasher = self.builder.build_hasher();
        let kind = json.node(at).kind;
        if !kind.is_container() {
            hasher.write(json.raw(at).as_bytes());
            let weight = scalar_weight(json, at).max(1);
            return Fingerprint { hash: hasher.finish(), weight, entry: 0 };
        }
        hasher.write_u8(kind as u8);
        hasher.write_usize(json.count(at));
        let mut weight: u32 = 2;
        let (mut child, end) = (at + 1, json.next(at));
        while child < end {
            hasher.write_u64(self.made[child].hash);
            weight = weight.saturating_add(self.made[child].weight);
            child = json.next(child);
        }
        Fingerprint { hash: hasher.finish(), weight, entry: 0 }
    }
}

fn scalar_weight(json: &Json<'_>, at: usize) -> u32 {
    match json.node(at).kind {
        LexemeKind::Key => cost(json.unquoted_bytes(at)) + 1,
        LexemeKind::String => {
            cost(json.unquoted_bytes(at)) + if spell::is_bare(json, at) { 0 } else { 2 }
        }
        _ => cost(json.raw(at).as_bytes()),
    }
}
