//! How often a text is read as a message, for the tests that say how often that may be.

use std::sync::{Mutex, PoisonError};

static WATCHED: Mutex<Option<(String, usize)>> = Mutex::new(None);

/// Counts from now on how often a message that contains this text is read.
pub fn watch(text: &str) {
    *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = Some((text.to_owned(), 0));
}

/// How often such a message was read.
#[must_use]
pub fn counted() -> usize {
    let watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    watched.as_ref().map_or(0, |(_, count)| *count)
}

pub(super) fn count(message: &str) {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((text, count)) = &mut *watched
        && message.contains(text.as_str())
    {
        *count += 1;
    }
}
