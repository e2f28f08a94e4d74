//! Row 18: head of line and fairness: what one tenant's attack costs the others, measured by a program of its own.

use crate::kit::Bench;
use crate::row::{Measured, Row, Verdict};
use std::process::Command;

pub(crate) const ROW: Row = Row {
    number: 18,
    what: "head of line: another tenant's requests under attack (`fair_under_attack`)",
    bar: "p99 at most doubled",
    prove,
};

/// The program beside this one. It takes `--tokenforge PATH`, prints its figure as its last line, and exits with 0 if its bar
/// is met.
const PROGRAM: &str = "fair_under_attack";

fn prove(bench: &Bench) -> anyhow::Result<Measured> {
    let program = std::env::current_exe()?.with_file_name(PROGRAM);
    if !program.is_file() {
        let verdict = Verdict::Skipped(format!("{PROGRAM} is not built"));
        return Ok(Measured { count: String::new(), figure: String::new(), verdict });
    }
    let output = Command::new(&program).arg("--tokenforge").arg(&bench.program).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let figure = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
    let verdict = match output.status.success() {
        true => Verdict::Passed,
        false => Verdict::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    };
    Ok(Measured { count: "1 run".to_owned(), figure, verdict })
}
