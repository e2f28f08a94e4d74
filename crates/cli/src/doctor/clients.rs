//! Which clients are there that `wrap` knows?

use super::finding::Finding;
use crate::links;
use crate::output::printable;
use crate::setup::shim;
use crate::wrap::wrappable_names;
use std::path::{Path, PathBuf};
use tokenforge_agents::find;

const CHECK: &str = "clients";

/// A program is a link into its package: the description of that is in one of so many folders above it.
const FOLDERS: usize = 4;

/// None of them is started: some unpack hundreds of megabytes, or look for a newer version, before they say theirs.
pub(super) fn check() -> Vec<Finding> {
    let names = wrappable_names().into_iter();
    let found = names.filter_map(|name| Some((name, on_path(name)?)));
    let mut findings: Vec<Finding> = found.map(|(name, path)| finding(name, &path)).collect();
    if findings.is_empty() {
        let known = wrappable_names().join(", ");
        let none = Finding::note(CHECK, format!("no known agent is on the PATH: {known}"));
        let remedy =
            format!("any other agent can use `tokenforge serve`: {}", links::docs("gateway"));
        findings.push(none.remedied_by(remedy));
    }
    findings
}

fn finding(name: &str, path: &Path) -> Finding {
    let version = version(path);
    let tested = find(name).and_then(|agent| agent.tested.as_deref());
    let shown = version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let says = format!("{name}{shown}, {} (`tokenforge wrap {name}`)", path.display());
    match (version.as_deref(), tested) {
        (Some(version), Some(tested)) if version != tested => {
            Finding::note(CHECK, format!("{says}; version {tested} was tested")).remedied_by(
                "`tokenforge doctor --probe` shows whether this one honours what is relied on",
            )
        }
        _ => Finding::ok(CHECK, says),
    }
}

/// The program that a shell would start, behind a shim of ours.
pub(super) fn on_path(program: &str) -> Option<PathBuf> {
    shim::real(program).next()
}

/// The version that the package of a program says, if it comes from npm.
pub(super) fn version(program: &Path) -> Option<String> {
    let program = program.canonicalize().ok()?;
    let description = program.ancestors().skip(1).take(FOLDERS).find_map(|folder| {
        let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
        serde_json::from_str::<serde_json::Value>(&text).ok()
    })?;
    let version: String = description["version"].as_str()?.chars().take(40).collect();
    Some(printable(&version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn d58_a_version_is_read_from_the_package_and_the_program_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("lib/agent");
        std::fs::create_dir_all(package.join("bin")).unwrap();
        std::fs::write(package.join("package.json"), r#"{"version": "1.2.3"}"#).unwrap();
        let started = folder.path().join("started");
        let script = format!("#!/bin/sh\ntouch {}\necho 9.9.9\n", started.display());
        std::fs::write(package.join("bin/agent"), script).unwrap();
        let link = folder.path().join("agent");
        std::os::unix::fs::symlink(package.join("bin/agent"), &link).unwrap();
        assert_eq!(version(&link).as_deref(), Some("1.2.3"));
        assert!(!started.exists());
        assert_eq!(version(Path::new("/nowhere/agent")), None);
    }
}
