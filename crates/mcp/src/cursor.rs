//! Where a list of many servers goes on: the cursors of all those that have more, as one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::collections::BTreeMap;

/// The longest cursor that is read.
const LONGEST: usize = 64 << 10;

/// Where each server goes on, by prefix; `None`: at its start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListCursor(pub BTreeMap<String, Option<String>>);

impl ListCursor {
    /// Reads what a client gave back; `None`: it is none of ours.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        serde_json::from_slice(&bytes).ok().map(ListCursor)
    }

    /// As it is given to a client; `None`: there is nothing more.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        let document = serde_json::to_vec(&self.0).ok().filter(|_| !self.0.is_empty())?;
        Some(URL_SAFE_NO_PAD.encode(document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cursor_is_read_back(
            cursors in prop::collection::btree_map("[a-z]{1,8}", prop::option::of("\\PC{0,20}"), 1..5)
        ) {
            let cursor = ListCursor(cursors);
            prop_assert_eq!(ListCursor::read(&cursor.written().unwrap()), Some(cursor));
        }

        #[test]
        fn what_is_no_cursor_is_refused(text in "\\PC{0,40}") {
            let _ = ListCursor::read(&text);
        }
    }

    #[test]
    fn with_nothing_more_there_is_no_cursor() {
        assert_eq!(ListCursor::default().written(), None);
        assert_eq!(ListCursor::read(&"A".repeat(LONGEST + 1)), None);
    }
}
