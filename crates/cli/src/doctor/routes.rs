//! Which ways there are from clients through Tokenforge. Each has a file; a further one is a line here.

mod environment;
mod hooks;
mod shims;
mod tool_servers;

use super::finding::Finding;
use std::path::Path;
use tokenforge_config::Settings;

const CHECK: &str = "routes";

pub(super) async fn check(settings: &Settings, config: Option<&Path>) -> Vec<Finding> {
    let mut findings = environment::check(settings).await;
    findings.extend(tool_servers::check(config));
    findings.extend(hooks::check());
    findings.extend(shims::check());
    if findings.is_empty() {
        let none = Finding::note(CHECK, "no agent uses Tokenforge here yet");
        findings.push(none.remedied_by(
            "`tokenforge wrap AGENT` for one run, `tokenforge setup AGENT` for every run",
        ));
    }
    findings
}
