//! The gateway against the practical limit: what it costs, how it streams, what memory it takes.
//!
//! The upstream, a bare hyper passthrough and the gateway run in processes of their own; the load comes from here.
//! Contenders take turns in short rounds, so that a busy machine slows all of them alike: trust the ratios.

mod contender;
mod conversation;
pub(crate) mod fair_under_attack;
mod fresh;
mod leaving;
mod load;
mod memory;
mod passthrough;
mod peers;
mod process;
mod promises;
mod results;
mod rounds;
mod route;
mod serve;
mod single;
mod streaming;
mod throughput;
mod tool_server;
mod tools;
mod upstream;

pub(crate) use peers::measure as measure_peers;
pub(crate) use serve::serve;

use crate::report;
use anyhow::{Context, ensure};
use process::ServerProcess;
use promises::Promises;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// How much is measured.
#[derive(Clone, Copy)]
pub(crate) struct MeasurePlan {
    /// How often each contender has its turn.
    rounds: usize,
    /// How long a turn takes.
    turn: Duration,
    /// How many streams each contender has at once, and of how many chunks.
    streams: (usize, usize),
    /// How many streams stay open at once.
    idle_streams: usize,
    /// How many requests fill the store.
    filling: usize,
    /// How often the gateway is started.
    starts: usize,
}

impl MeasurePlan {
    /// As the command line says: `--quick` takes a minute, `--full` sends 100,000 requests to fill the store.
    pub(crate) fn new(flags: &[String]) -> Self {
        let has = |name: &str| flags.iter().any(|flag| flag == name);
        let usual = Self {
            rounds: 25,
            turn: Duration::from_millis(200),
            streams: (20, 40),
            idle_streams: 5_000,
            filling: 10_000,
            starts: 11,
        };
        match (has("--quick"), has("--full")) {
            (true, _) => Self {
                rounds: 2,
                turn: Duration::from_millis(150),
                streams: (5, 10),
                idle_streams: 1_000,
                filling: 4_000,
                starts: 3,
            },
            (false, true) => Self { filling: 100_000, ..usual },
            (false, false) => usual,
        }
    }
}

/// How many fields there are, for measurements that depend on where the system puts a process.
const FIELDS: usize = 5;

/// What takes part in every measurement.
struct ContenderField {
    program: PathBuf,
    upstream: ServerProcess,
    passthrough: ServerProcess,
    off: ServerProcess,
    standard: ServerProcess,
}

impl ContenderField {
    async fn start() -> anyhow::Result<Self> {
        let program = program()?;
        let upstream = ServerProcess::own(serve::UPSTREAM, None).await?;
        let passthrough = ServerProcess::own(serve::PASSTHROUGH, Some(upstream.address)).await?;
        let off = ServerProcess::gateway(&program, upstream.address, "disabled").await?;
        let standard = ServerProcess::gateway(&program, upstream.address, "standard").await?;
        Ok(Self { program, upstream, passthrough, off, standard })
    }

    /// Another gateway, with nothing in its memory.
    async fn new_gateway(&self) -> anyhow::Result<ServerProcess> {
        ServerProcess::gateway(&self.program, self.upstream.address, "standard").await
    }
}

/// The tables of the section `gateway`, or of these parts of it.
pub(crate) fn measure(plan: MeasurePlan, parts: Option<&str>) -> anyhow::Result<String> {
    let is_wanted =
        |name: &str| parts.is_none_or(|parts| parts.split(',').any(|part| part == name));
    run_on_one_thread(async {
        let mut fields = Vec::new();
        for _ in 0..FIELDS {
            fields.push(ContenderField::start().await?);
        }
        let field = &fields[0];
        let mut promises = Promises::default();
        let mut tables = FinishedTables::default();
        if is_wanted("throughput") {
            tables.push(throughput::measure(&fields, plan, &mut promises).await?);
        }
        if is_wanted("fresh") {
            tables.push(fresh::measure(field, plan, &mut promises).await?);
        }
        if is_wanted("streaming") {
            tables.push(streaming::measure(field, plan, &mut promises).await?);
        }
        if is_wanted("leaving") {
            leaving::measure(field, plan, &mut promises).await?;
        }
        if is_wanted("tools") {
            tables.push(tools::measure(field, plan).await?);
        }
        if is_wanted("route") {
            route::measure(&fields, plan, &mut promises).await?;
        }
        if is_wanted("single") {
            single::measure(field, plan, &mut promises).await?;
        }
        if is_wanted("memory") {
            tables.push(memory::measure(field, plan, &mut promises).await?);
        }
        let tables = tables.0.join("\n");
        Ok(format!(
            "Processor: {}, {} cores for all processes. Medians of {} rounds in turns of {} ms; throughput and \
             routes over {FIELDS} processes of each contender.\n\n{promises}\n{tables}",
            report::processor(),
            std::thread::available_parallelism()?,
            plan.rounds,
            plan.turn.as_millis(),
        ))
    })
}

/// Tables, each printed when it is finished: a run takes a quarter of an hour, and what fails in its last part is not to
/// cost the others.
#[derive(Default)]
struct FinishedTables(Vec<String>);

impl FinishedTables {
    fn push(&mut self, table: String) {
        eprintln!("{table}");
        self.0.push(table);
    }
}

/// Runs on one thread, which leaves the others to the servers. A signal ends it, and with it every process it started.
fn run_on_one_thread<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut end = signal(SignalKind::terminate())?;
        tokio::select! {
            result = work => result,
            _ = end.recv() => anyhow::bail!("ended by a signal"),
            _ = tokio::signal::ctrl_c() => anyhow::bail!("ended by a signal"),
        }
    })
}

/// The gateway's program: the one that `TOKENFORGE` names, else built now, so that it is never an old one.
fn program() -> anyhow::Result<PathBuf> {
    if let Some(program) = std::env::var_os("TOKENFORGE") {
        return Ok(program.into());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "-p", "tokenforge", "--features", "jemalloc"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()?;
    ensure!(built.success(), "tokenforge was not built");
    let own = std::env::current_exe()?;
    let folder = own.ancestors().nth(2).context("a program outside of target/PROFILE")?;
    Ok(folder.join("release/tokenforge"))
}

/// The smaller of two figures; none where one was not measured, so that its promise counts as missed.
fn lesser(one: f64, other: f64) -> f64 {
    if one.is_nan() || other.is_nan() { f64::NAN } else { one.min(other) }
}

/// The middle one.
fn median<T: PartialOrd + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied()
}
