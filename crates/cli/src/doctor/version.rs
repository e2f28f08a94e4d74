//! Which program this is, and whether a shell would find another.

use super::clients::on_path;
use super::finding::Finding;
use std::env;
use std::path::Path;

const CHECK: &str = "version";

pub(super) fn check() -> Vec<Finding> {
    let own = env::current_exe().unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let (system, machine) = (env::consts::OS, env::consts::ARCH);
    let says = format!("tokenforge {version} on {system} {machine}, {}", own.display());
    let mut findings = vec![Finding::ok(CHECK, says)];
    findings.extend(on_path("tokenforge").and_then(|found| another(&own, &found)));
    findings
}

/// A client that starts `tokenforge` by its name gets whatever a shell finds.
fn another(own: &Path, found: &Path) -> Option<Finding> {
    let is_same = own.canonicalize().ok()? == found.canonicalize().ok()?;
    (!is_same).then(|| {
        Finding::note(
            CHECK,
            format!("your shell finds another tokenforge first: {}", found.display()),
        )
        .remedied_by("remove the one you do not want, or move its folder to the end of PATH")
    })
}
