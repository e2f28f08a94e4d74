//! Agents that run the hook for every tool result.

use super::CHECK;
use crate::doctor::finding::Finding;
use crate::hook;
use crate::init::{self, Scope, live};
use std::fs;
use std::path::Path;

pub(super) fn check() -> Vec<Finding> {
    let Ok(folders) = init::folders() else { return Vec::new() };
    let read = |path: &Path| fs::read_to_string(path).ok();
    let mut findings: Vec<_> = live::routes(&folders, &read).into_iter().map(shown).collect();
    findings.extend(live::unreadable(&folders, &read).into_iter().map(|(file, why)| {
        let says = format!("{}: cannot tell whether claude runs the hook: {why}", file.display());
        Finding::note(CHECK, says).remedied_by("correct the file")
    }));
    findings
}

fn shown(route: live::Route) -> Finding {
    let (file, client) = (route.file.display(), route.client.name());
    // A path that is not absolute is for a shell, or for where the agent is, to make out.
    let gone = route.program.filter(|program| program.is_absolute() && !program.is_file());
    if let Some(program) = gone {
        let says = format!("{file}: {client} runs {}, which does not exist", program.display());
        let scope = if route.scope == Scope::Project { " --project" } else { "" };
        return Finding::broken(CHECK, says)
            .remedied_by(format!("tokenforge init {client}{scope}"));
    }
    let says = format!("{file}: {client} runs the hook {}", route.scope.describe());
    match hook::can_expand() {
        true => Finding::ok(CHECK, says),
        false => Finding::note(CHECK, format!("{says}, but nothing is left out of results"))
            .remedied_by(
                "put `tokenforge` on the PATH: the model runs it to fetch back what was left out",
            ),
    }
}
