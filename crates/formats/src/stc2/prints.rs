//! A fingerprint and a weight of every value: equal values have equal prints, and what weighs little is not shared.

use super::cost::cost;
use super::spell;
use crate::json::{Json, Kind};
use hashbrown::DefaultHashBuilder;
use std::hash::{BuildHasher, Hasher};

/// One print and one weight per node of a tape.
///
/// Prints are seeded anew in every process, so that no input can be made to collide. Nothing that is written depends
/// on them but through equality.
pub(super) struct Prints {
    prints: Vec<u64>,
    weights: Vec<u32>,
}

impl Prints {
    pub(super) fn new(json: &Json<'_>) -> Self {
        let builder = DefaultHashBuilder::default();
        let nodes = json.next(0);
        let mut new = Self { prints: vec![0; nodes], weights: vec![0; nodes] };
        // From the end: what is inside a container lies behind it.
        for at in (0..nodes).rev() {
            let mut hasher = builder.build_hasher();
            let kind = json.node(at).kind;
            let mut weight: u32 = 2;
            if kind.is_container() {
                hasher.write_u8(kind as u8);
                hasher.write_usize(json.count(at));
                let mut child = at + 1;
                let end = json.next(at);
                while child < end {
                    hasher.write_u64(new.prints[child]);
                    weight = weight.saturating_add(new.weights[child]);
                    child = json.next(child);
                }
            } else {
                hasher.write(json.raw(at).as_bytes());
                weight = scalar_weight(json, at);
            }
            new.prints[at] = hasher.finish();
            new.weights[at] = weight;
        }
        new
    }

    /// The print of a value.
    #[inline]
    pub(super) fn of(&self, at: usize) -> u64 {
        self.prints[at]
    }

    /// About how many tokens the value at `at` costs where it is written plainly.
    #[inline]
    pub(super) fn weight(&self, at: usize) -> u32 {
        self.weights[at]
    }
}

fn scalar_weight(json: &Json<'_>, at: usize) -> u32 {
    match json.node(at).kind {
        Kind::Key => cost(json.unquoted_bytes(at)) + 1,
        Kind::String => {
            cost(json.unquoted_bytes(at)) + if spell::is_bare(json, at) { 0 } else { 2 }
        }
        _ => cost(json.raw(at).as_bytes()),
    }
}
