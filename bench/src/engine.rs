//! What the engine costs, in plain token counts of the same text, and what it saves.

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use tokenforge_compress::reference::Key;
use tokenforge_compress::{Engine, History, Mode, Output, Settings, Vault};
use tokenforge_replay::corpus::Recording;
use tokenforge_replay::{Corpus, measure, outputs, report::ModeReport};
use tokenforge_tokens::Counter;

const ROUNDS: usize = 3;
const MODES: [Mode; 4] = [Mode::Safe, Mode::Lossless, Mode::Standard, Mode::Aggressive];
const MEGABYTE: usize = 1 << 20;

/// How many counts each mode costs on each kind of output.
pub(crate) fn cost(folder: &Path) -> anyhow::Result<String> {
    let corpus = Corpus::open(folder)?;
    let mut table = String::from(
        "| kind | count, MB/s | safe | lossless | standard | aggressive |\n|---|---|---|---|---|---|\n",
    );
    let mut sums = [0.0; 5];
    let mut bytes = 0;
    for kind in corpus.kinds()? {
        let recordings = corpus.outputs(&kind)?;
        let times = times(&recordings);
        let size: usize = recordings.iter().map(|recording| recording.content.len()).sum();
        bytes += size;
        sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
        row(&mut table, &kind, size, times);
    }
    row(&mut table, "**all**", bytes, sums);
    Ok(table)
}

fn row(table: &mut String, name: &str, bytes: usize, times: [f64; 5]) {
    let [count, modes @ ..] = times;
    let _ = write!(table, "| {name} | {:.0} |", bytes as f64 / 1e6 / count);
    for time in modes {
        let _ = write!(table, " {:.2} |", time / count);
    }
    table.push('\n');
}

/// The best times to count all outputs, and to take them through each mode, measured in turns.
fn times(recordings: &[Recording]) -> [f64; 5] {
    let counter = Counter::default();
    let mut best = [f64::INFINITY; 5];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for recording in recordings {
            black_box(counter.count(&recording.content));
        }
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        for (mode, best) in MODES.iter().zip(&mut best[1..]) {
            let start = Instant::now();
            for recording in recordings {
                black_box(compress(
                    &recording.content,
                    &outputs::arguments(recording),
                    recording.tool.as_deref(),
                    *mode,
                ));
            }
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}

fn compress(text: &str, arguments: &str, tool: Option<&str>, mode: Mode) -> usize {
    let settings = Settings { mode, ..Settings::default() };
    let key = Key::from_bytes([7; 32]);
    let engine = Engine::new(&settings).with_vault(Vault::for_reader(&key));
    let tool = tool.unwrap_or("Bash");
    let output = Output { text, tool, arguments, call: None, is_error: false };
    engine.compress(&output, &History::default()).text(text).len()
}

/// How fast a megabyte of text that was made to be slow goes through, against a megabyte of each kind of output.
pub(crate) fn hard(folder: &Path) -> anyhow::Result<String> {
    let corpus = Corpus::open(folder)?;
    let mut texts: Vec<(String, String)> = Vec::new();
    for kind in corpus.kinds()? {
        let all: String =
            corpus.outputs(&kind)?.into_iter().map(|recording| recording.content).collect();
        let all = all.repeat(MEGABYTE / all.len().max(1) + 1);
        texts.push((kind, all[..all.floor_char_boundary(MEGABYTE)].to_owned()));
    }
    let ordinary = texts.len();
    for (name, text) in adversaries() {
        texts.push((name.to_owned(), text));
    }
    let mut table = String::from(
        "| 1 MB of | lossless, MB/s | standard, MB/s | aggressive, MB/s |\n|---|---|---|---|\n",
    );
    let speeds: Vec<[f64; 3]> = texts.iter().map(|(_, text)| speed(text)).collect();
    for ((name, _), speed) in texts.iter().zip(&speeds) {
        let [lossless, standard, aggressive] = speed;
        let _ = writeln!(table, "| {name} | {lossless:.1} | {standard:.1} | {aggressive:.1} |");
    }
    let median = |column: usize| {
        let mut speeds: Vec<f64> = speeds[..ordinary].iter().map(|speed| speed[column]).collect();
        speeds.sort_by(f64::total_cmp);
        speeds[speeds.len() / 2]
    };
    for (column, mode) in ["lossless", "standard", "aggressive"].into_iter().enumerate() {
        let slowest = speeds.iter().map(|speed| speed[column]).fold(f64::INFINITY, f64::min);
        let ratio = slowest / median(column);
        let _ = writeln!(
            table,
            "\n{mode}: the slowest runs at {ratio:.2} of the median kind (promised: at least 0.20)."
        );
    }
    Ok(table)
}

fn speed(text: &str) -> [f64; 3] {
    [Mode::Lossless, Mode::Standard, Mode::Aggressive].map(|mode| {
        let time = (0..2).map(|_| {
            let start = Instant::now();
            black_box(compress(text, "{}", None, mode));
            start.elapsed().as_secs_f64()
        });
        text.len() as f64 / 1e6 / time.fold(f64::INFINITY, f64::min)
    })
}

fn adversaries() -> Vec<(&'static str, String)> {
    let many = |text: &str| text.repeat(MEGABYTE / text.len());
    vec![
        ("one character repeated", many("x")),
        ("blanks without a newline", many(" ")),
        ("newlines", many("\n")),
        ("nested brackets", many("[")),
        ("brackets on lines", many("[\n")),
        ("nested objects", many("{\"a\":")),
        ("escapes", many("\u{1b}[")),
        ("carriage returns", many("a\r")),
        ("one path", many("a/b/c:1:x\n")),
        ("numbered lines", (1..).map(|n| format!("{n}\tx\n")).take(120_000).collect()),
        ("words of a secret", many("password=token=secret=")),
        ("quotes and backslashes", many("\"\\")),
        ("pairs of lines", many("a\nb\na\nc\n")),
    ]
}

/// What every mode saves: the tables of `tokenforge bench`.
pub(crate) fn savings(folder: &Path) -> anyhow::Result<String> {
    let modes = [Mode::Lossless, Mode::Standard, Mode::Aggressive];
    let report =
        measure::corpus(&Corpus::open(folder)?, &modes, Counter::default(), &mut |step| {
            eprintln!("{}/{} {}: {}", step.done, step.of, step.mode, step.name);
        })?;
    let table = |(mode, found): (&String, &ModeReport)| format!("### {mode}\n\n{found}");
    Ok(report.modes.iter().map(table).collect())
}
