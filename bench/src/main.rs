//! Measures speed and tokens and writes `bench/RESULTS.md`: `cargo run --release -p tokenforge-bench`.
//!
//! Speed compares rivals in one run on the same data, in turns, and keeps the best time of each: what
//! matters is the ratio, and a busy machine slows all of them alike. Tokens are measured on a corpus of real
//! tool outputs, by default in `../shared/corpus/outputs`; without one that part is left as it was.

mod corpus;
mod report;
mod speed;
mod tables;
mod tokens;

use std::path::{Path, PathBuf};

fn main() -> anyhow::Result<()> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = std::env::args_os()
        .nth(1)
        .map_or_else(|| bench.join("../../shared/corpus/outputs"), PathBuf::from);
    let results = bench.join("RESULTS.md");

    report::replace_section(&results, "speed", &speed::measure())?;
    if corpus.is_dir() {
        let documents = corpus::read(&corpus)?;
        report::replace_section(&results, "tokens", &tokens::measure(&documents)?)?;
    } else {
        eprintln!("skipped: no corpus at {}; the token table stays as it was", corpus.display());
    }
    eprintln!("wrote {}", results.display());
    Ok(())
}
