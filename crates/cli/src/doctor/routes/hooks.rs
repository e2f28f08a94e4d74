//! Agents that run the hook for every tool result.

use super::CHECK;
use crate::doctor::finding::Finding;
use crate::hook;
use crate::init::{self, live};
use std::fs;
use std::path::Path;

pub(super) fn check() -> Vec<Finding> {
    let Ok(folders) = init::folders() else { return Vec::new() };
    let read = |path: &Path| fs::read_to_string(path).ok();
    let shown = |route: live::Route| {
        let (file, client) = (route.file.display(), route.client.name());
        let says = format!("{file}: {client} runs the hook {}", route.scope.describe());
        match hook::can_expand() {
            true => Finding::ok(CHECK, says),
            false => Finding::note(CHECK, format!("{says}, and nothing is left out of results"))
                .remedied_by("put `tokenforge` on the PATH, with which a model fetches back what is left out"),
        }
    };
    live::routes(&folders, &read).into_iter().map(shown).collect()
}
