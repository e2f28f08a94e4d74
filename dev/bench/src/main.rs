//! Measures speed and tokens and writes `dev/bench/RESULTS.md`: `cargo run --release -p tokenforge-bench [SECTION...]`.
//!
//! Speed compares rivals in one run on the same data, in turns, and keeps the best time of each: what
//! matters is the ratio, and a busy machine slows all of them alike. Tokens and the engine are measured on a corpus of
//! real tool outputs and sessions, in `../shared/corpus` or the folder that `CORPUS` names; without one those parts are
//! left as they were. Sections: speed, tokens, stc2, engine, hard, savings, gateway; all of them unless some are named.
//!
//! `--quick` takes a minute for `gateway` and only prints, as does `--part=NAME,...`, which measures parts of it, one after
//! the other with the same processes: throughput, fresh, streaming, leaving, tools, route, single, memory. `--full` sends
//! 100,000 requests to fill its store. The section `peers` is measured by `dev/bench/peers.sh`; `fair_under_attack [SECONDS]`
//! runs alone, and only prints.

mod corpus;
mod engine;
mod gateway;
mod report;
mod savings;
mod speed;
mod stc2;
mod tables;
mod tokens;

use std::path::{Path, PathBuf};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(served) = gateway::serve(&arguments) {
        return served;
    }
    let (flags, wanted): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| argument.starts_with("--"));
    let part = flags.iter().find_map(|flag| flag.strip_prefix("--part="));
    let is_kept = part.is_none() && !flags.iter().any(|flag| flag == "--quick");
    let plan = gateway::MeasurePlan::new(&flags);

    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = std::env::var_os("CORPUS")
        .map_or_else(|| bench.join("../../../shared/corpus"), PathBuf::from);
    let results = bench.join("RESULTS.md");
    let is_wanted = |section: &str| wanted.is_empty() || wanted.iter().any(|name| name == section);
    let write = |section: &str, measure: &dyn Fn() -> anyhow::Result<String>| {
        if !is_wanted(section) {
            return Ok(());
        }
        let measured = measure()?;
        println!("{measured}");
        if is_kept { report::replace_section(&results, section, &measured) } else { Ok(()) }
    };

    if let [section, peers @ ..] = &wanted[..]
        && section == "peers"
    {
        return write("peers", &|| gateway::measure_peers(peers, plan));
    }
    if let [section, seconds @ ..] = &wanted[..]
        && section == "fair_under_attack"
    {
        let seconds = seconds.first().map_or(Ok(60), |seconds| seconds.parse())?;
        return gateway::fair_under_attack::measure(seconds);
    }
    write("speed", &|| Ok(speed::measure()))?;
    write("gateway", &|| gateway::measure(plan, part))?;
    if corpus.is_dir() {
        write("tokens", &|| tokens::measure(&corpus::read_documents(&corpus.join("outputs"))?))?;
        write("stc2", &|| stc2::measure(&corpus::read_documents(&corpus.join("outputs"))?))?;
        write("engine", &|| engine::cost(&corpus))?;
        write("hard", &|| engine::hard(&corpus))?;
        write("savings", &|| savings::savings(&corpus))?;
    } else {
        eprintln!("skipped: no corpus at {}; its tables stay as they were", corpus.display());
    }
    if is_kept {
        eprintln!("wrote {}", results.display());
    }
    Ok(())
}
