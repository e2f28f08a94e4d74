//! A program of the system, run to its end.

use anyhow::{Context, bail};
use std::process::{Command, Stdio};

/// Runs it; what it printed.
///
/// # Errors
/// It is not there, or it failed, with what it said.
pub(super) fn run(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let line = format!("{program} {}", arguments.join(" "));
    let ran = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = ran.with_context(|| format!("cannot run {program}"))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() {
        return Ok(said);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let why = why.lines().next().filter(|line| !line.is_empty()).unwrap_or(&said);
    bail!("`{line}` failed: {why}")
}

/// What it printed, whether it failed or not.
pub(super) fn output_of(program: &str, arguments: &[&str]) -> String {
    let ran = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let said = ran.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    said.unwrap_or_default()
}
