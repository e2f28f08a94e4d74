//! Duplicate keys: a member that may occur once.

use crate::json::Key;
use crate::refusal::Refusal;

/// The value of a member, if it occurred and was of the expected kind.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    value: Option<T>,
    is_taken: bool,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot { value: None, is_taken: false }
    }
}

impl<T> Slot<T> {
    /// Notes what the member was; a second time it is ambiguous which of the two counts.
    pub(crate) fn set(&mut self, key: &Key<'_>, value: Option<T>) -> Result<(), Refusal> {
        if std::mem::replace(&mut self.is_taken, true) {
            return Err(Refusal::Ambiguous { key: key.name.to_string(), at: key.start });
        }
        self.value = value;
        Ok(())
    }

    pub(crate) fn take(self) -> Option<T> {
        self.value
    }
}

impl Slot<()> {
    /// Notes that the member occurred.
    pub(crate) fn mark(&mut self, key: &Key<'_>) -> Result<(), Refusal> {
        self.set(key, Some(()))
    }
}
