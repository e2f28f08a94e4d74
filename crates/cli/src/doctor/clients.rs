//! Which clients are there that `wrap` knows?

use super::finding::Finding;
use crate::output::printable;
use crate::wrap::CLIENTS;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

const CHECK: &str = "clients";

/// How long a client may take to say its version.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn check() -> Vec<Finding> {
    let found = CLIENTS.iter().filter_map(|client| Some((client.name, on_path(client.name)?)));
    // All at once: each takes a moment to start.
    let asking: Vec<_> = found
        .map(|(name, path)| {
            let asked = path.clone();
            (name, path, tokio::spawn(async move { version(&asked).await }))
        })
        .collect();
    let mut findings = Vec::new();
    for (name, path, asked) in asking {
        let version = asked.await.ok().flatten().unwrap_or_else(|| "version unknown".to_owned());
        let says = format!("{name}: {version}, {} (`tokenforge wrap {name}`)", path.display());
        findings.push(Finding::ok(CHECK, says));
    }
    if findings.is_empty() {
        let known: Vec<_> = CLIENTS.iter().map(|client| client.name).collect();
        let none = Finding::note(CHECK, format!("none of {} is on the PATH", known.join(", ")));
        findings
            .push(none.remedied_by("any other is pointed at `tokenforge serve`: docs/gateway.md"));
    }
    findings
}

/// The program that a shell would start.
pub(super) fn on_path(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(&file)).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The first line of what it says.
async fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let said = tokio::time::timeout(PATIENCE, command.output()).await.ok()?.ok()?;
    let said = String::from_utf8_lossy(&said.stdout);
    let line: String = said.lines().next()?.trim().chars().take(80).collect();
    (!line.is_empty()).then(|| printable(&line))
}
