//! Measures speed and tokens and writes `bench/RESULTS.md`: `cargo run --release -p tokenforge-bench [SECTION...]`.
//!
//! Speed compares rivals in one run on the same data, in turns, and keeps the best time of each: what
//! matters is the ratio, and a busy machine slows all of them alike. Tokens and the engine are measured on a corpus of
//! real tool outputs and sessions, in `../shared/corpus` or the folder that `CORPUS` names; without one those parts are
//! left as they were. Sections: speed, tokens, engine, hard, savings; all of them unless some are named.

mod corpus;
mod engine;
mod report;
mod speed;
mod tables;
mod tokens;

use std::path::{Path, PathBuf};

fn main() -> anyhow::Result<()> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus =
        std::env::var_os("CORPUS").map_or_else(|| bench.join("../../shared/corpus"), PathBuf::from);
    let results = bench.join("RESULTS.md");
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |section: &str| wanted.is_empty() || wanted.iter().any(|name| name == section);
    let write =
        |section: &str, measure: &dyn Fn() -> anyhow::Result<String>| match is_wanted(section) {
            true => report::replace_section(&results, section, &measure()?),
            false => Ok(()),
        };

    write("speed", &|| Ok(speed::measure()))?;
    if corpus.is_dir() {
        write("tokens", &|| tokens::measure(&corpus::read(&corpus.join("outputs"))?))?;
        write("engine", &|| engine::cost(&corpus))?;
        write("hard", &|| engine::hard(&corpus))?;
        write("savings", &|| engine::savings(&corpus))?;
    } else {
        eprintln!("skipped: no corpus at {}; its tables stay as they were", corpus.display());
    }
    eprintln!("wrote {}", results.display());
    Ok(())
}
