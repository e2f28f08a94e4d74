//! What a fresh result costs, in token counts of the same text.

use super::contender::{Contender, Figures};
use super::conversation::{Conversation, Dialect, NEWEST, News, stamp};
use super::load::{Until, next_number};
use super::promises::Promises;
use super::results::{STAMP, ToolResult};
use super::{Field, Plan, process};
use fastrand::Rng;
use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use tokenforge_tokens::Counter;

type Kind = fn(&mut Rng, usize) -> ToolResult;

const KINDS: [(&str, Kind); 5] = [
    ("JSON rows", ToolResult::rows),
    ("service log", ToolResult::service_log),
    ("test run", ToolResult::test_run),
    ("file", ToolResult::file),
    ("search", ToolResult::search),
];

/// Processor time that standard adds to off for 100 KB of which the newest 20 KB are fresh, one request at a time.
pub(crate) async fn measure(
    field: &Field,
    plan: Plan,
    promises: &mut Promises,
) -> anyhow::Result<String> {
    let mut out = String::from(
        "100 KB, of which one result of 20 KB is fresh, one connection:\n\n\
         | fresh result | off, CPU µs | standard, CPU µs | added | one token count of it, CPU µs | added, in token counts |\n\
         |---|---|---|---|---|---|\n",
    );
    let mut sum = 0.0;
    for (name, kind) in KINDS {
        eprintln!("fresh {name}");
        let [off, standard, count] = times(field, plan, kind).await?;
        let added = standard - off;
        let counts = added / count;
        sum += counts;
        let _ = writeln!(
            out,
            "| {name} | {off:.0} | {standard:.0} | {added:.0} | {count:.0} | {counts:.1} |"
        );
    }
    let what = "one fresh result of 20 KB in 100 KB, added CPU, mean of the kinds";
    promises.at_most(what, 8.0, sum / KINDS.len() as f64, "token counts of it");
    Ok(out)
}

/// The processor time of a request with compression off and on, and of counting the fresh result's tokens, in µs.
async fn times(field: &Field, plan: Plan, kind: Kind) -> anyhow::Result<[f64; 3]> {
    let conversation = Arc::new(Conversation::new(Dialect::Chat, 100_000, kind));
    let text = kind(&mut Rng::with_seed(100_000), NEWEST).text;
    let off = Contender::new("off", &field.off, News::Newest);
    let standard = Contender::new("standard", &field.standard, News::Newest);
    let (mut off_figures, mut standard_figures) = (Figures::default(), Figures::default());
    let (mut counting, mut counted) = (0.0, 0);
    Counter::default().warm();
    for _ in 0..plan.rounds {
        let until = Until::Elapsed(plan.turn);
        off.round(&conversation, 1, until, &mut off_figures).await?;
        standard.round(&conversation, 1, until, &mut standard_figures).await?;
        let (start, before) = (Instant::now(), process::cpu(std::process::id())?);
        while start.elapsed() < plan.turn {
            black_box(Counter::default().count(&text.replace(STAMP, &stamp(next_number()))));
            counted += 1;
        }
        counting += (process::cpu(std::process::id())? - before).as_secs_f64() * 1e6;
    }
    Ok([off_figures.cpu(), standard_figures.cpu(), counting / f64::from(counted)])
}
