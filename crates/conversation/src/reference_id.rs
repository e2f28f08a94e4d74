//! The id of a reference, as models write it.

use tokenforge_engine::reference::Reference;

/// Models write an id as they saw it, with its marks or without.
pub(crate) fn parse_reference(id: &str) -> Option<Reference> {
    id.trim().trim_start_matches("<<<SHADOW:").trim_end_matches(">>>").parse().ok()
}
