//! What a fresh result costs, in token counts of the same text.

use super::contender::{Contender, ContenderFigures};
use super::conversation::{Dialect, NEWEST, News, SyntheticConversation, newest_results, stamp};
use super::load::{LoadClient, Until, next_number};
use super::promises::Promises;
use super::results::ToolResult;
use super::rounds::Rounds;
use super::{ContenderField, MeasurePlan, median, process};
use anyhow::Context;
use fastrand::Rng;
use http_body_util::BodyExt;
use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokenforge_engine::reference::ReferenceSecret;
use tokenforge_engine::{Engine, History, Output, Settings, Vault};
use tokenforge_tokens::Counter;

type ResultKind = fn(&mut Rng, usize) -> ToolResult;

const KINDS: [(&str, ResultKind); 5] = [
    ("JSON rows", ToolResult::rows),
    ("service log", ToolResult::service_log),
    ("test run", ToolResult::test_run),
    ("file", ToolResult::file),
    ("search", ToolResult::search),
];

/// Processor time that standard adds to off for 100 KB of which the newest 20 KB are fresh, one request at a time.
pub(crate) async fn measure(
    field: &ContenderField,
    plan: MeasurePlan,
    promises: &mut Promises,
) -> anyhow::Result<String> {
    let mut out = String::from(
        "100 KB, of which one result of 20 KB is fresh, one connection; processor time in µs, and in token counts of the \
         fresh result. A count takes longer between two requests than in a loop, since others used the caches meanwhile; \
         the gateway counts between requests.\n\n\
         | fresh result | off | standard | added | a count in a loop | added, in such counts | the engine in a loop | a count \
         between requests | added, in such counts |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let (mut in_loop, mut between) = (0.0, 0.0);
    for (name, kind) in KINDS {
        eprintln!("fresh {name}");
        let Times { off, standard, count, engine, lone_count } = times(field, plan, kind).await?;
        let added = standard - off;
        in_loop += added / count;
        between += added / lone_count;
        let _ = writeln!(
            out,
            "| {name} | {off:.0} | {standard:.0} | {added:.0} | {count:.0} | {:.1} | {:.1} | {lone_count:.0} | {:.1} |",
            added / count,
            engine / count,
            added / lone_count,
        );
    }
    let what = "one fresh result of 20 KB in 100 KB, added CPU, mean of the kinds";
    for (sum, how) in [(in_loop, "in a loop"), (between, "between requests")] {
        let unit = format!("token counts {how}");
        promises.at_most(what, 8.0, sum / KINDS.len() as f64, &unit);
    }
    Ok(out)
}

/// Processor time in µs: of a request, with compression off and on, and of what is done to the fresh result alone.
struct Times {
    off: f64,
    standard: f64,
    count: f64,
    engine: f64,
    /// A count that follows a request, as in the gateway.
    lone_count: f64,
}

async fn times(
    field: &ContenderField,
    plan: MeasurePlan,
    kind: ResultKind,
) -> anyhow::Result<Times> {
    let conversation = Arc::new(SyntheticConversation::new(Dialect::Chat, 100_000, kind));
    let mut results: Vec<ToolResult> = newest_results(kind, NEWEST).collect();
    let contenders = [&field.off, &field.standard]
        .map(|process| Contender::new("gateway", process, News::Newest));
    let mut figures = [ContenderFigures::default(), ContenderFigures::default()];
    let (mut counting, mut compressing) = (Work::default(), Work::default());
    let mut lone_counts = Vec::new();
    let counter = Counter::default();
    counter.warm();
    let mut rounds = Rounds::new(plan.rounds);
    while rounds.begin()? {
        let mut turns = Vec::new();
        for contender in &contenders {
            turns.push(contender.turn(&conversation, 1, Until::Elapsed(plan.turn)).await?);
        }
        let count = |result: &ToolResult| {
            black_box(counter.count(&result.text));
        };
        let counted = Work::of(plan, &mut results, count)?;
        let compressed = Work::of(plan, &mut results, compress)?;
        let lone = counts_between(field, plan, &conversation, &mut results).await?;
        if rounds.counts()? {
            figures.iter_mut().zip(turns).for_each(|(figures, turn)| figures.add(turn));
            counting.add(counted);
            compressing.add(compressed);
            lone_counts.extend(lone);
        }
    }
    let [off, standard] = figures.map(|figures| figures.cpu());
    let lone_count = median(lone_counts).context("no counts")?;
    Ok(Times { off, standard, count: counting.cpu(), engine: compressing.cpu(), lone_count })
}

/// How long a count takes after each of many requests, in µs.
async fn counts_between(
    field: &ContenderField,
    plan: MeasurePlan,
    conversation: &SyntheticConversation,
    results: &mut [ToolResult],
) -> anyhow::Result<Vec<f64>> {
    let mut client = LoadClient::connect(&field.off.address.into()).await?;
    let (counter, start, mut times) = (Counter::default(), Instant::now(), Vec::new());
    for at in (0..results.len()).cycle() {
        let body = conversation.body(News::Newest, next_number());
        let reply = client.post(conversation.dialect.path(), body).await?;
        reply.into_body().collect().await?;
        results[at].renew(&stamp(next_number()));
        let begun = Instant::now();
        black_box(counter.count(&results[at].text));
        times.push(begun.elapsed().as_secs_f64() * 1e6);
        if start.elapsed() > plan.turn {
            break;
        }
    }
    Ok(times)
}

/// Work of this process.
#[derive(Default)]
struct Work {
    cpu: Duration,
    done: u32,
}

impl Work {
    /// Does it for a while, on a fresh result each time.
    fn of(
        plan: MeasurePlan,
        results: &mut [ToolResult],
        mut work: impl FnMut(&ToolResult),
    ) -> anyhow::Result<Self> {
        let (start, before) = (Instant::now(), process::cpu(std::process::id())?);
        let mut done = 0;
        for at in (0..results.len()).cycle() {
            results[at].renew(&stamp(next_number()));
            work(&results[at]);
            done += 1;
            if start.elapsed() > plan.turn {
                break;
            }
        }
        Ok(Work { cpu: process::cpu(std::process::id())? - before, done })
    }

    fn add(&mut self, more: Work) {
        self.cpu += more.cpu;
        self.done += more.done;
    }

    fn cpu(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / f64::from(self.done)
    }
}

fn compress(result: &ToolResult) {
    let settings = Settings::default();
    let key = ReferenceSecret::from_bytes([7; 32]);
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
    let arguments = result.arguments.to_string();
    let (text, tool, arguments) = (&result.text, result.tool, &arguments);
    let output = Output { text, tool, arguments, call: None, is_error: false };
    black_box(engine.compress(&output, &History::default()));
}
