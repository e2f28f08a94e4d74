//! The table, as it is printed and kept in `dev/bench/PROOF.md`.

use crate::kit::ProofBench;
use crate::row::{ProofRow, RowResult};
use anyhow::Context;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A line for each row.
pub(crate) fn table(results: &[(&ProofRow, RowResult)]) -> String {
    let mut out = String::from(
        "| row | what | bar | how many | measured | result |\n|---|---|---|---|---|---|\n",
    );
    for (row, measured) in results {
        let RowResult { count, figure, verdict } = measured;
        let cells = [row.what, row.bar, count, figure, &verdict.to_string()].map(cell);
        let _ = writeln!(out, "| {} | {} |", row.number, cells.join(" | "));
    }
    out
}

/// A text that stays inside its cell.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    match line.char_indices().nth(400) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Writes the table to `dev/bench/PROOF.md`, with what it was measured on.
pub(crate) fn keep(bench: &ProofBench, table: &str) -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        text.ok().filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".to_owned())
    };
    let program = said(&bench.program.display().to_string(), &["--version"]);
    let commit = said("git", &["rev-parse", "--short", "HEAD"]);
    let changed =
        Command::new("git").args(["diff", "--quiet", "HEAD"]).current_dir(folder).status();
    let changed = if changed.is_ok_and(|status| status.success()) { "" } else { ", with changes" };
    let cores = std::thread::available_parallelism()?;
    let text = format!(
        "# Proofs\n\n\
         What is promised about correctness, faults and safety, tried on the program from outside, over loopback.\n\
         Made by `cargo run --release -p tokenforge-bench --bin proof`; do not edit. Most rows run at a smaller scale than what \
         is aimed at, so that all of them take some minutes; the bar says so.\n\
         Not tried here: kill -9 (6), disconnects (13), tenants (20): see the tests; OAuth (23), signed releases (26), mutation (27).\n\n\
         {program}, {}, commit {commit}{changed}, {}, {cores} cores.\n\n{table}",
        if bench.is_release() { "release build" } else { "debug build" },
        said("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
    );
    let path = folder.join("PROOF.md");
    std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    eprintln!("wrote {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_its_cell() {
        assert_eq!(cell("a | b\nc"), "a \\| b c");
        assert_eq!(cell(&"é".repeat(500)).chars().count(), 401);
    }
}
