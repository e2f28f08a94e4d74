//! Recall probes: whether a later turn could still have used what it used.

use serde::{Deserialize, Serialize};

/// Something a later turn used that had come from a tool result.
#[derive(Debug, Clone, Deserialize)]
pub struct Probe {
    /// The text that was used.
    pub needle: String,
    /// The index of the message that used it.
    pub used_at_msg: usize,
}

/// What later turns used, and whether they could still have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Probes {
    /// How many texts were looked for.
    pub total: usize,
    /// Literally in the request.
    pub visible: usize,
    /// Not literally, but in the request once a lossless form in it is decoded.
    pub decoded: usize,
    /// Behind a reference in the request.
    pub retrievable: usize,
    /// Gone.
    pub lost: usize,
}

/// How a model could come by a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextAvailability {
    Visible,
    Decoded,
    /// Behind the reference of the result with this index.
    Retrievable(usize),
    Lost,
}

impl Probes {
    pub(crate) fn count(&mut self, found: TextAvailability) {
        self.total += 1;
        *match found {
            TextAvailability::Visible => &mut self.visible,
            TextAvailability::Decoded => &mut self.decoded,
            TextAvailability::Retrievable(_) => &mut self.retrievable,
            TextAvailability::Lost => &mut self.lost,
        } += 1;
    }

    /// Adds those of another session.
    pub fn add(&mut self, other: &Probes) {
        self.total += other.total;
        self.visible += other.visible;
        self.decoded += other.decoded;
        self.retrievable += other.retrievable;
        self.lost += other.lost;
    }
}
