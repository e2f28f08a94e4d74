//! Agents that `tokenforge setup` has go through the gateway.

use super::CHECK;
use crate::doctor::finding::Finding;
use crate::setup::shim;

pub(super) fn check() -> Vec<Finding> {
    shim::installed_shims().into_iter().map(finding).collect()
}

fn finding(agent: &str) -> Finding {
    match shim::on_path(agent).next() {
        Some(first) if shim::is_shim(&first) => {
            Finding::ok(CHECK, format!("{agent} goes through the gateway, by {}", first.display()))
        }
        first => {
            let first = first.map(|path| format!(": {} comes first", path.display()));
            let says = format!(
                "{agent} is set up, and does not go through the gateway here{}",
                first.unwrap_or_default()
            );
            Finding::note(CHECK, says).remedied_by(
                "open a new terminal; if that does not help, another file of your shell changes the PATH later",
            )
        }
    }
}
