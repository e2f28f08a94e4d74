//! What stands before the body of a shortened text: a reference, and perhaps a hint.
//!
//! It weighs the same whatever the id spells in and whether there is a hint. So a hook and a gateway, whose keys and hints
//! differ, choose alike, and the one finds nothing to do after the other.

use crate::reference::Reference;
use tokenforge_tokens::Counter;

/// What every head weighs. None has more tokens or bytes.
const TOKENS: usize = 72;
const BYTES: usize = 200;

/// The head of a text, if what is left out of it can be weighed against it.
pub(super) struct ReferenceHead<'t>(Option<&'t str>);

impl<'t> ReferenceHead<'t> {
    /// The head of a text that is forwarded. One that was cut because it must be has nothing to be weighed against.
    pub(super) fn of(forwarded: &'t str, is_choice: bool) -> Self {
        let body = Reference::leading(forwarded).filter(|_| is_choice);
        ReferenceHead(body.map(|(_, body)| &forwarded[..forwarded.len() - body.len()]))
    }

    /// What a text with so many bytes, its head among them, is taken to have.
    pub(super) fn bytes(&self, all: usize) -> usize {
        self.0.map_or(all, |head| all - head.len() + BYTES)
    }

    /// What a text with so many tokens, those of its head among them, is taken to have.
    pub(super) fn tokens(&self, all: usize, counter: Counter) -> usize {
        self.0.map_or(all, |head| all.saturating_sub(counter.count(head)) + TOKENS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{ExpandHint, ReferenceSecret};

    #[test]
    fn no_head_weighs_more_than_it_is_taken_to() {
        let counter = Counter::default();
        for id in 0..=255 {
            let reference = Reference::of(&ReferenceSecret::from_bytes([id; 32]), "a text");
            for hint in ExpandHint::ALL.map(Some).into_iter().chain([None]) {
                let forwarded = reference.before("body", hint);
                let head = ReferenceHead::of(&forwarded, true);
                assert!(head.bytes(forwarded.len()) >= forwarded.len(), "{forwarded}");
                let tokens = counter.count(&forwarded);
                assert!(head.tokens(tokens, counter) >= tokens, "{forwarded}");
                assert_eq!(head.bytes(forwarded.len()), "body".len() + BYTES);
            }
        }
    }

    #[test]
    fn a_text_without_a_head_weighs_what_it_has() {
        for head in [ReferenceHead::of("a text", true), ReferenceHead::of("a text", false)] {
            assert_eq!((head.bytes(6), head.tokens(2, Counter::default())), (6, 2));
        }
    }
}
