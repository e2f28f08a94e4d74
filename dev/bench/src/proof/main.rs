//! The proof suite: what Tokenforge promises about correctness, faults and safety, tried on the program that is shipped.
//!
//! `cargo run --release -p tokenforge-bench --bin proof -- [ROW...] [--tokenforge PATH]`: all rows, or those with these
//! numbers. The program under test is the one beside this one unless a path names another. Progress goes to standard error;
//! the table goes to standard output and, when all rows were run, into `dev/bench/PROOF.md`. It exits with 1 if a row fails.

mod backpressure;
mod body_memory;
mod bombs;
mod canary_keys;
mod codecs;
mod credentials;
mod dialects;
mod eviction;
mod fail_open;
mod fairness;
mod faulty_disk;
mod forged_markers;
mod hostile_folders;
mod idle_streams;
mod kept_conversations;
mod kit;
mod large_answer;
mod local_listeners;
mod local_safety;
mod prefix;
mod reload;
mod report;
mod row;
mod scanner;
mod slow_loris;
mod soak;
mod ssrf;
mod stdio_commands;
mod stream_cuts;
mod task_tenants;
mod upstream_faults;

use anyhow::{Context, ensure};
use kit::ProofBench;
use row::{ProofRow, RowVerdict};
use std::path::PathBuf;
use std::process::ExitCode;

/// Every row, in the order of its number.
const ROWS: &[ProofRow] = &[
    scanner::ROW,
    codecs::ROW,
    prefix::ROW,
    stream_cuts::ROW,
    fail_open::ROW,
    faulty_disk::ROW,
    eviction::ROW,
    slow_loris::ROW,
    bombs::ROW,
    body_memory::ROW,
    upstream_faults::ROW,
    backpressure::ROW,
    idle_streams::ROW,
    reload::ROW,
    soak::ROW,
    fairness::ROW,
    canary_keys::ROW,
    ssrf::ROW,
    local_safety::ROW,
    stdio_commands::ROW,
    forged_markers::ROW,
    task_tenants::ROW,
    kept_conversations::ROW,
    local_listeners::ROW,
    credentials::ROW,
    hostile_folders::ROW,
];

fn main() -> anyhow::Result<ExitCode> {
    if std::env::args().nth(1).as_deref() == Some(task_tenants::AS_SERVER) {
        return Ok(task_tenants::serve_program());
    }
    let (bench, wanted) = arguments(std::env::args().skip(1))?;
    // Some are caused on purpose; all are caught, and told in the table.
    std::panic::set_hook(Box::new(|_| {}));
    let is_wanted = |row: &&ProofRow| wanted.is_empty() || wanted.contains(&row.number);
    let mut results = Vec::new();
    for row in ROWS.iter().filter(is_wanted) {
        eprintln!("row {}: {}", row.number, row.what);
        let result = row.run(&bench);
        eprintln!("row {}: {}", row.number, result.verdict);
        results.push((row, result));
    }
    let table = report::table(&results);
    println!("{table}");
    if wanted.is_empty() {
        report::keep(&bench, &table)?;
    }
    let has_failed =
        results.iter().any(|(_, result)| matches!(result.verdict, RowVerdict::Failed(_)));
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The program under test, and the rows that were asked for.
fn arguments(mut given: impl Iterator<Item = String>) -> anyhow::Result<(ProofBench, Vec<u8>)> {
    let (mut program, mut wanted) = (None, Vec::new());
    while let Some(argument) = given.next() {
        if argument == "--tokenforge" {
            program = Some(PathBuf::from(given.next().context("--tokenforge needs a path")?));
        } else {
            let number = argument.parse().ok();
            let number = number.filter(|number| ROWS.iter().any(|row| row.number == *number));
            let known: Vec<String> = ROWS.iter().map(|row| row.number.to_string()).collect();
            let known = known.join(", ");
            wanted
                .push(number.with_context(|| format!("{argument} is no row; there are {known}"))?);
        }
    }
    let program = match program {
        Some(program) => program,
        None => std::env::current_exe()?.with_file_name("tokenforge"),
    };
    ensure!(
        program.is_file(),
        "no program at {}: build it (cargo build --release -p tokenforge --features jemalloc) or name one with --tokenforge",
        program.display()
    );
    Ok((ProofBench { program: program.canonicalize()? }, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_their_numbers() {
        assert!(ROWS.windows(2).all(|pair| pair[0].number < pair[1].number));
    }

    #[test]
    fn rows_that_do_not_exist_are_refused_by_name() {
        let given = ["--tokenforge", "/bin/sh", "99"].map(str::to_owned);
        let error = arguments(given.into_iter()).err().unwrap().to_string();
        assert!(error.starts_with("99 is no row; there are 1, 2, 3"), "{error}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let given = ["--tokenforge", "/nowhere/tokenforge"].map(str::to_owned);
        let error = arguments(given.into_iter()).err().unwrap().to_string();
        assert!(error.starts_with("no program at /nowhere/tokenforge"), "{error}");
    }
}
