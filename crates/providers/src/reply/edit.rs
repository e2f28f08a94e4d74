//! Changing a few values of a JSON text: the editor, by the names that this module calls its parts.

pub(crate) use tokenforge_json::{Edit, join as joined, quote as quoted};
