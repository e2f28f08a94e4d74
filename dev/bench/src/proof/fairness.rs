//! Row 18: head of line and fairness: what one tenant's attack costs another.

use crate::kit::ProofBench;
use crate::row::{ProofRow, RowResult, RowVerdict};
use std::process::Command;

pub(crate) const ROW: ProofRow = ProofRow {
    number: 18,
    what: "head of line: another tenant's fresh 20 KB results while one sends the worst that is known for 60 s",
    bar: "all compressed, p99 at most 100 ms, RSS at most 500 MB",
    prove,
};

/// The program beside this one that measures it. It prints a table of promises, and fails if one was missed.
const PROGRAM: &str = "tokenforge-bench";

fn prove(bench: &ProofBench) -> anyhow::Result<RowResult> {
    let program = std::env::current_exe()?.with_file_name(PROGRAM);
    if !program.is_file() {
        let verdict = RowVerdict::Skipped(format!("{PROGRAM} is not built"));
        return Ok(RowResult { count: String::new(), figure: String::new(), verdict });
    }
    let output = Command::new(&program)
        .args(["fair_under_attack", "60"])
        .env("TOKENFORGE", &bench.program)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let verdict = if output.status.success() {
        RowVerdict::Passed
    } else {
        RowVerdict::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    };
    let count = text.lines().next().unwrap_or_default().to_owned();
    Ok(RowResult { count, figure: figures(&text).join(", "), verdict })
}

/// What was promised and what was measured, of each line of the table.
fn figures(text: &str) -> Vec<String> {
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(cells).map(|cells| format!("{}: {}", cells[1], cells[3])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_the_table() {
        let text = "60 s\n\n| | promised | measured | |\n|---|---|---|---|\n| p99 | ≤ 100 ms | 16.5 ms | |\n";
        assert_eq!(figures(text), ["p99: 16.5 ms"]);
    }
}
