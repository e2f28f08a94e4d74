//! Agents that run the hook for every tool result.

use super::CHECK;
use crate::doctor::finding::Finding;
use crate::init::HookScope;
use crate::init::routes::{self, HookRoute};
use crate::{data, hook};
use std::fs;
use std::path::Path;

pub(super) fn check() -> Vec<Finding> {
    let read = |path: &Path| fs::read_to_string(path).ok();
    let mut findings: Vec<_> = routes::live(&data::set, &read).into_iter().map(finding).collect();
    findings.extend(routes::unreadable(&data::set, &read).into_iter().map(|(agent, file, why)| {
        let (file, name) = (file.display(), agent.id());
        let says = format!("{file}: cannot tell whether {name} runs the hook: {why}");
        Finding::note(CHECK, says).remedied_by("correct the file")
    }));
    findings
}

fn finding(route: HookRoute) -> Finding {
    let (file, client) = (route.file.display(), route.client.id());
    // A path that is not absolute is for a shell, or for where the agent is, to make out.
    let gone = route.program.filter(|program| program.is_absolute() && !program.is_file());
    if let Some(program) = gone {
        let says = format!("{file}: {client} runs {}, which does not exist", program.display());
        let scope = if route.scope == HookScope::Project { " --project" } else { "" };
        return Finding::broken(CHECK, says)
            .remedied_by(format!("tokenforge init {client}{scope}"));
    }
    let says = format!("{file}: {client} runs the hook {}", route.scope.describe());
    if hook::can_expand() {
        Finding::ok(CHECK, says)
    } else {
        Finding::note(CHECK, format!("{says}, but nothing is left out of results")).remedied_by(
            "put `tokenforge` on the PATH: the model runs it to fetch back what was left out",
        )
    }
}
